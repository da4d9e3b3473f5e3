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
        return write_program(folder, source)

    def close(self) -> None:
        """Take all of them away."""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None


def write_program(
    folder: Path, source: str, *, python: str = sys.executable, windows: bool = sys.platform == "win32"
) -> Path:
    """Write a Python program so that it can be started by its path alone."""
    shebang = f"#!{python} {_ISOLATED}"
    if not windows and " " not in python and len(shebang.encode()) <= _LONGEST_SHEBANG:
        return _executable(folder / "codex", f"{shebang}\n{source}")
    (folder / "codex.py").write_text(source, "utf-8")
    if windows:
        return _executable(folder / "codex.cmd", f'@"{python}" {_ISOLATED} "%~dp0codex.py" %*\n')
    return _executable(
        folder / "codex", f'#!/bin/sh\nexec "{python}" {_ISOLATED} "${{0%/*}}/codex.py" "$@"\n'
    )


def _executable(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    path.chmod(0o755)
    return path
