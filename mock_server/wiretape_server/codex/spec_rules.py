"""Holds declared tools to the rules of thread/start: names, namespaces, and the shape of their schemas.

The checks of one tool or namespace run in the order of the measured table; that two broken rules of one
declaration are told apart in this order is inferred.
"""

from __future__ import annotations

import re
from typing import Final

from wiretape_server.codex.errors import RefusedError
from wiretape_server.codex.profile import Profile
from wiretape_server.codex.schema_shape import schema_complaint
from wiretape_server.codex.specs import Declaration, Namespace, Tool, functions

_PATTERN: Final = "^[a-zA-Z0-9_-]+$"
_NAME: Final = re.compile(_PATTERN.removesuffix("$") + r"\Z")
_MAX_NAME: Final = 128
_MAX_NAMESPACE: Final = 64
_MAX_DESCRIPTION: Final = 1024
_RESPONSES_NAMESPACES: Final = frozenset(
    [
        "api_tool",
        "browser",
        "computer",
        "container",
        "file_search",
        "functions",
        "image_gen",
        "multi_tool_use",
        "python",
        "python_user_visible",
        "submodel_delegator",
        "terminal",
        "tool_search",
        "web",
    ]
)
_ESCAPES: Final = {"\t": "\\t", "\r": "\\r", "\n": "\\n", "'": "\\'", '"': '\\"', "\\": "\\\\"}


def check(declared: Declaration, profile: Profile) -> None:
    """Raises RefusedError with the first rule that a declaration breaks."""
    seen: set[tuple[str | None, str]] = set()
    namespaces: set[str] = set()
    for each in declared:
        if isinstance(each, Namespace):
            _check_namespace(each, namespaces)
            namespaces.add(each.name)
        for tool in functions((each,)):
            _check_tool(tool, profile, seen)
            seen.add((tool.namespace, tool.name))


def _check_tool(tool: Tool, profile: Profile, seen: set[tuple[str | None, str]]) -> None:
    name = escaped(tool.name) if profile.name_rules else tool.name
    if not tool.name.strip():
        raise RefusedError("dynamic tool name must not be empty")
    if tool.name.strip() != tool.name:
        raise RefusedError(f"dynamic tool name has leading/trailing whitespace: {name}")
    if profile.name_rules:
        _check_for_responses(tool.name, "dynamic tool name", _MAX_NAME)
    if _is_mcp(tool.name):
        raise RefusedError(f"dynamic tool name is reserved: {name}")
    if (tool.namespace, tool.name) in seen:
        where = f" in namespace {tool.namespace}" if tool.namespace is not None else ""
        raise RefusedError(f"duplicate dynamic tool name{where}: {name}")
    if tool.deferred and tool.namespace is None:
        raise RefusedError(f"deferred dynamic tool must include a namespace: {name}")
    complaint = schema_complaint(tool.schema, profile.schema)
    if complaint:
        raise RefusedError(f"dynamic tool input schema is not supported for {name}: {complaint}")


def _check_namespace(namespace: Namespace, seen: set[str]) -> None:
    name = namespace.name
    if not name.strip():
        raise RefusedError("dynamic tool namespace must not be empty")
    if name.strip() != name:
        raise RefusedError(f"dynamic tool namespace has leading/trailing whitespace: {escaped(name)}")
    _check_for_responses(name, "dynamic tool namespace", _MAX_NAMESPACE)
    if _is_mcp(name):
        raise RefusedError(f"dynamic tool namespace is reserved: {name}")
    if name in _RESPONSES_NAMESPACES:
        raise RefusedError(f"dynamic tool namespace collides with a reserved Responses API namespace: {name}")
    if name in seen:
        raise RefusedError(f"duplicate dynamic tool namespace: {name}")
    if not namespace.tools:
        raise RefusedError(f"dynamic tool namespace must contain at least one tool: {name}")
    if len(namespace.description) > _MAX_DESCRIPTION:
        raise RefusedError(
            f"dynamic tool namespace description must be at most {_MAX_DESCRIPTION} characters"
        )


def _check_for_responses(name: str, what: str, longest: int) -> None:
    if not _NAME.match(name):
        raise RefusedError(f"{what} must match {_PATTERN} to match Responses API: {escaped(name)}")
    if len(name) > longest:
        raise RefusedError(f"{what} must be at most {longest} characters to match Responses API: {name}")


def _is_mcp(name: str) -> bool:
    return name == "mcp" or name.startswith("mcp__")


def escaped(text: str) -> str:
    """Print a text as Rust's ``escape_default`` does: ``é`` is ``\\u{e9}``."""
    return "".join(
        _ESCAPES.get(char) or (char if " " <= char <= "~" else f"\\u{{{ord(char):x}}}") for char in text
    )
