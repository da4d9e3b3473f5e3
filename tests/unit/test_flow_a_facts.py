from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.flow_a_wire import (
    CALL_ID,
    CLOSING,
    CONVERSATION,
    DONE,
    HEAD,
    answer_stream,
    call_message,
    call_stream,
    complete,
    event,
    message,
    opening,
)
from wiretape.flow_a.facts import StreamFacts, read_stream

STREAMS = Path(__file__).parents[1] / "vectors" / "flow_a" / "streams"


def ends(chunks: list[bytes]) -> list[int]:
    return [sum(map(len, chunks[: index + 1])) for index in range(len(chunks))]


def test_a_call_opens_and_closes_behind_the_events_that_say_so() -> None:
    chunks = call_stream()
    facts = read_stream(b"".join(chunks))
    (call,) = facts.calls
    assert (call.id, call.tool, call.recipient) == (CALL_ID, "alefita_way", "local.alefita_way")
    assert [call.opened, call.closed, facts.complete_at, facts.done_at] == ends(chunks)[1:]
    assert facts.conversation_id == CONVERSATION
    assert not facts.answered
    assert not facts.errors


def test_comments_between_events_do_not_shift_the_offsets() -> None:
    chunks = [b": hello\n\n", HEAD, b":\n\n", opening(call_message("{}")), b"id: 7\n\n", CLOSING, DONE]
    facts = read_stream(b"".join(chunks))
    (call,) = facts.calls
    assert [call.opened, call.closed, facts.done_at] == [ends(chunks)[index] for index in (3, 5, 6)]


def test_a_call_that_is_whole_in_its_opening_frame_opens_and_closes_at_once() -> None:
    whole = call_message("{}") | {"status": "finished_successfully"}
    (call,) = read_stream(b"".join([HEAD, opening(whole), DONE])).calls
    assert call.opened == call.closed


def test_a_call_that_is_never_closed_says_so() -> None:
    (call,) = read_stream(b"".join([HEAD, opening(call_message("{}")), complete(), DONE])).calls
    assert call.closed is None


def test_arguments_that_grow_are_taken_as_they_are_at_the_end() -> None:
    grow = event({"p": "/message/content/text", "o": "append", "v": '"eco"}'}, "delta")
    (call,) = read_stream(b"".join([HEAD, opening(call_message('{"message": ')), grow, CLOSING])).calls
    assert call.text == '{"message": "eco"}'


def test_a_message_to_a_servers_tool_is_no_call_of_the_clients() -> None:
    facts = read_stream(b"".join([HEAD, opening(message("w1", "web.run")), DONE]))
    assert facts.calls == ()
    assert [call.tool for call in facts.server_calls] == ["web.run"]


def test_a_users_or_tools_message_is_no_call_whatever_its_recipient() -> None:
    tool = message("t1", "local.x", author={"role": "tool", "name": "x"})
    facts = read_stream(b"".join([HEAD, opening(tool), DONE]))
    assert facts.calls == facts.server_calls == ()
    assert facts.message_ids == ("t1",)


def test_a_classic_envelope_counts_like_a_decoded_one() -> None:
    chunks = [event({"message": call_message("{}"), "conversation_id": CONVERSATION}), DONE]
    facts = read_stream(b"".join(chunks))
    assert [call.opened for call in facts.calls] == ends(chunks)[:1]
    assert facts.conversation_id == CONVERSATION


def test_a_message_that_closes_the_turn_is_the_answer() -> None:
    assert read_stream(b"".join(answer_stream())).answered


def test_messages_without_an_id_are_left_out() -> None:
    facts = read_stream(b"".join([HEAD, opening(message("", "local.x")), opening({"id": 3}), DONE]))
    assert facts.message_ids == ()


def test_what_does_not_decode_is_listed_and_the_rest_is_read() -> None:
    bad = event({"p": "", "o": "nonsense", "v": 1}, "delta")
    facts = read_stream(b"".join([HEAD, bad, opening(call_message("{}")), CLOSING]))
    assert len(facts.calls) == 1
    assert [error.split(":")[:2] for error in facts.errors] == [["event 2", " op"]]


def test_renaming_gives_what_reading_the_reminted_bytes_gives() -> None:
    body = b"".join(call_stream(f'{{"message": "{CONVERSATION}"}}'))
    values = {
        CALL_ID.encode(): b"11111111-2222-4333-8444-555555555555",
        CONVERSATION.encode(): b"00000000-0000-4000-8000-0000000000c3",
    }
    reminted = body
    for old, new in values.items():
        reminted = reminted.replace(old, new)
    assert read_stream(body).renamed(values) == read_stream(reminted)


def test_renaming_nothing_gives_the_same_facts() -> None:
    facts = StreamFacts(conversation_id=None)
    assert facts.renamed({}) is facts
    assert facts.renamed({b"a": b"b"}).conversation_id is None


@pytest.mark.parametrize("path", sorted(STREAMS.glob("*.sse")), ids=lambda path: path.stem)
def test_every_example_stream_is_read_without_errors(path: Path) -> None:
    facts = read_stream(path.read_bytes())
    assert facts.errors == ()
    local = [call.tool for call in facts.calls]
    assert local == (["alefita_way"] if path.stem.startswith("local_tool_call") else [])
