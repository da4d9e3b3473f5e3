"""What an attack has found: as a cassette that plays, and as a vector for a decoder's own tests."""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace
from typing import Any

from wiretape.cassette.model import Cassette, Provenance
from wiretape.flow_a.stream import decode
from wiretape.fuzzing.judging import Contract, Difference
from wiretape.fuzzing.trials import DIFFERS, Misdeed
from wiretape.imports import read_event_stream

FORMAT = "wiretape decoder find 1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Find:
    """A stream that a decoder reads wrongly, as small as it could be made."""

    kind: str
    about: str
    """What the kind tries, in words."""
    contract: Contract
    difference: Difference


def vector(find: Find) -> dict[str, Any]:
    """The find as JSON: the stream in base64, what should come out, and what came."""
    found = find.difference
    return {
        "format": FORMAT,
        "kind": find.kind,
        "about": find.about,
        "contract": find.contract,
        "sse_base64": base64.b64encode(found.data).decode("ascii"),
        "expected": {"messages": found.want, "errors": decode(found.data)["errors"]},
        "got": {"error": found.refusal} if found.refusal else {"messages": found.got},
    }


def cassette(find: Find, *, tool: str) -> Cassette:
    """The find as a session of one answer: the stream byte for byte, behind a made-up request.

    Raises SourceError for a stream that was cut before its first event: there is nothing to play.
    """
    played = read_event_stream(find.difference.data, name=f"a find of the kind {find.kind}", tool=tool)
    return replace(
        played,
        title=f"Found by fuzzing: {find.about}",
        provenance=Provenance(
            kind="synthetic",
            tool=tool,
            basis=("a stream drawn at random that a decoder read wrongly, made as small as it could be",),
            gaps=("Nobody has captured any of it: all of it is made up.",),
        ),
    )


def session_cassettes(kind: str, found: Misdeed, *, tool: str) -> list[Cassette]:
    """The session of a find, and behind it its usual form where it is the difference that counts."""
    about: dict[str, Any] = {"kind": kind, "rule": found.rule}
    about |= {"faults": [*found.trial.faults]} if found.trial.faults else {}
    tried = replace(_made_by(found.trial.cassette, tool), extensions={"x-find": about})
    plain = found.trial.plain
    return [tried, _made_by(plain, tool)] if plain and found.rule == DIFFERS else [tried]


def _made_by(cassette: Cassette, tool: str) -> Cassette:
    return replace(cassette, provenance=replace(cassette.provenance, tool=tool))
