"""Makes a codex cassette of a sidecar's records, and puts one behind another of the same session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from wiretape import __version__
from wiretape.cassette.model import Cassette, Provenance, RecordedFrame
from wiretape.imports.exchange import delays
from wiretape_server.recording.codex_session import HEAD, TAIL
from wiretape_server.recording.growth import Growth

PROGRAMS: Final = "x-programs"
"""The extension that keeps how each recorded program ended."""


@dataclass(slots=True)
class CodexSession:
    """The records of a session, as far as the sidecar goes."""

    messages: list[dict[str, Any]] = field(default_factory=list)
    body: Growth = field(default_factory=Growth)
    exits: list[dict[str, Any]] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)
    ended: bool = False

    def take(self, record: dict[str, Any]) -> None:
        """Take one record. Raises KeyError, TypeError, AttributeError for what is none."""
        entry = record["entry"]
        if entry == "message":
            self.body.add(record, len(HEAD) + record["length"] + len(TAIL))
            self.messages.append(record)
        elif entry == "exit":
            program = {"exit_code": record["code"], "stderr": list(record["stderr"])}
            self.exits.append({"connection": record["connection"], **program})
        elif entry == "gap":
            self.gaps.append(record["text"])
        elif entry == "end":
            self.body.add(record, 0)
        else:
            raise KeyError(entry)
        self.ended = entry == "end"

    def cassette(self, head: dict[str, Any]) -> Cassette:
        """The cassette, yet without a script; it may have no frames."""
        gaps = [*self.gaps, *([] if self.ended else ["The recording ended before the session did."])]
        return Cassette(
            protocol="codex",
            provenance=Provenance(
                kind="recorded",
                captured_at=head["captured_at"],
                tool=f"wiretape {__version__}",
                basis=(head["basis"],),
                gaps=tuple(gaps),
            ),
            frames=_frames(self),
            extensions={PROGRAMS: self.exits} if self.exits else {},
        )


def _frames(session: CodexSession) -> tuple[RecordedFrame, ...]:
    """The messages that are whole, in the order in which they were seen."""
    whole, begin = [], 0
    for record in session.messages:
        begin += len(HEAD)
        end = begin + record["length"]
        if end > len(session.body.data):
            break
        whole.append((record["order"], record["at"], record, bytes(session.body.data[begin:end])))
        begin = end + len(TAIL)
    whole.sort(key=lambda each: each[0])
    waits = delays(at for _, at, _, _ in whole)
    return tuple(
        RecordedFrame(
            direction=record["by"],
            delay=delay,
            data=data,
            connection=record["connection"],
        )
        for (_, _, record, data), delay in zip(whole, waits, strict=True)
    )


def joined(first: Cassette, second: Cassette) -> Cassette:
    """Put a session behind an earlier one of the same client: its connections get names of their own."""
    taken = len({frame.connection for frame in first.frames})
    names = {name: f"c{taken + number}" for number, name in enumerate(_connections(second), 1)}
    frames = (replace(frame, connection=names[frame.connection]) for frame in second.frames)
    exits = [{**each, "connection": names[each["connection"]]} for each in _exits(second)]
    return replace(
        first,
        frames=(*first.frames, *frames),
        provenance=replace(
            first.provenance,
            gaps=tuple(dict.fromkeys((*first.provenance.gaps, *second.provenance.gaps))),
        ),
        extensions={**first.extensions, PROGRAMS: [*_exits(first), *exits]},
    )


def _connections(cassette: Cassette) -> list[str]:
    named = [
        *(frame.connection for frame in cassette.frames),
        *(each["connection"] for each in _exits(cassette)),
    ]
    return list(dict.fromkeys(named))


def _exits(cassette: Cassette) -> Sequence[dict[str, Any]]:
    exits: Sequence[dict[str, Any]] = cassette.extensions.get(PROGRAMS, [])
    return exits
