"""How the answers of a session came and ended: what their timelines are drawn from."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any, Final, NamedTuple

from wiretape.cassette import Cassette
from wiretape.reporting.messages import kinds, recorded_messages, recorded_waits
from wiretape.transcript import Chunk, End, Frame, Link, Request, Response, Transcript, is_event_stream

_BARS: Final = 120
"""Points of a timeline; where there are more chunks, each point sums up several."""


def endings(transcript: Transcript) -> dict[str, int]:
    """How often the streams of a session ended how; of an app-server's session, its connections."""
    answers = (each for each in transcript.entries if isinstance(each, Response))
    streams = {each.number for each in answers if is_event_stream(each.headers)}
    how: Counter[str] = Counter(
        each.how for each in transcript.entries if isinstance(each, End) and each.number in streams
    )
    closed = (each for each in transcript.entries if isinstance(each, Link) and each.what == "closed")
    return dict(how) | dict(Counter(f"closed by {each.by}" for each in closed))


def timelines(transcript: Transcript, cassette: Cassette | None) -> list[dict[str, Any]]:
    """The chunks of each event stream, when they were recorded and when they came; an app-server's messages.

    What an app-server says is not what was recorded, message by message: a wait has a recorded time where its
    two messages can be told in the recording.
    """
    return [*_answers(transcript, cassette), *_connections(transcript, cassette)]


def _answers(transcript: Transcript, cassette: Cassette | None) -> list[dict[str, Any]]:
    paths = {each.number: each.path for each in transcript.entries if isinstance(each, Request)}
    ends = {each.number: each.how for each in transcript.entries if isinstance(each, End)}
    chunks: dict[int, list[Chunk]] = {}
    for entry in transcript.entries:
        if isinstance(entry, Chunk):
            chunks.setdefault(entry.number, []).append(entry)
    return [
        {
            "place": f"answer to request {answer.number}",
            "path": paths.get(answer.number, "").partition("?")[0],
            "of": "chunks",
            "end": ends.get(answer.number, "still open"),
            "count": len(chunks[answer.number]),
            "bytes": chunks[answer.number][-1].stop,
            "points": _points([*_waits(transcript, cassette, answer, chunks[answer.number])]),
        }
        for answer in transcript.entries
        if isinstance(answer, Response) and is_event_stream(answer.headers) and answer.number in chunks
    ]


class _Waits(NamedTuple):
    """What was waited for one chunk, in milliseconds; None where nobody knows."""

    recorded: float | None
    played: float | None


def _connections(transcript: Transcript, cassette: Cassette | None) -> Iterator[dict[str, Any]]:
    said = _by_connection(each for each in transcript.entries if isinstance(each, Frame))
    recorded = recorded_messages(cassette.frames if cassette else ())
    links = (each for each in transcript.entries if isinstance(each, Link) and each.what == "closed")
    closed = {each.connection: f"closed by {each.by}" for each in links}
    for number, (connection, both) in enumerate(said.items()):
        frames = [frame for frame in both if frame.direction == "server"]
        if not frames:
            continue
        times = [frames[0].at, *(frame.at for frame in frames)]
        played = [(now - before) * 1000 for before, now in pairwise(times)]
        known = recorded_waits([*kinds(both)], recorded[number] if number < len(recorded) else ())
        yield {
            "place": f"connection {connection}".rstrip(),
            "path": "",
            "of": "messages",
            "end": closed.get(connection, "still open"),
            "count": len(frames),
            "bytes": sum(len(frame.data) for frame in frames),
            "points": _points([*map(_Waits, known, played)]),
        }


def _by_connection(frames: Iterable[Frame]) -> dict[str, list[Frame]]:
    found: dict[str, list[Frame]] = {}
    for frame in frames:
        found.setdefault(frame.connection, []).append(frame)
    return found


def _points(waits: Sequence[_Waits]) -> list[dict[str, Any]]:
    size = -(-len(waits) // _BARS)
    groups = [waits[begin : begin + size] for begin in range(0, len(waits), size)]
    return [
        {
            "count": len(group),
            "recorded_ms": _sum(each.recorded for each in group),
            "played_ms": _sum(each.played for each in group),
        }
        for group in groups
    ]


def _sum(values: Iterator[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(sum(known), 3) if known else None


def _waits(
    transcript: Transcript, cassette: Cassette | None, answer: Response, chunks: Sequence[Chunk]
) -> Iterator[_Waits]:
    arrivals = _Arrivals.of(cassette, answer)
    before = answer.at
    for chunk in chunks:
        waited, before = (chunk.at - before) * 1000, chunk.at
        recorded = arrivals.at(chunk.stop) - arrivals.at(chunk.start) if arrivals else None
        yield _Waits(recorded, waited if transcript.live or recorded is None else None)


class _Arrivals(NamedTuple):
    """When the bytes of a recorded body came."""

    ends: tuple[int, ...]
    times: tuple[float, ...]

    @classmethod
    def of(cls, cassette: Cassette | None, answer: Response) -> _Arrivals | None:
        responses = (each.response for each in (cassette.interactions if cassette else ()))
        for response in responses:
            if response.chunks is not None and response.body == answer.body.template:
                return cls(
                    tuple(accumulate(response.chunks.lengths)), tuple(accumulate(response.chunks.delays))
                )
        return None

    def at(self, offset: int) -> float:
        """Milliseconds until the last byte before ``offset`` was there."""
        return self.times[bisect_left(self.ends, offset)] if offset else 0.0
