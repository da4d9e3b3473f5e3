"""The bundled cassettes hold what they say: streams, calls, arguments, provenance."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

import pytest

from tests.schemas import complaint
from wiretape import strictjson
from wiretape.cassette import Cassette, Interaction, bundled, bundled_directory, load_cassette
from wiretape.flow_a.messages import member
from wiretape.flow_a.rules import RULES
from wiretape.flow_a.stream import StreamDecoder
from wiretape.sse import EventStreamDecoder, event_ends

NAMES = bundled()
UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
CASSETTES = {name: load_cassette(f"flow_a/{name}") for name in NAMES}
ECHO = {"message": "segundo eco do caminho"}
HARD = {"message": "eco não linear \U0001f300 até \U0001f680 o fim"}
HANDOFF = {
    "prompt": "Build a small website for a bakery: a home page and a page with the opening hours, "
    "as files to download.",
    "reason": "Work mode can create the files and hand them over.",
}
CALLS: dict[str, list[tuple[str, dict[str, str]]]] = {
    "alefita_way": [("local.alefita_way", ECHO)],
    "alefita_way_functions_recipient": [("functions.alefita_way", ECHO)],
    "alefita_way_split_arguments": [("local.alefita_way", HARD)],
    "handoff": [("local.handoff", HANDOFF)],
    "handoff_declined": [("local.handoff", HANDOFF)],
    "interleaved_channels": [("local.alefita_way", {"message": "eco entre canais"})],
    "plain_answer": [],
    "server_tool": [],
    "two_calls": [
        ("local.alefita_way", {"message": "primeiro eco"}),
        ("local.order_status", {"order_number": "BR-4711"}),
    ],
}
ANSWERS = {
    "alefita_way": "I executed the alefita_way tool, as you asked. It returned an echo: "
    '"segundo eco do caminho".'
    "\n\nMickey Mouse first appeared in public in Steamboat Willie, on 18 November 1928.",
    "alefita_way_split_arguments": "I executed the alefita_way tool. It returned an echo: "
    f'"{HARD["message"]}".',
    "interleaved_channels": "The echo is: eco entre canais.",
    "plain_answer": "ha ha ha, 2000 and 5000",
    "server_tool": "The release list names Python 3.13.7, of 14 August 2025.",
    "two_calls": 'The echo came back as "primeiro eco". Order BR-4711 left the warehouse on 26 August.',
}


def decoded(interaction: Interaction) -> StreamDecoder:
    events = EventStreamDecoder()
    stream = StreamDecoder()
    for event in events.feed(interaction.response.body) + events.close():
        stream.feed(event)
    assert not events.unterminated_tail
    return stream


def messages(cassette: Cassette) -> list[dict[str, Any]]:
    return [message for each in cassette.interactions for message in decoded(each).messages]


def calls(cassette: Cassette) -> list[dict[str, Any]]:
    return [each for each in messages(cassette) if each["recipient"].startswith(("local.", "functions."))]


def request(interaction: Interaction) -> dict[str, Any]:
    body = strictjson.loads(interaction.request.body)
    assert isinstance(body, dict)
    return body


def test_the_bundled_cassettes_are_the_ones_described() -> None:
    assert sorted(CALLS) == NAMES


@pytest.fixture(params=NAMES)
def cassette(request: pytest.FixtureRequest) -> Cassette:
    return CASSETTES[request.param]


def test_every_stream_decodes_without_error_and_is_complete(cassette: Cassette) -> None:
    for interaction in cassette.interactions:
        stream = decoded(interaction)
        assert stream.errors == []
        assert stream.complete
        assert stream.done
        types = [event["type"] for event in stream.events]
        assert "message_stream_complete" in types
        assert interaction.response.body.endswith(b"\n\ndata: [DONE]\n\n")


def test_the_calls_are_the_described_ones_with_whole_arguments(cassette: Cassette) -> None:
    found = [(call["recipient"], json.loads(call["content"]["text"])) for call in calls(cassette)]
    assert found == CALLS[cassette.name.removeprefix("flow_a/")]


def test_every_call_is_of_the_captured_shape_and_closed(cassette: Cassette) -> None:
    for call in calls(cassette):
        assert complaint("call-message", call) is None
        assert call["status"] == "finished_successfully"
        assert (call["channel"], call["end_turn"], call["author"]["name"]) == ("commentary", None, None)


@pytest.mark.parametrize("name", ANSWERS)
def test_the_answer_reads_as_described(name: str) -> None:
    *_, last = (each for each in messages(CASSETTES[name]) if each["channel"] == "final")
    assert last["content"]["parts"] == [ANSWERS[name]]
    assert (last["status"], last["end_turn"], last["recipient"]) == ("finished_successfully", True, "all")


def test_only_the_last_stream_closes_the_turn(cassette: Cassette) -> None:
    closing = [
        any(message["end_turn"] is True for message in decoded(each).messages)
        for each in cassette.interactions
    ]
    assert closing == [False] * (len(closing) - 1) + [True]


def test_every_delta_is_padded_to_a_multiple_of_eight(cassette: Cassette) -> None:
    deltas = 0
    for interaction in cassette.interactions:
        for event in EventStreamDecoder().feed(interaction.response.body):
            text = event.data.rstrip(" ")
            is_delta = event.event == "delta"
            deltas += is_delta
            padding = -len(text) % 8 if is_delta else 0
            assert event.data == text + " " * padding
            assert event.data.isascii()
    assert deltas


def test_each_event_is_one_chunk(cassette: Cassette) -> None:
    for interaction in cassette.interactions:
        ends = event_ends(interaction.response.body)
        lengths = [end - start for start, end in zip([0, *ends], ends, strict=False)]
        assert interaction.response.chunks is not None
        assert list(interaction.response.chunks.lengths) == lengths


def test_a_call_stream_leaves_time_to_tell_early_from_late(cassette: Cassette) -> None:
    for interaction, _ in zip(cassette.interactions, calls(cassette), strict=False):
        assert interaction.response.chunks is not None
        waits = interaction.response.chunks.delays
        events = EventStreamDecoder().feed(interaction.response.body)
        closing = max(i for i, each in enumerate(events) if each.event == "delta")
        complete = next(i for i, each in enumerate(events) if "message_stream_complete" in each.data)
        assert '"finished_successfully"' in events[closing].data
        assert min(waits[closing], waits[complete], waits[-1]) >= 100


def test_a_cassette_plays_in_a_second_and_a_half(cassette: Cassette) -> None:
    tables = [each.response.chunks for each in cassette.interactions]
    assert sum(sum(table.delays) for table in tables if table) <= 1500


def test_the_recorded_requests_conform(cassette: Cassette) -> None:
    assert cassette.expect.user_message
    conversation: dict[str, Any] = {}
    challenges = []
    for interaction, call in zip(cassette.interactions, [None, *calls(cassette)], strict=True):
        body = request(interaction)
        assert complaint("conversation-request", body) is None
        assert body["local_function_signatures"] == list(cassette.expect.tools)
        challenges.append(body["app_attest_challenge"])
        if call is None:
            assert body["messages"][0]["content"]["parts"] == [cassette.expect.user_message]
            assert "conversation_id" not in body
        else:
            assert body["parent_message_id"] == call["id"]
            assert body["conversation_id"] == conversation["conversation_id"]
            check_return(cassette, body, call)
        conversation = decoded(interaction).events[0]
    assert all(challenge.startswith("<") for challenge in challenges)
    assert len(set(challenges)) == len(challenges)


def check_return(cassette: Cassette, body: dict[str, Any], call: dict[str, Any]) -> None:
    assert complaint("tool-return-message", body["messages"][0]) is None
    text = json.loads(body["messages"][0]["content"]["text"])
    tool = call["recipient"].partition(".")[2]
    expected = cassette.expect.results[tool]
    if expected == "echo":
        expected = {"message": json.loads(call["content"]["text"])["message"]}
    assert strictjson.equal(text, {"call_id": call["id"], "result": expected, "tool": tool})


def test_a_typed_event_names_the_client_s_own_message(cassette: Cassette) -> None:
    first = cassette.interactions[0]
    own = request(first)["messages"][0]
    [event] = [each for each in decoded(first).events if each["type"] == "input_message"]
    assert strictjson.equal(event["input_message"], own)


def test_no_id_stands_for_two_things(cassette: Cassette) -> None:
    made: Counter[str] = Counter()
    for interaction in cassette.interactions:
        made.update({message["id"] for message in decoded(interaction).messages})
        made.update(message["id"] for message in request(interaction)["messages"])
    conversations = {
        event["conversation_id"] for each in cassette.interactions for event in decoded(each).events
    }
    made.update(conversations)
    assert set(made.values()) == {1}
    assert len(conversations) == 1
    assert all(UUID.fullmatch(each) for each in made)


def test_nothing_in_a_file_has_the_shape_of_a_secret(cassette: Cassette) -> None:
    data = (bundled_directory() / f"{cassette.name}.yaml").read_text("utf-8")
    assert not re.search(r"eyJ|[Bb]earer |sk-[A-Za-z0-9]{8}|/home/|/Users/|~/", data)
    assert data.count('"token": "<REDACTED_JWT>"') == len(cassette.interactions)


def test_the_provenance_is_honest(cassette: Cassette) -> None:
    name = cassette.name.removeprefix("flow_a/")
    rebuilt = name.startswith(("alefita_way", "handoff"))
    assert cassette.provenance.kind == ("reconstructed" if rebuilt else "synthetic")
    assert any(basis.startswith("flow-a-tool-protocol §") for basis in cassette.provenance.basis)
    assert any("Delays and chunk cuts are invented" in gap for gap in cassette.provenance.gaps)
    if calls(cassette):
        assert any("closing patch" in gap for gap in cassette.provenance.gaps)


def test_the_rules_that_a_cassette_names_exist(cassette: Cassette) -> None:
    known = {rule.id for rule in RULES}
    assert cassette.expect.rules
    assert set(cassette.expect.rules) <= known
    assert len(set(cassette.expect.rules)) == len(cassette.expect.rules)


def test_every_rule_is_exercised_by_some_cassette() -> None:
    named = {rule for cassette in CASSETTES.values() for rule in cassette.expect.rules}
    without_faults = {rule.id for rule in RULES if not rule.id.startswith("flow_a.fault.")}
    assert without_faults == named


def test_alefita_way_holds_the_captured_values() -> None:
    first, second = CASSETTES["alefita_way"].interactions
    call = calls(CASSETTES["alefita_way"])[0]
    assert call["id"] == "b6d6e3a6-af6f-4a78-a649-8e3935182fcc"
    assert call["content"]["text"] == '{"message": "segundo eco do caminho"}'
    assert b'"create_time": 1787848267.510629, "status": "in_progress"' in first.response.body
    message = request(second)["messages"][0]
    assert message["id"] == "b65539dc-d45f-4b37-b735-a11ac75aafed"
    assert b'"create_time":1787848294.6508071' in second.request.body
    assert message["content"]["text"] == (
        '{"call_id": "b6d6e3a6-af6f-4a78-a649-8e3935182fcc", '
        '"result": {"message": "segundo eco do caminho"}, "tool": "alefita_way"}'
    )
    assert message["metadata"] == {}


def test_handoff_answers_the_captured_call() -> None:
    assert calls(CASSETTES["handoff"])[0]["id"] == "a7da448b-589d-4bf1-bc4a-e378d2629f25"
    assert CASSETTES["handoff"].expect.results["handoff"]["accepted"] is True
    assert UUID.fullmatch(CASSETTES["handoff"].expect.results["handoff"]["thread_id"])
    assert CASSETTES["handoff_declined"].expect.results["handoff"]["accepted"] is False


def test_split_arguments_are_cut_inside_escapes() -> None:
    body = CASSETTES["alefita_way_split_arguments"].interactions[0].response.body
    pieces = [
        json.loads(event.data).get("v") for event in EventStreamDecoder().feed(body) if event.event == "delta"
    ]
    texts = [piece for piece in pieces if isinstance(piece, str)]
    assert texts[1].endswith("\\u00")
    assert texts[2].endswith("\ud83c")
    assert texts[3].startswith("\udf00")
    assert texts[3].endswith("\\ud83d")
    assert texts[4].startswith("\\ude80")


def test_interleaved_channels_go_to_and_fro() -> None:
    first, second = CASSETTES["interleaved_channels"].interactions
    for interaction, least in ((first, 4), (second, 2)):
        stream = decoded(interaction)
        types = [event["type"] for event in stream.events]
        assert len(stream.values) == least
        assert types.index("title_generation") > types.index("message_stream_complete")
    notes = [m["content"]["parts"][0] for m in decoded(first).messages if member(m, "content", "parts")]
    assert notes == ["First haha: I call the tool.", "Second hoho: I wait for it."]


def test_the_server_s_tool_is_not_the_client_s() -> None:
    recipients = [message["recipient"] for message in messages(CASSETTES["server_tool"])]
    assert recipients == ["web.run", "all", "all"]
    assert len(CASSETTES["server_tool"].interactions) == 1
