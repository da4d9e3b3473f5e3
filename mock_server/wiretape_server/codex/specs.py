"""Reads the tools that a client declares in thread/start, as far as their JSON can be read at all.

What can be read is then held to the rules for names and schemas, in ``spec_rules``: an unreadable entry wins
over any rule (inferred).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from wiretape_server.codex import serde
from wiretape_server.codex.profile import Profile
from wiretape_server.codex.serde import UnreadableError

_MIXED: Final = "dynamic tools must use either canonical or legacy format consistently"
_REQUIRED: Final = ("name", "description", "inputSchema")
_TYPES: Final = {"name": serde.STRING, "description": serde.STRING}
_FLAT: Final = {**_TYPES, "inputSchema": serde.ANYTHING}
_CANONICAL: Final = {**_FLAT, "deferLoading": serde.BOOLEAN}
_LEGACY: Final = {
    **_FLAT,
    "deferLoading": serde.BOOLEAN + serde.OR_NULL,
    "exposeToContext": serde.BOOLEAN + serde.OR_NULL,
    "namespace": serde.STRING + serde.OR_NULL,
}
_NAMESPACE: Final = {**_TYPES, "tools": serde.SEQUENCE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A declared function. The model calls it by ``namespace`` and ``name``."""

    name: str
    description: str
    schema: Any
    namespace: str | None = None
    deferred: bool = False
    """Not offered to the model, but a call of it reaches the client."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Namespace:
    """A declared group of functions."""

    name: str
    description: str
    tools: tuple[Tool, ...]


Declaration = tuple[Tool | Namespace, ...]


def read_tools(value: list[Any] | None, profile: Profile) -> Declaration:
    """Read ``dynamicTools``, a list or null. Raises UnreadableError."""
    entries = value or []
    if not entries:
        return ()
    if not profile.canonical_tools:
        return tuple(_flat(entry, _FLAT, "struct DynamicToolSpec") for entry in entries)
    if len({is_canonical(entry) for entry in entries}) > 1:
        raise UnreadableError(_MIXED)
    if is_canonical(entries[0]):
        return tuple(_canonical(entry) for entry in entries)
    legacy = [_flat(entry, _LEGACY, "struct LegacyDynamicToolSpec", bare=True) for entry in entries]
    return _grouped(legacy)


def is_canonical(entry: object) -> bool:
    return isinstance(entry, dict) and "type" in entry


def _canonical(entry: dict[str, Any]) -> Tool | Namespace:
    kind = _kind(entry, ("function", "namespace"))
    return _namespace(entry) if kind == "namespace" else _function(entry, None)


def _kind(entry: dict[str, Any], known: Sequence[str]) -> str:
    kind = entry["type"]
    if not isinstance(kind, str):
        raise UnreadableError(serde.invalid_type(kind, "variant identifier", bare=True))
    if kind not in known:
        raise UnreadableError(serde.unknown_variant(kind, known))
    return kind


def _namespace(entry: dict[str, Any]) -> Namespace:
    serde.check_members(entry, _NAMESPACE, ("name", "description", "tools"), "struct")
    if not all(is_canonical(tool) for tool in entry["tools"]):
        raise UnreadableError(_MIXED)
    for tool in entry["tools"]:
        _kind(tool, ("function",))
    tools = tuple(_function(tool, entry["name"]) for tool in entry["tools"])
    return Namespace(name=entry["name"], description=entry["description"], tools=tools)


def _function(entry: dict[str, Any], namespace: str | None) -> Tool:
    if "namespace" in entry:
        raise UnreadableError(_MIXED)
    serde.check_members(entry, _CANONICAL, _REQUIRED, "struct")
    return _tool(entry, namespace, deferred=entry.get("deferLoading", False))


def _flat(entry: Any, types: Mapping[str, str], struct: str, *, bare: bool = False) -> Tool:
    """A flat entry. What ``types`` does not name is an unknown member, and ignored."""
    serde.check_members(entry, types, _REQUIRED, struct, bare=bare)
    known = {name: entry[name] for name in types if name in entry}
    deferred = bool(known.get("deferLoading")) or known.get("exposeToContext") is False
    return _tool(entry, known.get("namespace"), deferred=deferred)


def _tool(entry: dict[str, Any], namespace: str | None, *, deferred: bool) -> Tool:
    return Tool(
        name=entry["name"],
        description=entry["description"],
        schema=entry["inputSchema"],
        namespace=namespace,
        deferred=deferred,
    )


def _grouped(tools: list[Tool]) -> Declaration:
    """Flat entries of one namespace become that namespace, at the place of its first entry."""
    groups: dict[str, list[Tool]] = {}
    for tool in tools:
        if tool.namespace is not None:
            groups.setdefault(tool.namespace, []).append(tool)
    declared: list[Tool | Namespace] = []
    for tool in tools:
        if tool.namespace is None:
            declared.append(tool)
        elif members := groups.pop(tool.namespace, None):
            about = f"Tools in the {tool.namespace} namespace."
            declared.append(Namespace(name=tool.namespace, description=about, tools=tuple(members)))
    return tuple(declared)


def functions(declared: Declaration) -> list[Tool]:
    """Every tool of a declaration, those of namespaces too, in order."""
    return [tool for each in declared for tool in (each.tools if isinstance(each, Namespace) else (each,))]


def find(declared: Declaration, namespace: str | None, name: str) -> Tool | None:
    """The tool that the model means; one in a namespace is only found with it."""
    named = (tool for tool in functions(declared) if tool.name == name and tool.namespace == namespace)
    return next(named, None)
