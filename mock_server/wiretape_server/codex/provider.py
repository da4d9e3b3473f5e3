"""The model's side: what the app-server asks its provider for, and who answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from wiretape.cassette.model import ModelCall, ModelError, ModelText, Step
from wiretape_server.codex.home import Thread
from wiretape_server.codex.profile import Profile
from wiretape_server.codex.specs import Declaration, Namespace, Tool, find, read_tools


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderRequest:
    """One request to the model's provider, without the prompts and tools that are the server's own."""

    thread_id: str
    turn_id: str
    number: int
    """Counts the requests of a thread from 0; a fork goes on where its parent was."""
    body: Mapping[str, Any]
    bearer: str | None
    """The access token of a ChatGPT login; None where the key is the server's own."""
    declared: Sequence[Any] | None = None
    """The thread's tools as its client declared them; None where a real app-server asks, which keeps them."""

    def declares(self, calls: Iterable[ModelCall], profile: Profile) -> bool:
        """Whether the thread declares the tool of each call, as far as that is known."""
        if self.declared is None:
            return True
        declared = read_tools(list(self.declared), profile)
        return all(find(declared, call.namespace, call.tool) for call in calls)


class Model(Protocol):
    """Plays the model."""

    def next_step(self, request: ProviderRequest) -> Step: ...


@dataclass(slots=True)
class ScriptedModel:
    """Plays a cassette's steps: one for each request of a thread, in order."""

    steps: Sequence[Step]
    overruns: list[str] = field(default_factory=list)
    """Requests that no step was left for, one explanation each."""

    def next_step(self, request: ProviderRequest) -> Step:
        if request.number < len(self.steps):
            return self.steps[request.number]
        explanation = (
            f"the cassette has {len(self.steps)} model steps; this is request {request.number + 1} "
            f"of thread {request.thread_id}: start fewer turns, or add a step"
        )
        self.overruns.append(explanation)
        return Step(error=ModelError(status=400, body=explanation))


def request_body(profile: Profile, thread: Thread) -> dict[str, Any]:
    """The body of a thread's next request."""
    return {
        "model": thread.model,
        "stream": True,
        "input": [_with_or_without_id(each, profile) for each in thread.context],
        "tools": offered(thread.tools),
        "tool_choice": "auto",
        "parallel_tool_calls": profile.parallel_tool_calls,
        "store": False,
        "prompt_cache_key": thread.id,
    }


def _with_or_without_id(item: Mapping[str, Any], profile: Profile) -> dict[str, Any]:
    return {name: value for name, value in item.items() if profile.provider_ids or name != "id"}


def offered(tools: Declaration) -> list[dict[str, Any]]:
    """The declared tools as the model sees them; deferred ones are not offered."""
    return [
        _offered_namespace(each) if isinstance(each, Namespace) else _offered_function(each)
        for each in tools
        if _is_offered(each)
    ]


def _is_offered(each: Tool | Namespace) -> bool:
    return any(_is_offered(tool) for tool in each.tools) if isinstance(each, Namespace) else not each.deferred


def _offered_namespace(namespace: Namespace) -> dict[str, Any]:
    tools = [_offered_function(tool) for tool in namespace.tools if _is_offered(tool)]
    return {
        "type": "namespace",
        "name": namespace.name,
        "description": namespace.description,
        "tools": tools,
    }


def _offered_function(tool: Tool) -> dict[str, Any]:
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "strict": False,
        "parameters": tool.schema,
    }


def user_input(message_id: str, content: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """What the user said; only its texts, how the rest is handed on is not known."""
    texts = [
        {"type": "input_text", "text": part["text"]} for part in content if isinstance(part.get("text"), str)
    ]
    return {"type": "message", "id": message_id, "role": "user", "content": texts}


def assistant_input(message: ModelText, message_id: str) -> dict[str, Any]:
    """What the model said before."""
    content = [{"type": "output_text", "text": message.text}]
    return {"type": "message", "id": message_id, "role": "assistant", "content": content}


def call_input(call: ModelCall) -> dict[str, Any]:
    """A call that the model made before."""
    named = {"type": "function_call", "id": f"fc_{call.id}", "name": call.tool}
    if call.namespace is not None:
        named["namespace"] = call.namespace
    return {**named, "arguments": call.arguments, "call_id": call.id}


def output_input(call_id: str, output: Any, output_id: str) -> dict[str, Any]:
    """What the call gave."""
    return {"type": "function_call_output", "id": output_id, "call_id": call_id, "output": output}
