"""What a scenario is: what the model does, and what a client does, on either side."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from tests.differential.stage import Stage
from wiretape import strictjson
from wiretape.cassette.model import (
    Cassette,
    ModelCall,
    ModelError,
    ModelItem,
    ModelText,
    Provenance,
    Step,
)

Script = Callable[[Stage], Awaitable[None]]

ECHO: Final[dict[str, Any]] = {
    "type": "function",
    "name": "demo_echo",
    "description": "Echo text",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A client's script against an app-server whose model takes these steps."""

    name: str
    model: tuple[Step, ...]
    script: Script
    login: bool = False
    """The model provider wants a ChatGPT login."""

    def cassette(self) -> Cassette:
        return Cassette(
            protocol="codex",
            provenance=Provenance(kind="synthetic"),
            model=self.model,
            profile="0.171",
            name=self.name,
        )


SCENARIOS: Final[dict[str, Scenario]] = {}


def add(name: str, script: Script, *model: Step, login: bool = False) -> None:
    """Register a scenario. A name is taken once."""
    assert name not in SCENARIOS, name
    SCENARIOS[name] = Scenario(name=name, model=model or (says("done"),), script=script, login=login)


def scenario(name: str, *model: Step, login: bool = False) -> Callable[[Script], Script]:
    """Register a script as a scenario."""

    def register(script: Script) -> Script:
        add(name, script, *model, login=login)
        return script

    return register


def says(text: str, message_id: str = "msg_1", *, deltas: tuple[str, ...] = ()) -> Step:
    """The model says a text."""
    return does(ModelText(text=text, id=message_id, deltas=deltas))


def does(*items: ModelItem) -> Step:
    return Step(items=items)


def call(
    call_id: str = "call_1", text: str = "hi", *, tool: str = "demo_echo", namespace: str | None = None
) -> ModelCall:
    """The model calls a tool with one text."""
    arguments = strictjson.dumps({"text": text}, spaced=True)
    return ModelCall(id=call_id, tool=tool, arguments=arguments, namespace=namespace)


def fails(status: int, body: str = "") -> Step:
    """The model's provider answers with an error."""
    return Step(error=ModelError(status=status, body=body))


def text_answer(text: str = "dynamic-ok", *, success: bool = True) -> dict[str, Any]:
    """A client's answer to a call."""
    return {"contentItems": [{"type": "inputText", "text": text}], "success": success}


OK: Final = text_answer()
NOBODY: Final = "01a22ce0-84c5-7ef1-b176-ec3703629600"
"""The id of no thread and no turn."""
ONE_CALL: Final = (does(call()), says("done"))
TWO_CALLS: Final = (*ONE_CALL, does(call("call_2", "second")), says("done again", "msg_2"))
