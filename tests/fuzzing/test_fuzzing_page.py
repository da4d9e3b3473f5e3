"""What docs/fuzzing.md shows of an attack on a decoder is what a reader of it sees."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "fuzzing.md").read_text("utf-8")
HOW_MANY = re.compile(r"^(truncate-text +)\d+", re.MULTILINE)
"""Examples until the first find: another release of Hypothesis draws others."""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the page is written for a POSIX shell")


def run(command: str, folder: Path) -> tuple[int, str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=os.environ | {"PATH": path},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=120,
        check=False,
    )
    lines = [line.rstrip() for line in done.stdout.decode().splitlines()]
    return done.returncode, HOW_MANY.sub(r"\1N", "\n".join(lines))


def test_the_attack_of_the_page_finds_what_is_shown_and_finds_it_again(tmp_path: Path) -> None:
    (tmp_path / "tests").symlink_to(ROOT / "tests")  # as in a checkout
    attack, again = re.findall(r"^```sh\n(wiretape fuzz decoder .*)\n```$", PAGE, re.MULTILINE)
    (shown,) = re.findall(r"^```\n(kind .*?\n)```$", PAGE, re.DOTALL | re.MULTILINE)
    code, printed = run(attack, tmp_path)
    assert (code, printed.strip()) == (1, HOW_MANY.sub(r"\1N", shown.strip()))
    code, printed = run(again, tmp_path)
    assert code == 1
    assert printed.startswith("FAIL  .wiretape-fuzz/finds/truncate-text.yaml")
