"""What docs/fuzzing.md shows of an attack on a decoder is what a reader of it sees."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.reader import run

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "fuzzing.md").read_text("utf-8")
HOW_MANY = re.compile(r"^(truncate-text +)\d+", re.MULTILINE)
"""Examples until the first find: another release of Hypothesis draws others."""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the page is written for a POSIX shell")


def attacked(command: str, folder: Path) -> tuple[int, str]:
    code, printed = run(command, folder)
    lines = [line.rstrip() for line in printed.splitlines()]
    return code, HOW_MANY.sub(r"\1N", "\n".join(lines))


def test_the_attack_of_the_page_finds_what_is_shown_and_finds_it_again(tmp_path: Path) -> None:
    (tmp_path / "tests").symlink_to(ROOT / "tests")  # as in a checkout
    attack, again = re.findall(r"^```sh\n(wiretape fuzz decoder .*)\n```$", PAGE, re.MULTILINE)
    (shown,) = re.findall(r"^```\n(kind .*?\n)```$", PAGE, re.DOTALL | re.MULTILINE)
    code, printed = attacked(attack, tmp_path)
    assert (code, printed.strip()) == (1, HOW_MANY.sub(r"\1N", shown.strip()))
    code, printed = attacked(again, tmp_path)
    assert code == 1
    assert printed.startswith("FAIL  .wiretape-fuzz/finds/truncate-text.yaml")
