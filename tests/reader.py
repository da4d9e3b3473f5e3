"""What a reader of the documentation does: runs commands, with the checkout's environment active."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

OURS = ("PYTEST_", "COV", "WIRETAPE_")
"""How variables begin that belong to this run of the tests."""


class Done(NamedTuple):
    """How a command ended, and what it printed on both."""

    code: int
    printed: str


def environment(**more: str) -> dict[str, str]:
    """A reader's environment, with nothing of this run's in it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    return {**kept, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", **more}


def run(command: str | Sequence[object], folder: Path, **more: str) -> Done:
    """Run a line for the shell, or a program with its arguments, to its end."""
    done = subprocess.run(
        command if isinstance(command, str) else [str(part) for part in command],
        shell=isinstance(command, str),
        cwd=folder,
        env=environment(**more),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=300,
        check=False,
    )
    return Done(done.returncode, done.stdout.decode(errors="replace"))


def printed_by(command: str | Sequence[object], folder: Path, **more: str) -> str:
    """What a command that ends well prints. A failure shows all of it."""
    code, printed = run(command, folder, **more)
    assert code == 0, printed
    return printed
