"""Clients and servers without sockets, for state machines to play with; all can be broken."""

from __future__ import annotations

import itertools
import json
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from tests.conformance.codex_playing import Session
from tests.unit.codex_wire import CLIENT_INFO, ECHO, text_result
from tests.unit.flow_a_wire import signature, tool_return, user_turn
from wiretape import strictjson
from wiretape.flow_a.facts import read_stream
from wiretape.scenario import adaptive
from wiretape.scenario.flow_a import scene
from wiretape_server.auto_codex import AutoModel

Edit = Callable[[dict[str, Any]], object]


def unchanged(_message: dict[str, Any]) -> None:
    """The edit of what is right."""


class Client:
    """A client of one conversation; ``edit`` changes the bodies of its returns."""

    serial = itertools.count(1)

    def __init__(self, edit: Edit = unchanged) -> None:
        self._edit = edit
        self._named: dict[str, str] = {}

    def ask(self, text: str) -> bytes:
        body = user_turn(**self._named)
        body["messages"][0]["content"]["parts"] = [text]
        return self._sent(body)

    def read(self, pieces: Sequence[bytes]) -> bytes | None:
        facts = read_stream(b"".join(pieces))
        assert facts.conversation_id is not None
        self._named = {"conversation_id": facts.conversation_id}
        if not facts.calls:
            return None
        (call,) = facts.calls
        echo = {"message": strictjson.loads(call.text)["message"]}
        result = {"accepted": True, "thread_id": "t1"} if call.tool == "handoff" else echo
        body = tool_return(result, call_id=call.id, tool=call.tool, **self._named)
        self._edit(body)
        return self._sent(body)

    def _sent(self, body: dict[str, Any]) -> bytes:
        body["local_function_signatures"] = [signature("handoff"), signature("alefita_way")]
        body["app_attest_challenge"] = f"challenge-{next(self.serial)}"
        body["messages"][0]["id"] = str(uuid.UUID(int=next(self.serial), version=4))
        return json.dumps(body).encode()


class Backend:
    """Makes each conversation up; ``edit`` changes its streams."""

    def __init__(self, edit: Callable[[bytes], bytes] = lambda stream: stream) -> None:
        self._edit = edit
        self._waiting: dict[str, list[bytes]] = {}
        self._turns = itertools.count(1)

    def answer(self, body: bytes) -> bytes:
        asked = strictjson.loads(body)
        conversation = asked.get("conversation_id", "")
        if "parent_message_id" in asked:
            return self._edit(self._waiting[conversation].pop(0))
        return self._edit(self._begin(asked["local_function_signatures"], conversation))

    def _begin(self, declared: list[Any], conversation: str) -> bytes:
        turn = next(self._turns)
        made = scene(declared, seed=turn, conversation_id=conversation).cassette
        first, *rest = (each.response.body for each in made.interactions)
        named = read_stream(first).conversation_id
        assert named is not None
        self._waiting[named] = rest
        return first


class CodexClient:
    """A client of an app-server, which answers at once; ``reply`` says what it answers to a call."""

    def __init__(self, reply: Callable[[dict[str, Any]], Iterable[Any]] | None = None) -> None:
        self._reply = reply or right
        self._ids = itertools.count(1)
        self.thread = ""

    def open(self) -> Iterator[bytes]:
        capabilities = {"experimentalApi": True}
        yield self._request("initialize", clientInfo=CLIENT_INFO, capabilities=capabilities)
        yield json.dumps({"method": "initialized"}).encode()
        yield self._request("thread/start", dynamicTools=[ECHO])

    def turn(self, text: str) -> Iterator[bytes]:
        said = [{"type": "text", "text": text}]
        yield self._request("turn/start", threadId=self.thread, input=said)

    def receive(self, data: bytes) -> Iterator[bytes]:
        message = json.loads(data)
        if "thread" in message.get("result", ()):
            self.thread = message["result"]["thread"]["id"]
        if message.get("method") == "item/tool/call":
            yield from (json.dumps(each).encode() for each in self._reply(message))

    def _request(self, method: str, **params: Any) -> bytes:
        return json.dumps({"id": next(self._ids), "method": method, "params": params}).encode()


def right(call: dict[str, Any]) -> Iterable[dict[str, Any]]:
    """The one right answer to a call."""
    return [{"id": call["id"], "result": text_result(str(call["params"]["arguments"].get("text", "")))}]


class AppServer:
    """Our own, with a model that calls each tool; ``edit`` changes what it says."""

    def __init__(self, edit: Callable[[bytes], Iterable[bytes]] = lambda data: [data]) -> None:
        self._edit = edit
        self._heard: list[bytes] = []
        session = Session(adaptive("codex"), "0.171")
        session.script = AutoModel(seed=0, profile="0.171")  # type: ignore[assignment]
        self._connection = session.process().connect(self._heard.append, name="c1")

    def receive(self, data: bytes) -> Iterator[bytes]:
        self._connection.receive(data)
        while self._heard:
            yield from self._edit(self._heard.pop(0))
