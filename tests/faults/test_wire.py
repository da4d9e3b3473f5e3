"""What is on the wire under each fault, byte by byte."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from tests.server.clockwork import Clockwork
from tests.server.wire import Wire, ask
from wiretape import load_cassette
from wiretape.faults.delivery import DELAY, JITTER
from wiretape.faults.events import read_events
from wiretape.flow_a.stream import decode
from wiretape.transcript import Chunk, End
from wiretape_server.options import OptionError, PlayOptions
from wiretape_server.thread import Playback, ServerThread

Play = Callable[..., Playback]

API = "/backend-api"
PATH = f"{API}/f/conversation"
CASSETTE = "alefita_way_split_arguments"
RECORDED = load_cassette(CASSETTE).interactions
TURN, RETURN = (json.loads(each.request.body) for each in RECORDED)
BODY = RECORDED[0].response.body
EVENTS = read_events(BODY)
FOURTH = EVENTS[3].start


def to_the_end(playback: Playback, request: object = TURN) -> tuple[str, bytes, str]:
    """Everything that a conversation request brings: content type, raw body, and how the connection ends."""
    with Wire(playback.base_url) as wire:
        answer = wire.ask("POST", PATH, request, connection="close")
        raw = b""
        try:
            raw = wire.to_the_end()
            how = "closed"
        except ConnectionResetError:
            raw, how = wire.at_hand(1 << 20), "reset"
        return answer.headers["content-type"], raw, how


def unframed(raw: bytes) -> tuple[bytes, bytes]:
    """The chunks of a raw body joined, and what comes behind the last one that is whole."""
    body = b""
    while (head := re.match(rb"([0-9a-f]+)\r\n", raw)) and int(head[1], 16):
        size = int(head[1], 16)
        body += raw[head.end() : head.end() + size]
        raw = raw[head.end() + size + 2 :]
    return body, raw


@pytest.mark.parametrize(
    ("fault", "stop", "tail"),
    [
        ("cut@event:4", FOURTH, b""),
        ("cut@byte:101", 100, b""),
        ("cut@event:1", 0, b""),
        ("cut-inside@event:4", (FOURTH + EVENTS[3].stop) // 2, b""),
        ("bad-chunk@event:4", FOURTH, b"ZZ\r\n"),
        ("early-end@event:4", FOURTH, b"0\r\n\r\n"),
        ("early-end@event:1", 0, b"0\r\n\r\n"),
    ],
)
def test_a_stream_ends_early(play: Play, fault: str, stop: int, tail: bytes) -> None:
    kind, raw, how = to_the_end(play(CASSETTE, fault))
    assert unframed(raw) == (BODY[:stop], tail)
    assert (kind.partition(";")[0], how) == ("text/event-stream", "closed")


def test_a_character_is_cut(play: Play) -> None:
    escaped = next(event for event in EVENTS if b"\\u" in event.block)
    body, tail = unframed(to_the_end(play(CASSETTE, f"cut-character@event:{escaped.number}"))[1])
    assert re.search(rb"\\u[0-9a-f]{2}\Z", body)
    assert (BODY.startswith(body), tail) == (True, b"")


def test_a_connection_is_reset(play: Play) -> None:
    playback = play(CASSETTE, "reset@event:4")
    with Wire(playback.base_url) as wire:
        answer = wire.ask("POST", PATH, TURN)
        with pytest.raises(ConnectionResetError):
            answer.body()
    assert [each.how for each in playback.transcript().entries if isinstance(each, End)] == ["reset"]


def test_a_stalled_stream_stays_open_without_a_byte_more(play: Play) -> None:
    playback = play(CASSETTE, "stall@event:4")
    with Wire(playback.base_url) as wire:
        chunks = wire.ask("POST", PATH, TURN).chunks()
        body = b""
        while len(body) < FOURTH:
            body += next(chunks)
        assert body == BODY[:FOURTH]
        assert wire.is_silent()
    assert playback.wait_idle(5.0)


EDITED = ["duplicate", "drop", "reorder", "unknown-op", "unknown-field", "unknown-event", "invalid-json"]


@pytest.mark.parametrize("kind", [*EDITED, "invalid-utf8", "error-event"])
def test_a_changed_event_is_changed_on_the_wire_and_all_else_is_as_recorded(play: Play, kind: str) -> None:
    body, tail = unframed(to_the_end(play(CASSETTE, f"{kind}@event:6"))[1])
    before, after = EVENTS[5].start, EVENTS[6].stop
    rest = BODY[after:]
    assert tail == b"0\r\n\r\n"
    assert body != BODY
    assert body.startswith(BODY[:before])
    assert body.endswith(rest)
    changed = body[before : len(body) - len(rest)]
    sixth, seventh = EVENTS[5].block, EVENTS[6].block
    assert {
        "duplicate": changed == sixth + sixth + seventh,
        "drop": changed == seventh,
        "reorder": changed == seventh + sixth,
        "unknown-op": b'"o": "wiretape_unknown"' in changed,
        "unknown-field": b'"wiretape_unknown": "wiretape_unknown"' in changed,
        "unknown-event": changed.endswith(sixth + seventh) and b'"type": "wiretape_unknown"' in changed,
        "invalid-json": len(changed) == len(sixth + seventh) - 1,
        "invalid-utf8": b"\xff" in changed and len(changed) == len(sixth + seventh),
        "error-event": changed.endswith(sixth + seventh) and b'"error": "Something' in changed,
    }[kind]


def test_a_stream_is_announced_as_something_else(play: Play) -> None:
    kind, raw, _ = to_the_end(play(CASSETTE, "content-type@request:1"))
    assert kind == "text/html; charset=utf-8"
    assert unframed(raw) == (BODY, b"0\r\n\r\n")


@pytest.mark.parametrize(("fault", "longest"), [("delay@event:4", DELAY), ("jitter@event:4", JITTER)])
def test_a_pause_changes_no_byte_and_comes_once_at_its_place(fault: str, longest: float) -> None:
    clockwork = Clockwork()
    options = PlayOptions.parse(pace="instant", ids="recorded", faults=[fault])
    with ServerThread(wheel=clockwork.wheel(), clock=clockwork.now) as server:
        playback = server.play(load_cassette(CASSETTE), options)
        with Wire(playback.base_url) as wire:
            chunks = wire.ask("POST", PATH, TURN).chunks()
            body = b""
            while len(body) < FOURTH:
                body += next(chunks)
            assert body == BODY[:FOURTH]
            server.call(clockwork.advance, longest)
            assert body + b"".join(chunks) == BODY
        at = {each.start: each.at for each in playback.transcript().entries if isinstance(each, Chunk)}
    before, after = sorted(set(at.values()))
    assert (at[EVENTS[2].start], at[FOURTH]) == (before, after)
    assert after - before <= longest + 1e-6


@pytest.mark.parametrize(("fault", "offset"), [("handoff@request:1", 3), ("resume@event:6", 6)])
def test_a_stream_is_handed_off_and_resumed_with_the_offset(play: Play, fault: str, offset: int) -> None:
    playback = play(CASSETTE, fault)
    url = playback.base_url
    first = ask(url, "POST", PATH, TURN).body()
    result = decode(first)
    assert (result["done"], result["events"][-1]["type"]) == (True, "stream_handoff")
    body = {"conversation_id": result["events"][0]["conversation_id"], "offset": offset}
    rest = ask(url, "POST", f"{PATH}/resume", body, x_conduit_token="t").body()
    kept = read_events(first)[-2].start
    assert first[:kept] + rest == BODY
    whole = ask(url, "POST", f"{PATH}/resume", {**body, "offset": 0}).body()
    assert [event.block for event in read_events(whole)] == [event.block for event in EVENTS]
    before = ask(url, "POST", f"{PATH}/resume", {**body, "offset": offset - 1}, x_conduit_token="t").body()
    assert before == rest


def test_a_broken_stream_is_resumed_where_it_broke(play: Play) -> None:
    playback = play(CASSETTE, "cut-inside@event:6")
    first, _ = unframed(to_the_end(playback)[1])
    conversation = decode(first)["events"][0]["conversation_id"]
    body = {"conversation_id": conversation, "offset": 5}
    rest = ask(playback.base_url, "POST", f"{PATH}/resume", body, x_conduit_token="t").body()
    assert first[: EVENTS[5].start] + rest == BODY


def test_ids_in_changed_answers_are_made_anew_like_all_others(play: Play) -> None:
    faults = ("duplicate@event:*", "unknown-field@event:4", "resume@event:9")
    playback = play(CASSETTE, *faults, ids="fresh")
    body = ask(playback.base_url, "POST", PATH, TURN).body()
    recorded = decode(BODY)
    result = decode(body)
    ids = {event["conversation_id"] for event in result["events"] if "conversation_id" in event}
    assert len(ids) == 1
    for old in (recorded["events"][0]["conversation_id"], recorded["messages"][-1]["id"]):
        assert old.encode() in BODY
        assert old.encode() not in body
    assert playback.transcript().bodies()[1] == body


def test_a_client_of_http_1_0_gets_the_same_bytes_without_chunks(play: Play) -> None:
    with Wire(play(CASSETTE, "cut@event:4").base_url) as wire:
        wire.send("POST", PATH, TURN, version="HTTP/1.0")
        assert wire.answer().body() == BODY[:FOURTH]


def test_the_same_seed_gives_the_same_pauses(play: Play) -> None:
    def delays(seed: int) -> list[float]:
        play_of = play(CASSETTE, "jitter@event:*", seed=seed)._play
        conversation = play_of.script.conversations[0]
        return list(play_of.faulty.part(conversation.parts[0], conversation, 1).track.delays)

    assert delays(1) == delays(1) != delays(2)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("cut@event:99", "hits nothing in alefita_way_split_arguments"),
        ("drop@type:nothing", "Choose another place; --dry-run lists what is hit"),
        ("eof@event:3", "eof is a fault of codex, and alefita_way_split_arguments is flow_a"),
        ("cat@event:3", "there is no kind 'cat'"),
    ],
)
def test_a_fault_that_would_hit_nothing_is_refused(play: Play, fault: str, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        play(CASSETTE, fault)


def test_faults_in_each_others_way_are_refused(play: Play) -> None:
    with pytest.raises(OptionError, match="change the same bytes"):
        play(CASSETTE, "drop@event:4", "invalid-json@event:4")


def test_the_cassette_and_other_plays_of_it_stay_as_they_are(play: Play) -> None:
    faulty = play(CASSETTE, "drop@event:*")
    sound = play(CASSETTE)
    assert ask(faulty.base_url, "POST", PATH, TURN).body() == b""
    assert ask(sound.base_url, "POST", PATH, TURN).body() == BODY
    assert faulty.cassette == sound.cassette == load_cassette(CASSETTE)
    assert (faulty.transcript().faults, sound.transcript().faults) == (("drop@event:*",), ())


def test_a_bad_chunk_is_no_part_of_a_body_that_has_no_chunks(play: Play) -> None:
    with Wire(play(CASSETTE, "bad-chunk@event:4").base_url) as wire:
        wire.send("POST", PATH, TURN, version="HTTP/1.0")
        assert wire.answer().body() == BODY[:FOURTH]
