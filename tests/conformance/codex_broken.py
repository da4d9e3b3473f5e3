"""A broken client for every codex rule: the reference client, wrong in the one point that the rule is about.

    python tests/conformance/codex_broken.py --list
    wiretape check --cassette codex/dynamic_tool_text -- \\
        python tests/conformance/codex_broken.py response.success-boolean

The table is the kit's own self-test: each client has to be caught by its rule and by no other.
"""

from __future__ import annotations

import operator
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))  # as a command it starts without the checkout on its path
from tests.conformance.codex_reference import ClientError, CodexClient, Edit, Hooks, Message, Reply

ERROR: Message = {"code": -32000, "message": "the tool blew up"}
NOT_AN_IMAGE = {"type": "inputImage", "imageUrl": "data:image/png;base64,AAA"}
REMOTE_IMAGE = {"type": "inputImage", "imageUrl": "https://images.example/cat.png"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A client that is wrong, and the cassette that makes it show."""

    hooks: Hooks
    cassette: str = "dynamic_tool_text"
    busy: bool = False
    """Whether the model has to be busy with its last answer still when the client has given its own."""
    fault: str = ""
    """What has to go wrong, so that it shows."""
    behind: bool = False
    """Whether the client speaks to a real app-server: then only what its model is told is seen."""


def put(path: str, value: object) -> Edit:
    """Set a member; ``path`` has dots between keys and indices."""
    return at(path, lambda holder, key: operator.setitem(holder, key, value))


def drop(path: str) -> Edit:
    """Remove a member."""
    return at(path, operator.delitem)


def at(path: str, change: Callable[[Any, Any], object]) -> Edit:
    """Walk to the holder of a member and change the member there."""
    *holders, last = (int(key) if key.isdigit() else key for key in path.split("."))

    def edit(target: Any) -> None:
        for key in holders:
            target = target[key]
        change(target, last)

    return edit


def edited(edit: Edit) -> Reply:
    """Answer with a changed answer."""

    def reply(client: CodexClient, _request: Message, right: Message) -> None:
        edit(right)
        client.send(right)

    return reply


def before(wrong: Message) -> Reply:
    """Send a wrong answer first."""

    def reply(client: CodexClient, request: Message, right: Message) -> None:
        client.send({"id": request["id"]} | wrong)
        client.send(right)

    return reply


def answering(message: Message) -> Reply:
    """Answer something else."""
    return lambda client, request, _right: client.send({"id": request["id"]} | message)


def with_id(change: Callable[[Any], object]) -> Reply:
    """Answer under another id, and then under the right one."""

    def reply(client: CodexClient, request: Message, right: Message) -> None:
        client.send(right | {"id": change(request["id"])})
        client.send(right)

    return reply


def twice(client: CodexClient, _request: Message, right: Message) -> None:
    client.send(right)
    client.send(right)


def silent(_client: CodexClient, _request: Message, _right: Message) -> None:
    """Do not answer."""


def leave(client: CodexClient, _request: Message, _right: Message) -> None:
    client.leave()


def answer_and_leave(client: CodexClient, _request: Message, right: Message) -> None:
    client.send(right)
    client.leave()


def answer_after_the_interrupt(client: CodexClient, request: Message, right: Message) -> None:
    client.interrupt(request)
    client.read_to_end(request["params"]["turnId"])
    client.send(right)


def thread_first(client: CodexClient) -> None:
    client.ask("thread/start", {})
    client.initialize()


def nameless_first(client: CodexClient) -> None:
    client.ask("initialize", {"clientInfo": {"version": "1.0.0"}})
    client.initialize()


def refused_first(change: Edit) -> Hooks:
    """Start a thread with changed params, which the server refuses, and then a right one."""

    def start(client: CodexClient) -> str:
        params: Message = {"dynamicTools": [dict(tool) for tool in client.tools]}
        change(params)
        client.ask("thread/start", params)
        return client.start_thread()

    return Hooks(starts=start)


def refused_and_then_without_tools(client: CodexClient) -> str:
    client.ask("thread/start", {"dynamicTools": list(client.tools)})
    return str(client.result("thread/start", {})["thread"]["id"])


def heedless(client: CodexClient) -> None:
    """Go on whatever the answer to initialize is."""
    client.ask("initialize", client.introduction())


def thread_of_its_own(client: CodexClient) -> str:
    client.ask("thread/start", {"dynamicTools": list(client.tools)})
    return "00000000-0000-4000-8000-000000000000"


def asking_again(client: CodexClient, request: Message, right: Message) -> None:
    """Say again what the user said, since the turn's answer has not come."""
    said = [{"type": "text", "text": client.steps[0]["turn"]}]
    turn = {"threadId": request["params"]["threadId"], "input": said}
    client.send({"id": next(client.ids), "method": "turn/start", "params": turn})
    client.send(right)


def only_when_idle(client: CodexClient, notice: Message) -> None:
    """Lose every notification that comes while an answer is waited for."""
    if not client.asking:
        client.note(notice)


def initialized_twice(client: CodexClient) -> None:
    client.send({"method": "initialized"})
    client.send({"method": "initialized"})


def answer_seconds_later(client: CodexClient, _request: Message, right: Message) -> None:
    client.wire.wait(2.0)
    client.send(right)


def also_saying(data: bytes) -> Hooks:
    """Send some bytes beside everything that is right."""

    def say(client: CodexClient) -> None:
        client.send({"method": "initialized"})
        client.wire.send(data)

    return Hooks(initialized=say)


def on_call(reply: Reply, cassette: str = "dynamic_tool_text") -> Broken:
    return Broken(hooks=Hooks(call=reply), cassette=cassette)


def on_result(edit: Edit) -> Broken:
    return on_call(edited(lambda message: edit(message["result"])))


def on_refresh(reply: Reply) -> Broken:
    return Broken(hooks=Hooks(refresh=reply), cassette="auth_refresh")


BROKEN: dict[str, Broken] = {
    # how a connection begins
    "initialize.first": Broken(hooks=Hooks(opens=thread_first)),
    "initialize.client-info": Broken(hooks=Hooks(opens=nameless_first)),
    "initialize.experimental-api": Broken(
        hooks=Hooks(initialize=drop("capabilities"), starts=refused_and_then_without_tools)
    ),
    "initialize.initialized-sent": Broken(hooks=Hooks(initialized=lambda _: None)),
    "thread-start.tool-spec-valid": Broken(hooks=refused_first(put("dynamicTools.0.name", "demo.echo"))),
    "thread-start.no-removed-fields": Broken(hooks=Hooks(thread_start=put("persistExtendedHistory", True))),
    # messages
    "frame.valid-json": Broken(hooks=also_saying(b"{'method': 'initialized'}")),
    "frame.one-message": Broken(hooks=also_saying(b'[{"method": "initialized"}]')),
    # answers: when, how often, to what
    "call.answered": on_call(leave),
    "call.answered-once": on_call(twice),
    "call.answered-in-time": on_call(answer_after_the_interrupt),
    "call.id-exact": on_call(with_id(str)),
    "call.known-id": on_call(with_id(lambda number: number + 77)),
    "call.handled": on_refresh(answering({"error": {"code": -32601, "message": "no handler"}})),
    "behavior.keeps-reading": Broken(hooks=Hooks(call=answer_and_leave), busy=True),
    # answers: what is in them
    "response.result-xor-error": on_call(edited(put("error", ERROR))),
    "response.content-items-list": on_result(put("contentItems", "hi")),
    "response.item-type": on_result(put("contentItems.0.type", "text")),
    "response.text-is-string": on_result(put("contentItems.0.text", {"text": "hi"})),
    "response.image-url-string": on_result(put("contentItems", [{"type": "inputImage"}])),
    "response.image-inline": on_result(put("contentItems", [REMOTE_IMAGE])),
    "response.image-decodable": on_result(put("contentItems", [NOT_AN_IMAGE])),
    "response.success-boolean": on_result(put("success", "true")),
    "response.no-legacy-output": on_call(edited(put("result", {"output": "hi", "success": True}))),
    "response.no-snake-case": on_result(put("contentItems.0.type", "input_text")),
    "response.result-as-expected": on_result(put("success", False)),
    "response.reaches-model": Broken(
        hooks=Hooks(call=edited(put("result.contentItems.0.text", "something else"))),
        cassette="history_resume",
        behind=True,
    ),
    # errors, and new tokens
    "error.code-integer": on_call(before({"error": {"message": "the tool blew up"}})),
    "error.message-string": on_call(before({"error": {"code": -32000}})),
    "auth-refresh.answered": on_refresh(silent),
    "auth-refresh.result-shape": on_refresh(edited(put("result.accessToken", 5))),
    # faults
    "fault.refused-initialize": Broken(hooks=Hooks(opens=heedless), fault="rpc-error@request:1"),
    "fault.thread-known": Broken(hooks=Hooks(starts=thread_of_its_own), fault="rpc-error@type:thread/start"),
    "fault.not-asked-twice": Broken(hooks=Hooks(call=asking_again), fault="late-answer@request:3"),
    "fault.nothing-lost": Broken(hooks=Hooks(notified=only_when_idle), fault="late-answer@request:3"),
    "fault.duplicate-ignored": Broken(
        hooks=Hooks(initialized=initialized_twice), fault="duplicate-answer@request:1"
    ),
    "fault.eof-noticed": Broken(hooks=Hooks(call=answer_seconds_later), fault="eof@type:item/tool/call"),
    "fault.malformed-skipped": Broken(
        hooks=Hooks(garbled=lambda client: client.leave()), fault="malformed-line@type:item/tool/call"
    ),
}


def main(arguments: list[str]) -> None:
    """Run the broken client of one rule against the app-server that the environment names."""
    if arguments == ["--list"]:
        for rule, broken in BROKEN.items():
            print(
                f"{rule:32} codex/{broken.cassette:24} {broken.fault and f'--fault {broken.fault}'}".rstrip()
            )
        return
    rule = arguments[0].removeprefix("codex.") if len(arguments) == 1 else ""
    if rule not in BROKEN:
        sys.exit(
            f"codex_broken.py: expected --list or one rule id of the table, got {arguments!r}; see --list"
        )
    CodexClient.from_environment(os.environ, BROKEN[rule].hooks).run()


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (ClientError, OSError) as error:
        sys.exit(f"codex_broken.py: {error}")
