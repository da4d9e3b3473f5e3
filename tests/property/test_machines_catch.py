"""The public state machines notice what is wrong, whichever side they play to."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis.errors import FlakyFailure
from hypothesis.stateful import run_state_machine_as_test

from tests.property.adapters import AppServer, Backend, Client, CodexClient, right
from tests.property.test_codex_session_machine import AppServerMachine
from wiretape.testing import (
    CodexClientMachine,
    CodexServerMachine,
    FlowAClientMachine,
    FlowAServerMachine,
)
from wiretape.testing.flow_a_machine import _Stream
from wiretape.testing.session_machine import SessionMachine

FEW = settings(
    max_examples=60,
    stateful_step_count=10,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=(),
    phases=(Phase.generate,),
)


def caught(machine: Callable[[], Any]) -> str:
    """Run a machine that must fail: what it says."""
    with pytest.raises(AssertionError) as failure:
        run_state_machine_as_test(machine, settings=FEW)
    return str(failure.value)


def flow_a_client(make: Callable[[], Client]) -> Callable[[], FlowAClientMachine]:
    class Machine(FlowAClientMachine):
        def make_client(self) -> Client:
            return make()

    return Machine


def flow_a_server(edit: Callable[[bytes], bytes]) -> Callable[[], FlowAServerMachine]:
    class Machine(FlowAServerMachine):
        def make_server(self) -> Backend:
            return Backend(edit)

    return Machine


def codex_client(reply: Callable[[dict[str, Any]], Iterable[Any]]) -> Callable[[], CodexClientMachine]:
    class Machine(CodexClientMachine):
        def make_client(self) -> CodexClient:
            return CodexClient(reply)

    return Machine


def codex_server(edit: Callable[[bytes], Iterable[bytes]]) -> Callable[[], CodexServerMachine]:
    class Machine(CodexServerMachine):
        def make_server(self) -> AppServer:
            return AppServer(edit)

    return Machine


def test_right_ones_pass() -> None:
    for machine in (
        flow_a_client(Client),
        flow_a_server(lambda stream: stream),
        codex_client(right),
        AppServerMachine,
    ):
        run_state_machine_as_test(machine, settings=FEW)


def test_a_machine_without_anything_to_test_says_what_is_missing() -> None:
    for machine, what in (
        (FlowAClientMachine, "make_client"),
        (FlowAServerMachine, "make_server"),
        (CodexClientMachine, "make_client"),
        (CodexServerMachine, "make_server"),
    ):
        with pytest.raises((NotImplementedError, FlakyFailure), match=what):
            run_state_machine_as_test(machine, settings=FEW)


def test_a_client_with_a_wrong_return_is_caught() -> None:
    said = caught(flow_a_client(lambda: Client(lambda body: body["messages"][0].update(recipient="x"))))
    assert "flow_a.return.recipient-is-all" in said


class Deaf(Client):
    def read(self, pieces: Any) -> None:
        super().read(pieces)


class Talkative(Client):
    def read(self, pieces: Any) -> bytes:
        return super().read(pieces) or self.ask("unasked")


@pytest.mark.parametrize(
    ("client", "what"), [(Deaf, "a call without a return"), (Talkative, "a return that nobody waits for")]
)
def test_a_client_that_returns_too_little_or_too_much_is_caught(client: type[Client], what: str) -> None:
    assert what in caught(flow_a_client(client))


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        (b"data: [DONE]\n\n", b"", "an answer without [DONE]"),
        (b'"o": "patch"', b'"o": "batch"', "an answer that does not decode"),
        (b'"conversation_id"', b'"conversation"', "an answer that names no conversation"),
        (b'"recipient": "local.', b'"recipient": "local.not_', "which is not declared"),
        (b'"recipient": "functions.', b'"recipient": "functions.not_', "which is not declared"),
    ],
)
def test_a_backend_with_a_wrong_answer_is_caught(old: bytes, new: bytes, what: str) -> None:
    assert what in caught(flow_a_server(lambda stream: stream.replace(old, new)))


def test_a_backend_that_repeats_itself_is_caught() -> None:
    first: list[bytes] = []

    def repeat(stream: bytes) -> bytes:
        first.append(stream)
        return first[0]

    assert "that other messages have" in caught(flow_a_server(repeat)) or first


@pytest.mark.parametrize(
    ("reply", "rule"),
    [
        (lambda _call: [], "codex.call.answered"),
        (lambda call: [*right(call), *right(call)], "codex.call.answered-once"),
        (lambda call: [each | {"id": str(call["id"])} for each in right(call)], "codex.call.id-exact"),
        (lambda call: [{"id": call["id"], "result": {"output": "hi"}}], "codex.response.no-legacy-output"),
    ],
)
def test_a_client_with_a_wrong_answer_is_caught(
    reply: Callable[[dict[str, Any]], Iterable[Any]], rule: str
) -> None:
    assert rule in caught(codex_client(reply))


def answered_twice(data: bytes) -> Iterable[bytes]:
    return [data, data] if "result" in json.loads(data) else [data]


def of_another_tool(data: bytes) -> Iterable[bytes]:
    return [data.replace(b'"tool":"', b'"tool":"not-')]


def of_another_turn(data: bytes) -> Iterable[bytes]:
    message = json.loads(data)
    if message.get("method") == "item/tool/call":
        message["params"]["turnId"] = "another"
    return [json.dumps(message).encode()]


def without_an_end(data: bytes) -> Iterable[bytes]:
    return [] if b"turn/completed" in data else [data]


def unreadable(data: bytes) -> Iterable[bytes]:
    return [data[:-1]] if b"turn/started" in data else [data]


def with_a_question(data: bytes) -> Iterable[bytes]:
    asked = {"id": 99, "method": "item/fileChange/requestApproval", "params": {}}
    return [data, json.dumps(asked).encode()] if b"turn/started" in data else [data]


def test_what_else_an_app_server_asks_is_refused() -> None:
    run_state_machine_as_test(codex_server(with_a_question), settings=FEW)


def test_a_failing_example_shows_an_answer_in_one_piece() -> None:
    assert repr(_Stream((b"data: 1", b"\n\n"))) == "b'data: 1\\n\\n' in 2 pieces"


def test_a_session_of_no_protocol_has_no_verdict() -> None:
    with pytest.raises(NotImplementedError):
        SessionMachine.conclude(FlowAClientMachine())


@pytest.mark.parametrize(
    ("edit", "what"),
    [
        (answered_twice, "answered 2 times"),
        (of_another_tool, "which is not declared"),
        (of_another_turn, "a call of turn"),
        (without_an_end, "interrupt"),
        (unreadable, "a message that is none"),
    ],
)
def test_a_wrong_app_server_is_caught(edit: Callable[[bytes], Iterable[bytes]], what: str) -> None:
    assert what in caught(codex_server(edit))


PAGE = (Path(__file__).parents[2] / "docs" / "testing.md").read_text("utf-8")


def test_the_machines_of_the_page_run() -> None:
    (code,) = (each for each in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "Machine" in each)
    names: dict[str, Any] = {"MyBackend": Backend, "MyClient": Client}
    exec(compile(code, "docs/testing.md", "exec"), names)  # noqa: S102
    for machine in ("MyBackendMachine", "MyClientMachine"):
        run_state_machine_as_test(names[machine], settings=FEW)
