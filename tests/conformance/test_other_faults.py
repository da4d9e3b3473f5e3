"""More ways to be wrong than one per rule: each is reported under the right rule, at the right place."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest

from tests.conformance.broken import NEW_ID, drop, on_return, on_turn, put
from tests.conformance.playing import failures, reference, verdict
from tests.conformance.reference_client import ClientError, Hooks, ReferenceClient, Sending, new_message
from wiretape import load_cassette
from wiretape_server.options import PlayOptions
from wiretape_server.thread import ServerThread

MESSAGE = "messages[0].content.text.result.message"
SIGNATURES = "local_function_signatures"


def send_only(client: ReferenceClient) -> None:
    content = {"content_type": "text", "parts": [client.user_message]}
    client.send(Sending(new_message("user", None, None, content)))


def return_to_nothing(client: ReferenceClient) -> None:
    client.answer({"id": NEW_ID, "recipient": "local.alefita_way", "content": {"text": '{"message": "hi"}'}})


def returned_as(data: bytes) -> Hooks:
    return Hooks(request_bytes=lambda body, sending: data if sending.is_return else json.dumps(body).encode())


def with_not_a_number(body: object, _sending: Sending) -> bytes:
    return json.dumps(body).encode().replace(b'"weight": 1,', b'"weight": NaN,')


def in_camel_case(text: dict[str, Any], _sending: Sending) -> None:
    text["callId"] = text.pop("call_id")


def echo(damage: Any) -> Hooks:
    return Hooks(result=lambda right, _: right | {"message": damage(right["message"])})


FAULTS: dict[str, tuple[Hooks, str]] = {
    # nothing, too early, unreadable
    "never returns": (Hooks(play=send_only), "return.exactly-once"),
    "a return before any call": (Hooks(play=return_to_nothing), "behavior.no-unsolicited-return messages"),
    "an empty body": (returned_as(b""), "request.valid-json"),
    "a list as body": (returned_as(b"[]"), "request.valid-json"),
    "a body cut off": (returned_as(b'{"action": "next"'), "request.valid-json"),
    "a body that is not UTF-8": (returned_as(b'{"action": "\xff"}'), "request.valid-json"),
    "not a number": (Hooks(request_bytes=with_not_a_number), "request.valid-json"),
    # the envelope
    "no message": (Hooks(request=on_return(put("messages", []))), "return.single-message messages"),
    "messages missing": (Hooks(request=on_return(drop("messages"))), "return.single-message messages"),
    "a text as message": (
        Hooks(request=on_return(put("messages.0", "x"))),
        "return.single-message messages[0]",
    ),
    "conversation id missing": (
        Hooks(request=on_return(drop("conversation_id"))),
        "return.conversation-id conversation_id",
    ),
    "parent missing": (
        Hooks(request=on_return(drop("parent_message_id"))),
        "return.parent-is-call-message parent_message_id",
    ),
    "an invented conversation": (
        Hooks(request=on_turn(put("conversation_id", NEW_ID))),
        "request.first-turn-omits-ids conversation_id",
    ),
    "null for a conversation": (
        Hooks(request=on_turn(put("conversation_id", None))),
        "request.first-turn-omits-ids conversation_id",
    ),
    "a prepare for another conversation": (
        Hooks(prepare=on_return(put("conversation_id", NEW_ID))),
        "prepare.same-conversation conversation_id",
    ),
    "a prepare for no conversation": (
        Hooks(prepare=on_return(drop("conversation_id"))),
        "prepare.same-conversation conversation_id",
    ),
    "no challenge": (
        Hooks(request=on_return(drop("app_attest_challenge"))),
        "request.challenge-issued app_attest_challenge",
    ),
    "success without a prepare": (
        Hooks(
            prepares=lambda sending: sending.is_return,
            request=on_turn(put("client_prepare_state", "success")),
        ),
        "request.prepare-state-truthful client_prepare_state",
    ),
    # declarations
    "no description": (
        Hooks(request=drop(f"{SIGNATURES}.0.description")),
        f"signature.shape {SIGNATURES}[0].description",
    ),
    "required as a text": (
        Hooks(request=put(f"{SIGNATURES}.1.params.0.required", "yes")),
        f"signature.param-shape {SIGNATURES}[1].params[0].required",
    ),
    # the message
    "no author": (Hooks(returned=put("author", None)), "return.author-role-tool messages[0].author"),
    "no content": (Hooks(returned=drop("content")), "return.content-type-code messages[0].content"),
    "end_turn missing": (Hooks(returned=drop("end_turn")), "return.end-turn-null messages[0].end_turn"),
    "a lone half": (Hooks(returned=put("status", "\ud800")), "return.status-finished messages[0].status"),
    "weight as a text": (Hooks(returned=put("weight", "1")), "return.weight-is-one messages[0].weight"),
    "a time before all time": (
        Hooks(returned=put("create_time", -5)),
        "return.create-time-seconds messages[0].create_time",
    ),
    "the flag as a number": (
        Hooks(returned=put("metadata", {"is_visually_hidden_from_conversation": 1})),
        "return.metadata-profile messages[0].metadata.is_visually_hidden_from_conversation",
    ),
    "an id in braces": (
        Hooks(returned=put("id", "{" + NEW_ID + "}")),
        "return.id-is-fresh-uuid messages[0].id",
    ),
    "the call's id in capitals": (
        Hooks(returned=lambda message, sending: message.update(id=sending.call["id"].upper())),
        "return.id-is-fresh-uuid messages[0].id",
    ),
    # the text
    "a key twice in the text": (
        Hooks(text_json=lambda text: json.dumps(text)[:-1] + ', "tool": "alefita_way"}'),
        "return.text-is-json-object messages[0].content.text",
    ),
    "a text too deep": (
        Hooks(text_json=lambda _: "[" * 100_000),
        "return.text-is-json-object messages[0].content.text",
    ),
    "a key in camel case": (Hooks(text=in_camel_case), "return.text-keys messages[0].content.text.call_id"),
    "null for the tool": (
        Hooks(text=put("tool", None)),
        "return.tool-at-root messages[0].content.text.tool",
    ),
    # what the tool gave
    "a number as message": (echo(len), f"return.result-as-expected {MESSAGE}"),
    "an empty result": (Hooks(result=lambda *_: {}), f"return.result-as-expected {MESSAGE}"),
    "an empty echo": (echo(lambda _: ""), f"behavior.arguments-intact {MESSAGE}"),
    "UTF-8 taken for Latin-1": (
        echo(lambda text: text.encode().decode("latin-1")),
        f"behavior.arguments-intact {MESSAGE}",
    ),
    "characters replaced": (
        echo(lambda text: text.encode("ascii", "replace").decode()),
        f"behavior.arguments-intact {MESSAGE}",
    ),
    "escapes left in": (
        echo(lambda text: json.dumps(text)[1:-1]),
        f"behavior.arguments-intact {MESSAGE}",
    ),
    "another text": (echo(lambda text: text.upper()), f"return.result-as-expected {MESSAGE}"),
}


@pytest.mark.parametrize(("hooks", "expected"), FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_is_reported_once_and_where_it_is(hooks: Hooks, expected: str, server: ServerThread) -> None:
    playback = server.play(load_cassette("alefita_way_split_arguments"), PlayOptions(pace="instant"))
    with suppress(ClientError):  # what can't be read is refused
        reference(playback, hooks).run()
    found = {
        f"{each.rule.removeprefix('flow_a.')} {each.path}".strip() for each in failures(verdict(playback))
    }
    playback.close()
    assert found == {expected}
