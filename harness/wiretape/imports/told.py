"""What a cassette says beside its traffic: its title, and texts that a file can hold."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final, Literal

from wiretape.cassette.model import Cassette, Chunks

_HALF: Final = re.compile("[\ud800-\udfff]")
_UNTITLED: Final = {"Recorded": "A recording", "Imported": "An imported recording"}
_MENDED: Final = (
    "Halves of characters (lone surrogates), which no file can hold, stand as U+FFFD in what is told of the "
    "session; its traffic is as it was."
)


def told(cassette: Cassette, origin: Literal["Recorded", "Imported"]) -> Cassette:
    """Give a cassette a title, from what its user said first, and mend texts that could not be written.

    Bodies and frames are bytes, and stay.
    """
    first = (cassette.expect.user_message or "").strip().partition("\n")[0]
    whole = replace(cassette, title=f"{origin}: {first[:80]}" if first else _UNTITLED[origin])
    mended = _mended(whole)
    if mended == whole:
        return whole
    provenance = replace(whole.provenance, gaps=tuple(dict.fromkeys((*whole.provenance.gaps, _MENDED))))
    return replace(mended, provenance=provenance)  # type: ignore[no-any-return]


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return _HALF.sub("\ufffd", value)
    if isinstance(value, Mapping):
        return {_mended(key): _mended(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(_mended, value))
    if is_dataclass(value) and not isinstance(value, (type, Chunks)):
        return replace(value, **{each.name: _mended(getattr(value, each.name)) for each in fields(value)})
    return value
