"""What a declaration of tools must look like for the app-server to take it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from wiretape import strictjson
from wiretape.codex.dialects import Dialect, dialect_of, version_of
from wiretape.codex.input_schema import schema_fault
from wiretape.codex.messages import fields
from wiretape.strictjson import ABSENT

_PATTERN: Final = "^[a-zA-Z0-9_-]+$"
_NAME: Final = re.compile(r"[a-zA-Z0-9_-]+")
_NOT_RESERVED: Final = "a name that is not reserved"
_RESERVED_NAMESPACES: Final = frozenset(
    (
        *("api_tool", "browser", "computer", "container", "file_search", "functions", "image_gen"),
        *("multi_tool_use", "python", "python_user_visible", "submodel_delegator", "terminal"),
        *("tool_search", "web"),
    )
)


@dataclass(frozen=True, slots=True)
class SpecFault:
    """What is wrong with a declaration. ``path`` leads on from ``dynamicTools``: ``[0].name``."""

    path: str
    want: str
    got: object


_Faults: TypeAlias = Iterator[SpecFault]


def first_fault(tools: object, dialect: Dialect) -> SpecFault | None:
    """The first thing that is wrong with ``dynamicTools``; None when the app-server takes them.

    Members that are missing or of another type come before every rule about names: they can't be read.
    """
    if not isinstance(tools, list):
        return SpecFault("", "a list", tools)
    unreadable = next(_shapes(tools, dialect), None)
    return unreadable or next(_names(tools, dialect), None)


def refusal(tools: Iterable[object], profile: str) -> str:
    """Why the server of a profile refuses these tools, in a sentence; empty when it takes them."""
    fault = first_fault(list(tools), dialect_of(version_of(profile)))
    if fault is None:
        return ""
    got = "nothing" if fault.got is ABSENT else strictjson.dumps(fault.got)
    where = f"dynamicTools{fault.path}: expected {fault.want}, got {got}"
    return f"its tools can't be declared in profile {profile}: {where}"


def _numbered(entries: list[Any]) -> Iterator[tuple[str, Any]]:
    for index, entry in enumerate(entries):
        yield f"[{index}]", entry


# --- is every member there and of its type?

_Member: TypeAlias = tuple[str, str, Callable[[object], bool]]


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


_NAMED: Final[tuple[_Member, ...]] = (("name", "a string", _is_text), ("description", "a string", _is_text))
_FUNCTION: Final[tuple[_Member, ...]] = (*_NAMED, ("inputSchema", "a schema", lambda _: True))
_NAMESPACE: Final[tuple[_Member, ...]] = (*_NAMED, ("tools", "a list", lambda got: isinstance(got, list)))
_DEFER: Final[tuple[_Member, ...]] = (("deferLoading", "true or false", _is_flag),)
_FLAT: Final[tuple[_Member, ...]] = (
    ("deferLoading", "true or false", lambda got: got is None or _is_flag(got)),
    ("exposeToContext", "true or false", lambda got: got is None or _is_flag(got)),
    ("namespace", "a string", lambda got: got is None or _is_text(got)),
)


def _members(
    entry: object, path: str, needed: tuple[_Member, ...], more: tuple[_Member, ...] = ()
) -> _Faults:
    if not isinstance(entry, dict):
        yield SpecFault(path, "an object", entry)
    for name, want, holds in (*needed, *more):
        got = fields(entry).get(name, ABSENT)
        if (got is ABSENT and (name, want, holds) in needed) or (got is not ABSENT and not holds(got)):
            yield SpecFault(f"{path}.{name}", want, got)


def _shapes(tools: list[Any], dialect: Dialect) -> _Faults:
    """Up to 0.110 there is one flat form; since then either that or the canonical one, for the whole list."""
    flat = not any("type" in fields(entry) for entry in tools)
    for path, entry in _numbered(tools):
        if dialect.canonical_tools and not flat:
            yield from _canonical(entry, path, ("function", "namespace"))
        else:
            yield from _members(entry, path, _FUNCTION, _FLAT if dialect.canonical_tools else ())


def _canonical(entry: Any, path: str, kinds: tuple[str, ...]) -> _Faults:
    kind = fields(entry).get("type", ABSENT)
    if kind not in kinds:
        yield SpecFault(f"{path}.type", " or ".join(kinds), kind)
    elif kind == "function" and "namespace" in entry:
        yield SpecFault(f"{path}.namespace", "an entry of type namespace around the tool", entry["namespace"])
    elif kind == "function":
        yield from _members(entry, path, _FUNCTION, _DEFER)
    else:
        yield from _members(entry, path, _NAMESPACE)
        inner = entry.get("tools")
        for below, tool in _numbered(inner if isinstance(inner, list) else []):
            yield from _canonical(tool, f"{path}.tools{below}", ("function",))


# --- may it be called that, and does its schema do?


def _names(tools: list[Any], dialect: Dialect) -> _Faults:
    seen: set[tuple[str | None, str]] = set()
    namespaces: set[str] = set()
    for path, entry in _numbered(tools):
        if not dialect.canonical_tools or entry.get("type") != "namespace":
            yield from _tool(entry, path, entry.get("namespace"), seen, dialect)
            continue
        yield from _namespace(entry, path)
        if entry["name"] in namespaces:
            yield SpecFault(f"{path}.name", "a name of its own", entry["name"])
        namespaces.add(entry["name"])
        for below, tool in _numbered(entry["tools"]):
            yield from _tool(tool, f"{path}.tools{below}", entry["name"], seen, dialect)


def _tool(
    tool: dict[str, Any], path: str, around: object, seen: set[tuple[str | None, str]], dialect: Dialect
) -> _Faults:
    name, namespace = tool["name"], around if isinstance(around, str) and dialect.canonical_tools else None
    if "namespace" in tool and namespace is not None:
        yield from _namespace_name(namespace, f"{path}.namespace")
    yield from _name(name, f"{path}.name", dialect)
    if (namespace, name) in seen:
        yield SpecFault(f"{path}.name", "a name of its own", name)
    seen.add((namespace, name))
    hidden = "type" not in tool and tool.get("exposeToContext") is False  # only flat entries know it
    deferred = tool.get("deferLoading") is True or hidden
    if deferred and namespace is None and dialect.canonical_tools:
        yield SpecFault(path, "a namespace for a deferred tool", tool)
    fault = schema_fault(tool["inputSchema"], dialect)
    if fault is not None:
        where, want, got = fault
        yield SpecFault(f"{path}.inputSchema{where}", want, got)


def _name(name: str, path: str, dialect: Dialect) -> _Faults:
    if not name.strip():
        yield SpecFault(path, "a name", name)
    if name != name.strip():
        yield SpecFault(path, "no blanks around it", name)
    if dialect.canonical_tools:
        yield from _characters(name, path, 128)
    if _is_reserved(name):
        yield SpecFault(path, _NOT_RESERVED, name)


def _characters(name: str, path: str, longest: int) -> _Faults:
    if not _NAME.fullmatch(name):
        yield SpecFault(path, _PATTERN, name)
    if len(name) > longest:
        yield SpecFault(path, f"at most {longest} characters", name)


def _is_reserved(name: str) -> bool:
    return name == "mcp" or name.startswith("mcp__")


def _namespace_name(name: str, path: str) -> _Faults:
    if not name:
        yield SpecFault(path, "a name", name)
    yield from _characters(name, path, 64)
    if _is_reserved(name) or name in _RESERVED_NAMESPACES:
        yield SpecFault(path, _NOT_RESERVED, name)


def _namespace(entry: dict[str, Any], path: str) -> _Faults:
    yield from _namespace_name(entry["name"], f"{path}.name")
    if len(entry["description"]) > 1024:
        yield SpecFault(f"{path}.description", "at most 1024 characters", entry["description"])
    if not entry["tools"]:
        yield SpecFault(f"{path}.tools", "at least one tool", entry["tools"])
