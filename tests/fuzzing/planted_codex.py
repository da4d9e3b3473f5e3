"""Wrong clients of the app-server, one fault each that no simple session shows, built on the reference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.conformance.codex_reference import CodexClient, Hooks, Message
from wiretape.fuzzing import DIFFERS


def answering(change: Callable[[Message, Message], object]) -> Callable[[], Hooks]:
    """Change the answer to a call, given the call's params and the right result."""

    def reply(client: CodexClient, request: Message, right: Message) -> None:
        change(request["params"], right["result"])
        client.send(right)

    return lambda: Hooks(call=reply)


def each_text(change: Callable[[str], str]) -> Callable[[], Hooks]:
    def edit(_call: Message, result: Message) -> None:
        for item in result["contentItems"]:
            if item["type"] == "inputText":
                item["text"] = change(item["text"])

    return answering(edit)


def only_texts(_call: Message, result: Message) -> None:
    result["contentItems"] = [item for item in result["contentItems"] if item["type"] == "inputText"]


def always_succeeds(_call: Message, result: Message) -> None:
    result["success"] = True


@dataclass
class Remembering:
    """Remembers something from one call to the next."""

    given: dict[str, Any] = field(default_factory=dict)
    turns: set[str] = field(default_factory=set)
    connections: list[Any] = field(default_factory=list)

    def by_tool(self, client: CodexClient, request: Message, right: Message) -> None:
        """Gives what the tool gave the first time."""
        result = self.given.setdefault(request["params"]["tool"], right["result"])
        client.send(right | {"result": result})

    def once_a_turn(self, client: CodexClient, request: Message, right: Message) -> None:
        """Answers one call of a turn."""
        turn = request["params"]["turnId"]
        if turn in self.turns:
            client.leave()
        self.turns.add(turn)
        client.send(right)

    def first_connection(self, client: CodexClient, _request: Message, right: Message) -> None:
        """Knows its tools on the connection on which it declared them."""
        self.connections.append(client.wire)
        if client.wire is not self.connections[0]:
            right = {"id": right["id"], "error": {"code": -32601, "message": "no such tool"}}
        client.send(right)


def without_a_namespace(client: CodexClient, request: Message, right: Message) -> None:
    """Knows no namespaces."""
    known = not request["params"].get("namespace")
    error = {"code": -32601, "message": "no such tool"}
    client.send(right if known else {"id": right["id"], "error": error})


def tells_its_version(client: CodexClient, request: Message, right: Message) -> None:
    """Adds to a fixed answer something that only some versions of the app-server send."""
    known = "namespace" in request["params"]
    client.send({**right, "result": {**right["result"], "x_namespaces": known}})


@dataclass(frozen=True, kw_only=True)
class CodexPlant:
    """How to make a wrong client, a kind that must find it, and the rule that its smallest find breaks."""

    hooks: Callable[[], Hooks]
    kind: str
    rule: str


def plant(hooks: Callable[[], Hooks], kind: str, rule: str = "response.result-as-expected") -> CodexPlant:
    return CodexPlant(hooks=hooks, kind=kind, rule=rule if rule == DIFFERS else f"codex.{rule}")


PLANTED_CODEX: dict[str, CodexPlant] = {
    "trims texts": plant(each_text(str.strip), "texts"),
    "texts lose what is not ASCII": plant(
        each_text(lambda text: text.encode("ascii", "replace").decode()), "texts"
    ),
    "an empty text is none": plant(each_text(lambda text: text or "(nothing)"), "texts"),
    "images are left out": plant(answering(only_texts), "answers"),
    "always succeeds": plant(answering(always_succeeds), "answers"),
    "a tool gives what it gave before": plant(lambda: Hooks(call=Remembering().by_tool), "turns"),
    "answers one call a turn": plant(
        lambda: Hooks(call=Remembering().once_a_turn), "parallel", "call.answered"
    ),
    "a resumed thread has no tools": plant(lambda: Hooks(call=Remembering().first_connection), "steps"),
    "knows no namespaces": plant(lambda: Hooks(call=without_a_namespace), "namespaces"),
    "tells the version": plant(lambda: Hooks(call=tells_its_version), "versions", DIFFERS),
}
