"""A broken client for every rule: the reference client, wrong in the one point that the rule is about.

    python tests/conformance/broken.py --list
    wiretape check --cassette alefita_way -- python tests/conformance/broken.py return.recipient-is-all

The table is the kit's own self-test: each client has to be caught by its rule and by no other.
"""

from __future__ import annotations

import json
import operator
import os
import sys
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))  # as a command it starts without the checkout on its path
from tests.conformance.in_trouble import (
    answer_what_came,
    ask,
    in_spite_of,
    last_challenge_again,
    resume_one_event_early,
)
from tests.conformance.reference_client import (
    ClientError,
    Edit,
    Hooks,
    ReferenceClient,
    Sending,
    new_message,
)

SLOW = "x3"
"""The pace for clients that are wrong in time: slow enough for a busy machine."""
NEW_ID = str(uuid.uuid4())
"""An id that the server knows nothing of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A client that is wrong, and what it has to be played to make it show."""

    hooks: Hooks
    cassette: str = "alefita_way"
    pace: str = "instant"
    faults: tuple[str, ...] = ()
    """What goes wrong on purpose: some rules are about what comes after that."""
    also: tuple[str, ...] = ()
    """Rules that can't help failing with it; ``why`` says why."""
    why: str = ""


def put(path: str, value: object) -> Edit:
    """Set a member; ``path`` has dots between keys and indices."""
    return at(path, lambda holder, key: operator.setitem(holder, key, value))


def drop(path: str) -> Edit:
    """Remove a member."""
    return at(path, operator.delitem)


def at(path: str, change: Callable[[Any, Any], object]) -> Edit:
    """Walk to the holder of a member and change the member there."""
    *holders, last = (int(key) if key.isdigit() else key for key in path.split("."))

    def edit(target: Any, _sending: Sending) -> None:
        for key in holders:
            target = target[key]
        change(target, last)

    return edit


def on_turn(edit: Edit) -> Edit:
    """Edit the requests that are no returns."""
    return lambda target, sending: sending.is_return or edit(target, sending)


def on_return(edit: Edit) -> Edit:
    """Edit the requests that are returns."""
    return lambda target, sending: sending.is_return and edit(target, sending)


def declare(change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> Edit:
    """Change the list of declared signatures."""

    def edit(body: dict[str, Any], _sending: Sending) -> None:
        body["local_function_signatures"] = change(body["local_function_signatures"])

    return edit


def only_handoff(tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [tool for tool in tools if tool["name"] == "handoff"]


def all_but_handoff(tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [tool for tool in tools if tool["name"] != "handoff"]


def first_challenge_again(client: ReferenceClient, sending: Sending) -> str:
    """Reuse the conversation's first challenge for returns."""
    return client.challenges[0] if sending.is_return else client.fetch_challenge()


def one_challenge_for_all_turns(client: ReferenceClient, sending: Sending) -> str:
    """Reuse the first challenge for user turns."""
    return client.fetch_challenge() if sending.is_return or not client.challenges else client.challenges[0]


def two_conversations(client: ReferenceClient) -> None:
    client.ask(client.user_message)
    client.start_over()
    client.ask(client.user_message)


def answer_twice(client: ReferenceClient) -> None:
    client.ask(client.user_message)
    client.answer(next(iter(client.answered.values())))


def answer_what_was_no_call(client: ReferenceClient) -> None:
    client.ask(client.user_message)
    last = next(reversed(client.messages.values()))
    client.answer(
        {"id": last["id"], "recipient": "local.alefita_way", "content": {"text": '{"message": "hi"}'}}
    )


def a_call_is_finished(messages: list[dict[str, Any]]) -> bool:
    return any(each["recipient"] != "all" and each["status"] != "in_progress" for each in messages)


def without_last_character(right: dict[str, Any], _arguments: dict[str, Any]) -> dict[str, Any]:
    return right | {"message": right["message"][:-1]} if "message" in right else right


def with_two_actions(body: object, _sending: Sending) -> bytes:
    return json.dumps(body).encode().replace(b'{"action"', b'{"action": "next", "action"', 1)


def without_last_brace(body: object, _sending: Sending) -> bytes:
    return json.dumps(body).encode()[:-1]


def milliseconds(message: dict[str, Any], _sending: Sending) -> None:
    message["create_time"] *= 1000


def with_user_message(body: dict[str, Any], _sending: Sending) -> None:
    body["messages"].append(new_message("user", None, None, {"content_type": "text", "parts": ["go on"]}))


BROKEN: dict[str, Broken] = {
    # requests
    "request.valid-json": Broken(hooks=Hooks(prepare_bytes=without_last_brace)),
    "request.no-duplicate-keys": Broken(hooks=Hooks(request_bytes=with_two_actions)),
    "request.action-is-next": Broken(hooks=Hooks(request=put("action", "variant"))),
    "request.supported-encodings-v1": Broken(hooks=Hooks(request=put("supported_encodings", ["v2"]))),
    "request.model-present": Broken(hooks=Hooks(request=drop("model"))),
    "request.timezone-iana": Broken(hooks=Hooks(request=put("timezone", "E. South America Standard Time"))),
    "request.timezone-offset-integer": Broken(hooks=Hooks(request=put("timezone_offset_min", "180"))),
    "request.first-turn-omits-ids": Broken(hooks=Hooks(request=on_turn(put("parent_message_id", NEW_ID)))),
    "request.prepare-state-truthful": Broken(hooks=Hooks(request=put("client_prepare_state", "failure"))),
    "request.conduit-token-carried": Broken(hooks=Hooks(headers=drop("x-conduit-token"))),
    "request.challenge-issued": Broken(hooks=Hooks(challenge=lambda *_: str(uuid.uuid4()))),
    "request.challenge-unused": Broken(
        hooks=Hooks(play=two_conversations, challenge=one_challenge_for_all_turns), cassette="plain_answer"
    ),
    "request.tool-declared": Broken(hooks=Hooks(request=on_turn(declare(only_handoff)))),
    "request.handoff-declared": Broken(hooks=Hooks(request=declare(all_but_handoff))),
    "signature.shape": Broken(hooks=Hooks(request=put("local_function_signatures.0.type", "function"))),
    "signature.param-shape": Broken(
        hooks=Hooks(request=put("local_function_signatures.0.params.0.type", "string"))
    ),
    "signature.unique-names": Broken(hooks=Hooks(request=declare(lambda tools: tools + tools[-1:]))),
    "prepare.state-sent": Broken(hooks=Hooks(prepare=put("client_prepare_state", "success"))),
    "prepare.same-conversation": Broken(hooks=Hooks(prepare=on_turn(put("conversation_id", NEW_ID)))),
    # behaviour
    "behavior.waits-for-complete-call": Broken(hooks=Hooks(answers_at_once=True), pace=SLOW),
    "behavior.only-local-recipients": Broken(
        hooks=Hooks(answers=lambda recipient, _: recipient != "all"), cassette="server_tool"
    ),
    "behavior.no-unsolicited-return": Broken(
        hooks=Hooks(play=answer_what_was_no_call), cassette="plain_answer"
    ),
    "behavior.reads-to-end": Broken(hooks=Hooks(leaves=a_call_is_finished), pace=SLOW),
    "behavior.arguments-intact": Broken(
        hooks=Hooks(result=without_last_character),
        cassette="alefita_way_split_arguments",
    ),
    # returns: when, how often, to what
    "return.exactly-once": Broken(hooks=Hooks(play=answer_twice)),
    "return.single-message": Broken(hooks=Hooks(request=on_return(with_user_message))),
    "return.conversation-id": Broken(hooks=Hooks(request=on_return(put("conversation_id", NEW_ID)))),
    "return.parent-is-call-message": Broken(hooks=Hooks(request=on_return(put("parent_message_id", NEW_ID)))),
    "return.fresh-challenge": Broken(hooks=Hooks(challenge=first_challenge_again)),
    "return.fresh-prepare": Broken(hooks=Hooks(prepares=lambda sending: not sending.is_return)),
    "return.tools-still-declared": Broken(hooks=Hooks(request=on_return(declare(only_handoff)))),
    # returns: the message
    "return.recipient-is-all": Broken(hooks=Hooks(returned=put("recipient", "alefita_way"))),
    "return.end-turn-null": Broken(hooks=Hooks(returned=put("end_turn", True))),
    "return.channel-commentary": Broken(hooks=Hooks(returned=put("channel", None))),
    "return.status-finished": Broken(hooks=Hooks(returned=put("status", "in_progress"))),
    "return.author-role-tool": Broken(hooks=Hooks(returned=put("author.role", "assistant"))),
    "return.author-name-is-tool": Broken(hooks=Hooks(returned=put("author.name", "local.alefita_way"))),
    "return.author-metadata-object": Broken(hooks=Hooks(returned=drop("author.metadata"))),
    "return.id-is-fresh-uuid": Broken(hooks=Hooks(returned=put("id", "return-1"))),
    "return.weight-is-one": Broken(hooks=Hooks(returned=put("weight", True))),
    "return.create-time-seconds": Broken(hooks=Hooks(returned=milliseconds)),
    "return.update-time-null": Broken(hooks=Hooks(returned=drop("update_time"))),
    "return.metadata-object": Broken(hooks=Hooks(returned=put("metadata", None))),
    "return.metadata-profile": Broken(hooks=Hooks(returned=put("metadata.source", "client"))),
    "return.no-extra-fields": Broken(hooks=Hooks(returned=put("children", []))),
    "return.no-language": Broken(hooks=Hooks(returned=put("content.language", "json"))),
    "return.content-type-code": Broken(hooks=Hooks(returned=put("content.content_type", "text"))),
    # returns: the JSON in the text
    "return.text-is-json-object": Broken(hooks=Hooks(text_json=repr)),
    "return.text-keys": Broken(hooks=Hooks(text=put("status", "ok"))),
    "return.call-id-equals-message-id": Broken(hooks=Hooks(text=put("call_id", NEW_ID))),
    "return.tool-at-root": Broken(hooks=Hooks(text=drop("tool"))),
    "return.result-is-object": Broken(hooks=Hooks(result=lambda right, _: json.dumps(right))),
    "return.result-shape": Broken(hooks=Hooks(result=lambda right, _: right | {"accepted": False})),
    "return.result-as-expected": Broken(hooks=Hooks(result=lambda right, _: right | {"message": "done"})),
    # when something goes wrong
    "fault.no-return-to-cut-call": Broken(
        hooks=Hooks(play=in_spite_of(ask, answer_what_came)), faults=("cut@event:5",)
    ),
    "fault.accepted-return-not-repeated": Broken(
        hooks=Hooks(play=in_spite_of(ask, answer_what_came)), faults=("cut@event:8",)
    ),
    "fault.failed-turn-unanswered": Broken(
        hooks=Hooks(play=in_spite_of(ask, answer_what_came)), faults=("error-event@event:6",)
    ),
    "fault.retry-fresh-challenge": Broken(
        hooks=Hooks(play=in_spite_of(ask, answer_what_came), challenge=last_challenge_again),
        faults=("500@request:6",),
    ),
    "fault.retry-after-kept": Broken(
        hooks=Hooks(play=in_spite_of(ask, answer_what_came)), faults=("429@request:6",)
    ),
    "fault.resume-offset": Broken(
        hooks=Hooks(play=in_spite_of(ask, resume_one_event_early)), faults=("cut@event:4",)
    ),
    "fault.deleted-left-alone": Broken(
        hooks=Hooks(play=in_spite_of(ask, answer_what_came)), faults=("conversation-deleted@request:6",)
    ),
}


def main(arguments: list[str]) -> None:
    """Run the broken client of one rule against the server that the environment names."""
    if arguments == ["--list"]:
        for rule, broken in BROKEN.items():
            print(f"{rule:36} {broken.cassette:28} {broken.pace:12} {' '.join(broken.faults)}".rstrip())
        return
    rule = arguments[0].removeprefix("flow_a.") if len(arguments) == 1 else ""
    if rule not in BROKEN:
        sys.exit(f"broken.py: expected --list or one rule id of the table, got {arguments!r}; see --list")
    ReferenceClient.from_environment(os.environ, BROKEN[rule].hooks).run()


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (ClientError, OSError) as error:
        sys.exit(f"broken.py: {error}")
