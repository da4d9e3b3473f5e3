"""The program files that clients start in place of ``codex``: one for each play, all in one folder."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from wiretape_server import bridge

_LONGEST_SHEBANG: Final = 120
"""Bytes: some systems cut what is longer."""
_ISOLATED: Final = "-IS"
"""Python's options: neither the user's environment nor site-packages matter, and start costs less."""


class Programs:
    """Writes program files and, at the end, takes them away."""

    def __init__(self) -> None:
        self._folder: TemporaryDirectory[str] | None = None
        self._written = 0

    def write(self, host: str, port: int, play: str) -> Path:
        """Write the program that joins a play by the bridge at this address; it is called ``codex``."""
        if self._folder is None:
            self._folder = TemporaryDirectory(prefix="wiretape-")
        self._written += 1
        folder = Path(self._folder.name, str(self._written))
        folder.mkdir()
        call = f"import sys\n\nraise SystemExit(main({host!r}, {port}, {play!r}, sys.argv[1:]))\n"
        source = f"{Path(bridge.__file__).read_text('utf-8')}\n\n{call}"
        if sys.platform == "win32":
            return write_launched(
                folder, source, "codex.cmd", f'@"{sys.executable}" {_ISOLATED} "%~dp0{{}}" %*\n'
            )
        shebang = f"#!{sys.executable} {_ISOLATED}"
        if " " in sys.executable or len(shebang.encode()) > _LONGEST_SHEBANG:
            launcher = f'#!/bin/sh\nexec "{sys.executable}" {_ISOLATED} "${{0%/*}}/{{}}" "$@"\n'
            return write_launched(folder, source, "codex", launcher)
        return _executable(folder / "codex", f"{shebang}\n{source}")

    def close(self) -> None:
        """Take all of them away."""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None


def write_launched(folder: Path, source: str, name: str, launcher: str) -> Path:
    """Write a program that no shebang can start, and the script of this name that starts it."""
    program = folder / "codex.py"
    program.write_text(source, "utf-8")
    return _executable(folder / name, launcher.format(program.name))


def _executable(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    path.chmod(0o755)
    return path
