"""The text of a CassetteError: the file, the place in it, what was wanted, what came, what to do next."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from wiretape.cassette.model import CassetteError

if TYPE_CHECKING:
    from collections.abc import Iterable

_LONGEST = 100


def refusal(*, at: str, want: str, got: str, hint: str) -> CassetteError:
    """Make the error of one place, not yet of a file. ``at`` is a line or a key path."""
    return CassetteError(f"  at    {at}\n  want  {want}\n  got   {got}\n  hint  {hint}")


def in_file(source: str, error: CassetteError) -> CassetteError:
    """Put the file's name on top of an error made by ``refusal``."""
    return CassetteError(f"cassette {source or '(no file)'} can't be used\n{error}")


def shown(value: object) -> str:
    """What came, as ``repr`` writes it, cut where it gets long."""
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text)} characters)"


def nearest(word: str, words: Iterable[str]) -> str:
    """The one of ``words`` that ``word`` was probably meant to be; empty when none is near."""
    by_lower = {candidate.lower(): candidate for candidate in words}
    found = get_close_matches(word.lower(), by_lower, n=1)
    return by_lower[found[0]] if found else ""
