"""Tells a text that a client damaged on its way from a text that is simply another one."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from typing import Final


def _replaced(want: str, got: str) -> bool:
    """Characters were lost to a decoder: U+FFFD, or ``?`` in the place of what is not ASCII."""
    as_ascii = want.encode("ascii", "replace").decode()
    return "\ufffd" in got or (got == as_ascii and got != want)


def _mojibake(want: str, got: str) -> bool:
    raw = want.encode("utf-8", "surrogatepass")
    return any(got == raw.decode(charset, "replace") for charset in ("latin-1", "cp1252"))


def _escaped(want: str, got: str) -> bool:
    return got == json.dumps(want)[1:-1] or got == json.dumps(want)


def _recomposed(want: str, got: str) -> bool:
    return unicodedata.normalize("NFC", got) == unicodedata.normalize("NFC", want)


def _halves(_want: str, got: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in got)


def _part(want: str, got: str) -> bool:
    return len(got) < len(want) and (want.startswith(got) or want.endswith(got))


def _repeated(want: str, got: str) -> bool:
    return len(got) > len(want) and got.replace(want, "") == ""


_WAYS: Final[tuple[tuple[Callable[[str, str], bool], str], ...]] = (
    (_replaced, "characters were lost: bytes were decoded before the character was whole"),
    (_mojibake, "UTF-8 was read as a one-byte charset"),
    (_escaped, "escapes were left in the text"),
    (_recomposed, "it looks the same, but letters and accents were joined or taken apart (NFC, NFD)"),
    (_halves, "surrogate halves were not joined"),
    (_part, "a part is missing: the arguments were taken before the call was complete, or a piece was lost"),
    (_repeated, "pieces were added twice"),
)


def damage(want: object, got: object, arguments: str) -> str:
    """Say how ``got`` is a damaged copy of ``want``; empty when it is equal or another text altogether."""
    if not isinstance(want, str) or not isinstance(got, str) or want == got:
        return ""
    if got == arguments:
        return "the whole arguments text came in the place of one argument"
    return next((how for is_way, how in _WAYS if is_way(want, got)), "")
