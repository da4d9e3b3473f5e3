"""All kinds of faults by name, of every protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from wiretape.faults.codex import CODEX_KINDS
from wiretape.faults.flow_a import FLOW_A_KINDS
from wiretape.faults.model import Kind

KINDS: Final[Mapping[str, Kind]] = {kind.name: kind for kind in (*FLOW_A_KINDS, *CODEX_KINDS)}


def kind_of(text: str) -> Kind:
    """The kind of a fault that is written as ``KIND@WHERE``. One that nobody knows (any more) excuses all."""
    name = text.partition("@")[0]
    return KINDS.get(name) or Kind(
        name=name,
        protocol="",
        title="",
        units=(),
        right_client="",
        evidence="inferred",
        fails_turn=True,
        hides=True,
    )
