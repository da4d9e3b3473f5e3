"""Which recorded wait is drawn beside a replayed one of an app-server: only what can be told."""

from __future__ import annotations

import json
from typing import Any

from wiretape.cassette import Cassette, load_cassette
from wiretape.cassette.model import Provenance, RecordedFrame
from wiretape.reporting.messages import Recorded, kinds, recorded_waits
from wiretape.reporting.streams import timelines
from wiretape.transcript import Frame, Transcript


def recorded(*messages: tuple[str, float, Any], connection: str = "") -> tuple[RecordedFrame, ...]:
    return tuple(
        RecordedFrame(
            direction="client" if arrow == ">" else "server",
            delay=delay,
            data=json.dumps(message).encode(),
            connection=connection,
        )
        for arrow, delay, message in messages
    )


def waits(played: str, taped: list[tuple[str, float]]) -> list[float | None]:
    return recorded_waits(list(played), [Recorded(*each) for each in taped])


def test_a_message_is_of_the_kind_of_its_method_or_of_what_it_answers() -> None:
    frames = recorded(
        (">", 0, {"id": 1, "method": "initialize", "params": {}}),
        ("<", 5, {"id": 1, "result": {}}),
        ("<", 5, {"id": 1, "method": "item/tool/call", "params": {}}),
        (">", 5, {"id": 1, "result": {}}),
        ("<", 5, {"id": 2, "error": {"code": 1, "message": "x"}}),
        ("<", 5, {"method": "turn/started"}),
        ("<", 5, 3),
    )
    assert [*kinds(frames)] == ["answer to initialize", "item/tool/call", "answer to ", "turn/started", ""]


def test_messages_are_told_by_kind_and_order() -> None:
    assert waits("aba", [("a", 10), ("b", 30), ("a", 35)]) == [0, 20, 5]


def test_what_is_not_in_both_as_often_has_no_recorded_wait_nor_has_the_message_behind_it() -> None:
    taped = [("a", 10.0), ("b", 30.0), ("b", 31.0), ("c", 35.0), ("d", 40.0)]
    assert waits("abcd", taped) == [0, None, None, 5]
    assert waits("xad", taped) == [None, None, 30]
    assert waits("", taped) == []


def test_two_messages_that_came_the_other_way_round_have_no_wait_between_them() -> None:
    assert waits("ba", [("a", 10), ("b", 30)]) == [0, None]


def test_what_is_no_message_stands_for_nothing() -> None:
    assert recorded_waits([""], [Recorded("", 10)]) == [None]


def test_connections_are_told_by_their_order() -> None:
    notice = {"method": "turn/started"}
    tape = Cassette(
        protocol="codex",
        provenance=Provenance(kind="synthetic"),
        frames=recorded(("<", 1, notice), ("<", 7, {"method": "b"}), connection="x")
        + recorded(("<", 4, notice), (">", 5, {"method": "initialized"}), ("<", 6, {"method": "b"})),
    )
    entries = [
        Frame(connection=name, direction="server", data=frame.data, at=0.0)
        for name in ("c1", "c2", "c3")
        for frame in tape.frames[:2]
    ]
    entries.append(Frame(connection="silent", direction="client", data=b"{}", at=0.0))
    drawn = timelines(Transcript(protocol="codex", entries=entries), tape)
    assert [[point["recorded_ms"] for point in each["points"]] for each in drawn] == [
        [0, 7],
        [0, 11],
        [None, None],
    ]


def test_a_recording_that_is_replayed_as_it_was_has_all_its_waits() -> None:
    tape = load_cassette("plain_turn")
    entries = [
        Frame(connection="c1", direction=each.direction, data=each.data, at=0.0) for each in tape.frames
    ]
    (drawn,) = timelines(Transcript(protocol="codex", entries=entries), tape)
    assert None not in [point["recorded_ms"] for point in drawn["points"]]
    assert sum(point["recorded_ms"] for point in drawn["points"]) > 100
