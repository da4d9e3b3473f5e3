"""A response body, cut into chunks and framed for HTTP/1.1 once: what a stream only has to write."""

from __future__ import annotations

import random
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import sub

from wiretape.cassette.model import RecordedResponse
from wiretape.sse import event_ends
from wiretape.transcript import EndHow, Patch

_RANDOM_SIZES = (1, 64)
"""Bytes: a stream of a few hundred bytes is cut inside lines, escapes and CRLFs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """Chunk ``i`` is the body up to ``stops[i]``, sent ``delays[i]`` seconds after the chunk before.

    ``frames`` holds all chunks with their framing, chunk ``i`` up to ``frame_stops[i]``; ``patches`` are the
    body's, moved to where their bytes are in ``frames`` (one that is cut by a chunk's end is two there).
    ``patched`` has a 1 for each chunk that a patch touches, ``start`` is the body's first byte that is sent,
    ``tail`` ends the body.
    """

    stops: Sequence[int]
    delays: Sequence[float]
    frames: bytes
    frame_stops: Sequence[int]
    patches: Sequence[Patch]
    patched: bytes
    tail: bytes
    start: int = 0

    def frame_start(self, index: int) -> int:
        """Where chunk ``index`` starts in ``frames``."""
        return self.frame_stops[index - 1] if index else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Faulted:
    """What faults make of an answer: how much of it is sent at first, and how that ends.

    Its delays are those of the play's pace already.
    """

    track: Track
    how: EndHow
    tail: bytes | None = None
    """What is written where the end of a chunked body would be; None: what belongs there."""
    gap: tuple[int, int] | None = None
    """Bytes that a resume leaves out."""
    content_type: str = ""
    struck: tuple[str, ...] = ()
    """The faults, as they are written."""
    spoiled: bool = False
    """Whether a client may end its session here."""


def cut(response: RecordedResponse, chunks: str) -> tuple[list[int], list[float]]:
    """Where a body is cut and the delay in seconds before each piece, for one of the ``chunks`` options."""
    stops, delays = _recorded(response)
    if chunks == "recorded":
        return stops, delays
    new_stops = _recut(response.body, chunks)
    return new_stops, _redelay(new_stops, stops, delays)


def _recorded(response: RecordedResponse) -> tuple[list[int], list[float]]:
    if response.chunks is None:
        stops = _event_ends(response.body)
        return stops, [0.0] * len(stops)
    return list(accumulate(response.chunks.lengths)), [each / 1000 for each in response.chunks.delays]


def _event_ends(body: bytes) -> list[int]:
    ends = event_ends(body)
    return ends if not body or (ends and ends[-1] == len(body)) else [*ends, len(body)]


def _recut(body: bytes, chunks: str) -> list[int]:
    size = len(body)
    if chunks == "event":
        return _event_ends(body)
    if chunks == "byte":
        return list(range(1, size + 1))
    if chunks == "one":
        return [size] if size else []
    return list(_random_stops(size, int(chunks.removeprefix("random:"))))


def _random_stops(size: int, seed: int) -> Iterator[int]:
    draw = random.Random(seed)
    stop = 0
    while stop < size:
        stop = min(size, stop + draw.randint(*_RANDOM_SIZES))
        yield stop


def _redelay(new_stops: Sequence[int], stops: Sequence[int], delays: Sequence[float]) -> list[float]:
    """Send a new chunk when its last byte was recorded, so that cutting anew changes no timing."""
    times = list(accumulate(delays))
    due = [times[bisect_left(stops, stop)] for stop in new_stops]
    return [when - before for before, when in zip([0.0, *due], due, strict=False)]


def lay(
    body: bytes,
    stops: Sequence[int],
    delays: Sequence[float],
    patches: Sequence[Patch],
    *,
    chunked: bool = True,
    start: int = 0,
) -> Track:
    """Frame a body from byte ``start`` on; not ``chunked`` is the bare body for an HTTP/1.0 client."""
    first = bisect_right(stops, start)
    stops, delays = stops[first:], delays[first:]
    starts = [start, *stops][:-1]
    lengths = list(map(sub, stops, starts))
    foot = b"\r\n" if chunked else b""
    heads = {length: b"%x\r\n" % length if chunked else b"" for length in set(lengths)}
    sizes = {length: len(head) + length + len(foot) for length, head in heads.items()}
    pieces = [foot] * (3 * len(stops))
    pieces[::3] = [heads[length] for length in lengths]
    pieces[1::3] = [body[begin:stop] for begin, stop in zip(starts, stops, strict=True)]
    frame_stops = list(accumulate([sizes[length] for length in lengths]))
    moved = list(_moved(patches, stops, [end - len(foot) for end in frame_stops], start))
    patched = bytearray(len(stops))
    for patch in moved:
        patched[bisect_right(frame_stops, patch.offset)] = 1
    return Track(
        stops=stops,
        delays=delays,
        frames=b"".join(pieces),
        frame_stops=frame_stops,
        patches=moved,
        patched=bytes(patched),
        tail=b"0\r\n\r\n" if chunked else b"",
        start=start,
    )


def _moved(
    patches: Sequence[Patch], stops: Sequence[int], frame_stops: Sequence[int], start: int
) -> Iterator[Patch]:
    """The patches of a body, at their places in its frames, where chunk ``i`` has its last byte before
    ``frame_stops[i]``. What lies behind the last chunk is left out."""
    last = stops[-1] if stops else start
    for patch in patches:
        low, high = max(patch.offset, start), min(last, patch.offset + patch.end - patch.begin)
        while low < high:
            index = bisect_right(stops, low)
            stop = min(high, stops[index])
            shift = patch.begin - patch.offset
            yield Patch(frame_stops[index] + low - stops[index], patch.key, low + shift, stop + shift)
            low = stop
