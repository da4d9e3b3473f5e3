from __future__ import annotations

import re

import pytest

from tests.server.making import answer_stream, event
from wiretape.cassette.model import Chunks, RecordedResponse
from wiretape.transcript import Body, Patch
from wiretape_server.track import Track, cut, lay

BODY = answer_stream(words=("one ", "two ", "three"))


def _pieces(track: Track) -> list[bytes]:
    """The chunks of a track's frames, as an HTTP reader sees them."""
    rest, found = track.frames, []
    while rest:
        size, _, rest = rest.partition(b"\r\n")
        found.append(rest[: int(size, 16)])
        assert rest[int(size, 16) :][:2] == b"\r\n"
        rest = rest[int(size, 16) + 2 :]
    return found


def _cut(chunks: str, *recorded: tuple[float, int], body: bytes = BODY) -> tuple[list[int], list[float]]:
    delays, lengths = zip(*recorded, strict=True) if recorded else ((), ())
    table = Chunks(delays=delays, lengths=lengths) if recorded else None
    return cut(RecordedResponse(body=body, chunks=table), chunks)


def test_without_a_chunk_table_each_event_is_a_chunk_without_delay() -> None:
    stops, delays = _cut("recorded")
    track = lay(BODY, stops, delays, ())
    assert b"".join(_pieces(track)) == BODY
    assert all(piece.endswith(b"\n\n") for piece in _pieces(track))
    assert len(_pieces(track)) == BODY.count(b"\n\n")
    assert set(delays) == {0.0}


def test_a_tail_without_a_blank_line_is_a_chunk_too() -> None:
    body = event("one") + b"data: unfinished"
    stops, delays = _cut("recorded", body=body)
    assert _pieces(lay(body, stops, delays, ())) == [event("one"), b"data: unfinished"]


def test_a_recorded_table_is_kept_also_where_it_cuts_inside_an_event() -> None:
    stops, delays = _cut("recorded", (0, 3), (20, 10), (5, len(BODY) - 13))
    assert (stops, delays) == ([3, 13, len(BODY)], [0.0, 0.02, 0.005])
    assert _pieces(lay(BODY, stops, delays, ()))[:2] == [BODY[:3], BODY[3:13]]


@pytest.mark.parametrize(
    ("chunks", "count"), [("event", BODY.count(b"\n\n")), ("byte", len(BODY)), ("one", 1)]
)
def test_a_body_can_be_cut_anew(chunks: str, count: int) -> None:
    stops, delays = _cut(chunks, (0, 3), (20, len(BODY) - 3))
    assert len(stops) == len(delays) == count
    assert b"".join(_pieces(lay(BODY, stops, delays, ()))) == BODY


def test_random_cuts_are_those_of_their_seed() -> None:
    assert _cut("random:7") == _cut("random:7")
    assert _cut("random:7") != _cut("random:8")
    assert _cut("random:7")[0][-1] == len(BODY)


@pytest.mark.parametrize("chunks", ["event", "byte", "one", "random:3"])
def test_cutting_anew_sends_no_byte_before_it_was_recorded(chunks: str) -> None:
    stops, delays = _cut(chunks, (10, 3), (20, 100), (70, len(BODY) - 103))
    due = [sum(delays[: index + 1]) for index in range(len(delays))]
    for stop, when in zip(stops, due, strict=True):
        assert when == pytest.approx(0.01 if stop <= 3 else 0.03 if stop <= 103 else 0.1)


@pytest.mark.parametrize("chunks", ["event", "byte", "random:1", "random:2", "one"])
def test_a_patch_reaches_the_wire_whole_wherever_chunks_cut_it(chunks: str) -> None:
    old, new = b"33333333-3333-4333-8333-333333333333", b"abcdefgh-ijkl-mnop-qrst-uvwxyzABCDEF"
    places = tuple(Patch(match.start(), old, 0, len(old)) for match in re.finditer(old, BODY))
    assert places
    stops, delays = _cut(chunks)
    track = lay(BODY, stops, delays, places)
    sent = Body(track.frames, track.patches, {old: new})
    by_chunk = [sent.bytes(track.frame_start(index), track.frame_stops[index]) for index in range(len(stops))]
    assert b"".join(by_chunk) == sent.bytes()
    patched = Track(
        stops=(), delays=(), frames=sent.bytes(), frame_stops=(), patches=(), patched=b"", tail=b""
    )
    assert b"".join(_pieces(patched)) == BODY.replace(old, new)


def test_the_track_of_a_resumed_body_starts_in_the_middle_of_a_chunk() -> None:
    stops, delays = [10, 20, len(BODY)], [0.1, 0.2, 0.3]
    track = lay(BODY, stops, delays, (), start=15)
    assert _pieces(track) == [BODY[15:20], BODY[20:]]
    assert (track.start, list(track.delays)) == (15, [0.2, 0.3])


def test_the_track_for_an_http_1_0_client_has_no_framing() -> None:
    stops, delays = _cut("event")
    track = lay(BODY, stops, delays, (), chunked=False)
    assert (track.frames, track.tail) == (BODY, b"")
    assert track.frame_stops == stops


def test_a_body_without_bytes_has_no_chunks() -> None:
    stops, delays = _cut("recorded", body=b"")
    assert (stops, delays) == ([], [])
