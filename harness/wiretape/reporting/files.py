"""The option value ``KIND:FILE`` that asks for a report, and the reports as files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from wiretape.reporting.model import Document


KINDS: Final = ("json", "junit", "html", "md", "github", "badge", "text")
"""What ``faces.FACES`` has, without importing it."""
_TO_STDOUT: Final = ("github",)
"""These need no file."""


class TargetError(ValueError):
    """A text asks for no report that can be written. It says what was expected."""


@dataclass(frozen=True, slots=True)
class Target:
    """A report to write: one of KINDS, and the file; None is stdout."""

    kind: str
    file: Path | None

    @classmethod
    def parse(cls, text: str, folder: Path | None = None) -> Target:
        """Read ``KIND:FILE``; a file that can't be written is refused. Raises TargetError."""
        kind, _, name = text.partition(":")
        if kind in _TO_STDOUT and not name:
            return cls(kind, None)
        if kind not in KINDS or not name:
            kinds = " or ".join(f"{kind}[:FILE]" if kind in _TO_STDOUT else f"{kind}:FILE" for kind in KINDS)
            raise TargetError(f"expected {kinds}, got {text!r}")
        file = (folder / name) if folder else Path(name)
        if not file.absolute().parent.is_dir():
            raise TargetError(f"{text!r}: there is no folder {file.absolute().parent}; make it first")
        if file.is_dir():
            raise TargetError(f"{text!r}: {file} is a folder; name a file in it")
        return cls(kind, file)


def write(targets: Iterable[Target], documents: Sequence[Document], put: Callable[[str], None]) -> None:
    """Write every report that was asked for. ``put`` takes what goes to stdout."""
    from wiretape.reporting.faces import FACES

    for target in targets:
        text = FACES[target.kind](documents)
        if target.file is None:
            if text:
                put(text.rstrip("\n"))
        else:
            # A name that is no UTF-8 on disk comes as lone surrogates: shown as escapes.
            replace_file(target.file, text.encode("utf-8", "backslashreplace"))


def replace_file(file: Path, data: bytes) -> None:
    """Write a file as a whole: whoever reads it meanwhile sees the old one or the new one.

    Raises OSError, which names this file.
    """
    try:
        _replace(file, data)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(file)) from None


def _replace(file: Path, data: bytes) -> None:
    if file.exists() and not file.is_file():  # /dev/stdout, a pipe: there is nothing to replace
        file.write_bytes(data)
        return
    file = file.resolve()  # a link stays one
    draft = file.with_name(f".wiretape.{os.getpid()}.draft")  # a long name has no room for more
    try:
        draft.write_bytes(data)
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)
