"""Brings what both sides said to one form, and says where they differ."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from tests.differential.allowed import NOTIFICATIONS, STDERR
from tests.differential.stage import Stage
from tests.server.codex_normal import Normal, shown
from wiretape.codex.messages import fields
from wiretape.strictjson import ABSENT
from wiretape_server.codex.provider import ProviderRequest

_ID: Final = re.compile(r"<id \d+>")
_TERMINAL: Final = re.compile(r"(/0\.171\.0) \([^()]*\) \S+ ")
_COMPARED: Final = ("model", "stream", "input", "tools", "tool_choice", "parallel_tool_calls", "store")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z")
_COLOUR: Final = re.compile(r"\x1b\[[0-9;]*m")
_STAMP: Final = re.compile(r"^\d{4}-\d\d-\d\dT[\d:.]+Z\s+")
_PORT: Final = re.compile(r"(?<=127\.0\.0\.1):\d+")
_DATA: Final = re.compile(r" data: (?:None|Some\(.*\)),")
_PROMPTS: Final = ("<environment_context>", "# AGENTS.md")
"""How texts begin that the real app-server tells its model as if the user had."""


def transcript(stage: Stage) -> list[str]:
    """One line for each message of the server's, by connection, and for each request to the model."""
    normal, own = Normal(), set(_declared(stage))
    lines = []
    for client in stage.clients:
        lines += told(client.name, client.heard, stage.side.names, normal)
    lines += told("outside", stage.notes, stage.side.names, normal)
    asked = [_without_own(each, own) for each in stage.side.asked]
    lines += told("model", asked, stage.side.names, normal)
    return lines + told("stderr", written(stage.stderr), stage.side.names, normal)


def told(
    whom: str, messages: Sequence[Any], names: Mapping[str, str], normal: Normal | None = None
) -> list[str]:
    """What someone was told, a line for each message that is compared; ``names`` are a side's own names."""
    normal = normal or Normal()
    compared = (each for each in messages if fields(each).get("method") not in NOTIFICATIONS)
    return [f"{whom} {shown(normal.of(_renamed(each, names)))}" for each in compared]


def written(stderr: Sequence[str]) -> list[str]:
    """The lines of stderr that are compared, without colours and times."""
    plain = (_DATA.sub("", _PORT.sub(":<port>", _STAMP.sub("", _COLOUR.sub("", each)))) for each in stderr)
    return [each.strip() for each in plain if each and not any(noise in each for noise in STDERR)]


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {name: _renamed(member, names) for name, member in value.items()}
    if isinstance(value, list):
        return _models(value) or [_renamed(member, names) for member in value]
    if isinstance(value, str):
        for own, common in names.items():
            value = value.replace(own, common)
        return _TIME.sub("<time>", _TERMINAL.sub(r"\1 (<system>) <terminal> ", value))
    return value


def _models(value: list[Any]) -> list[str]:
    """The names of the members of the first model, for a list of models."""
    return sorted(value[0]) if value and "supportedReasoningEfforts" in fields(value[0]) else []


def _declared(stage: Stage) -> Iterator[str]:
    """The names of all tools and namespaces that the clients have declared."""
    for client in stage.clients:
        for message in client.sent:
            tools = fields(message.get("params")).get("dynamicTools")
            for tool in tools if isinstance(tools, list) else ():
                yield from (str(fields(tool)[name]) for name in ("name", "namespace") if name in fields(tool))


def _without_own(request: ProviderRequest, own: set[str]) -> dict[str, Any]:
    """What a model is told, without the prompts and tools that are the real app-server's own."""
    kept: dict[str, Any] = {name: request.body.get(name) for name in _COMPARED}
    kept["tools"] = [tool for tool in kept["tools"] if tool.get("name") in own]
    kept["input"] = [item for item in kept["input"] if not _is_prompt(item)]
    kept["bearer"] = (request.bearer or "Bearer dummy").removeprefix("Bearer ")
    return kept


def _is_prompt(item: Mapping[str, Any]) -> bool:
    content = item.get("content")
    texts = [part.get("text", "") for part in content] if isinstance(content, list) else []
    return item.get("role") == "developer" or any(text.startswith(_PROMPTS) for text in texts)


def differences(real: Sequence[str], ours: Sequence[str]) -> list[str]:
    """Say where two transcripts differ, ``-`` the real one, ``+`` wiretape's; empty when they are equal.

    Numbers of ids are looked at last: one message more shifts all that follow.
    """
    found = _compared([_ID.sub("<id>", line) for line in real], [_ID.sub("<id>", line) for line in ours])
    return found or _compared(real, ours)


def _compared(real: Sequence[str], ours: Sequence[str]) -> list[str]:
    found = []
    matcher = difflib.SequenceMatcher(None, real, ours, autojunk=False)
    for kind, start, end, our_start, our_end in matcher.get_opcodes():
        if kind != "equal":
            found += _block(real[start:end], ours[our_start:our_end])
    return found


def _block(real: Sequence[str], ours: Sequence[str]) -> list[str]:
    """Say what differs in messages at the same place; whole messages where one side has more."""
    if len(real) != len(ours):
        both = [f"- {line}" for line in real] + [f"+ {line}" for line in ours]
        return [each.encode("utf-8", "backslashreplace").decode() for each in both]
    return [each for pair in zip(real, ours, strict=True) for each in _message(*pair)]


def _message(real: str, ours: str) -> list[str]:
    (speaker, theirs), (_, own) = real.split(" ", 1), ours.split(" ", 1)
    return [f"{speaker} {each}" for each in _members(json.loads(theirs), json.loads(own), "")]


def _members(real: Any, ours: Any, place: str) -> Iterator[str]:
    """Walk two values down to where they differ."""
    if isinstance(real, dict) and isinstance(ours, dict) and (real.keys() & ours.keys()):
        for name in sorted(real.keys() | ours.keys()):
            yield from _members(real.get(name, ABSENT), ours.get(name, ABSENT), f"{place}/{name}")
    elif isinstance(real, list) and isinstance(ours, list) and len(real) == len(ours):
        for index, pair in enumerate(zip(real, ours, strict=True)):
            yield from _members(*pair, f"{place}/{index}")
    elif real is ABSENT or ours is ABSENT or shown(real) != shown(ours):
        yield f"{place}: - {_value(real)} + {_value(ours)}"


def _value(value: Any) -> str:
    return "(absent)" if value is ABSENT else json.dumps(value, sort_keys=True)
