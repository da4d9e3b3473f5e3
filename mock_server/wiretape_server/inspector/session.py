"""One play, read for people: its lines in order, its verdict, all of it without secrets."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias

from wiretape import transcript_file, verify
from wiretape.contract import Finding, Report
from wiretape.timeline import Row, reader
from wiretape.transcript import (
    Chunk,
    End,
    Entry,
    Frame,
    Link,
    Request,
    Response,
    Transcript,
    is_from_client,
)

Kind: TypeAlias = Literal["request", "answer", "chunk", "event", "end", "message", "connection", "fault"]
SHOW: Final[Mapping[str, str]] = {
    "decoded": "All but chunks",
    "all": "All, with chunks",
    "client": "From the client",
    "server": "From the server",
    "requests": "Requests and answers",
    "blamed": "With findings",
}
"""The filters by their names, and what people read."""
_MOST_SEARCHES: Final = 16
"""Searches whose lines are kept."""
_PLACE: Final = re.compile(r"\((request|frame) ([0-9]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the timeline."""

    number: int
    """Its place in the session, from 0."""
    entry: int
    """The index of the transcript's entry that it belongs to."""
    kind: Kind
    row: Row
    event: int = 0
    """For an event: its number within its answer, from 1."""
    findings: tuple[Finding, ...] = ()
    """What rules blame there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A play as far as it has come."""

    transcript: Transcript
    """Without secrets."""
    report: Report
    lines: Sequence[Line]
    matches: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    """The lines that a search has found, kept: a list is read block by block."""

    def found(self, find: str, show: str) -> list[int]:
        """The numbers of the lines that a filter shows and that hold a text."""
        key = find.casefold(), show
        known = self.matches.get(key)
        if known is None:
            known = [line.number for line in self.lines if _is_shown(line, show) and _holds(line.row, key[0])]
            if len(self.matches) >= _MOST_SEARCHES:
                self.matches.clear()
            self.matches[key] = known
        return known

    @property
    def asked(self) -> int:
        """How many requests or messages the client has sent."""
        return sum(map(is_from_client, self.transcript.entries))


def read(transcript: Transcript) -> Session:
    """Read a play. The verdict on a redacted transcript is the same."""
    hidden = transcript_file.load(transcript_file.dump(transcript))
    report = verify(hidden)
    return Session(transcript=hidden, report=report, lines=tuple(_lines(hidden, _by_place(report))))


def _by_place(report: Report) -> Mapping[tuple[str, int], list[Finding]]:
    """The failed findings by the entry that they speak of."""
    places: dict[tuple[str, int], list[Finding]] = defaultdict(list)
    for finding in report.findings:
        place = _PLACE.search(finding.at) if finding.failed else None
        if place:
            kind = "answer" if finding.at.startswith("answer to POST") else place[1]
            places[kind, int(place[2])].append(finding)
    return places


def _lines(transcript: Transcript, blamed: Mapping[tuple[str, int], list[Finding]]) -> Iterator[Line]:
    take = reader(transcript.protocol)
    number = frames = 0
    for index, entry in enumerate(transcript.entries):
        frames += isinstance(entry, Frame)
        findings = tuple(blamed.get(_place(entry, frames), ()))
        for line in _of_entry(entry, [*take(entry)]):
            yield replace(line, number=number, entry=index, findings=findings)
            number, findings = number + 1, ()


def _place(entry: Entry, frames: int) -> tuple[str, int]:
    if isinstance(entry, Frame):
        return "frame", frames
    if isinstance(entry, Request):
        return "request", entry.number
    return ("answer", entry.number) if isinstance(entry, Response) else ("", 0)


def _of_entry(entry: Entry, rows: list[Row]) -> Iterator[Line]:
    kind = _KINDS.get(type(entry), "fault")
    if isinstance(entry, Chunk):
        row = Row(
            at=entry.at,
            place=str(entry.number),
            side="server",
            event="chunk",
            op=f"{entry.stop - entry.start} bytes",
            text=f"bytes {entry.start}–{entry.stop} of the body",
        )
        yield Line(number=0, entry=0, kind="chunk", row=row)
    for row in rows or _bare(entry):
        event = row.place.partition(".")[2]
        yield Line(number=0, entry=0, kind=kind, row=row, event=int(event) if event.isdigit() else 0)


def _bare(entry: Entry) -> Iterator[Row]:
    """What a protocol's own timeline leaves out: HTTP of a model's provider, and what is new."""
    if isinstance(entry, Request):
        yield Row(at=entry.at, place=str(entry.number), side="client", event=f"{entry.method} {entry.path}")
    elif isinstance(entry, Response):
        yield Row(at=entry.at, place=str(entry.number), side="server", event=str(entry.status))
    elif isinstance(entry, End):
        yield Row(at=entry.at, place=str(entry.number), side="server", event=f"end: {entry.how}")
    elif not isinstance(entry, (Chunk, Frame, Link)):
        yield Row(at=entry.at, place=entry.connection, side="server", event=f"fault: {entry.fault}")


_KINDS: Final[Mapping[type, Kind]] = {
    Request: "request",
    Response: "answer",
    Chunk: "event",
    End: "end",
    Frame: "message",
    Link: "connection",
}


def _is_shown(line: Line, show: str) -> bool:
    if show == "blamed":
        return bool(line.findings)
    if show == "requests":
        return line.kind in ("request", "answer", "message", "end")
    if show in ("client", "server"):
        return line.row.side == show and line.kind != "chunk"
    return show == "all" or line.kind != "chunk"


def _holds(row: Row, find: str) -> bool:
    return not find or any(find in text.casefold() for text in (row.event, row.op, row.text, row.place))
