"""The Makefile says what it is busy with, and nothing on stdout."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or shutil.which("make") is None, reason="make is not installed"
)


@pytest.fixture
def venv(tmp_path: Path) -> Path:
    """A virtual environment whose interpreter does nothing."""
    python = tmp_path / "venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\n", encoding="ascii")
    python.chmod(0o755)
    return tmp_path / "venv"


@pytest.mark.parametrize("stamp", ["installed", "test", "bench", "clients"])
def test_each_long_step_is_named_before_it_begins(venv: Path, stamp: str) -> None:
    (venv / ".made").touch()
    command = ["make", "--no-print-directory", f"VENV={venv}", f"{venv}/.{stamp}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=60)
    told = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (0, "")
    assert told[0] == f"installing wiretape into {venv} …"
    assert all(line.startswith("installing ") and line.endswith(f" into {venv} …") for line in told)
    assert len(told) == {"installed": 1, "clients": 3}.get(stamp, 2)
    again = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=60)
    assert again.stderr == ""


def test_help_names_every_target() -> None:
    (phony,) = re.findall(r"^\.PHONY: help (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    done = subprocess.run(["make", "-s"], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    assert {line.split()[1] for line in done.stdout.splitlines()} == set(phony.split())
