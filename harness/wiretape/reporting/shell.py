"""A command as one line of a shell, whatever stands in its words."""

from __future__ import annotations

import shlex
from collections.abc import Iterable


def line(words: Iterable[str]) -> str:
    """Quote a command's words for a shell. What is not printable becomes an escape: ``$'a\\012b'``."""
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    if word.isprintable():
        return shlex.quote(word)
    return f"$'{''.join(map(_escaped, word))}'"


def _escaped(character: str) -> str:
    if character in "\\'":
        return f"\\{character}"
    return character if character.isprintable() else "".join(f"\\{byte:03o}" for byte in _bytes(character))


def _bytes(character: str) -> bytes:
    """As an argument has them: a byte that is no UTF-8 comes to Python as half of a surrogate pair."""
    escaped = "\udc80" <= character <= "\udcff"
    return character.encode("utf-8", "surrogateescape" if escaped else "surrogatepass")
