"""The tools that a client declares in a session, and what each of them gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from wiretape.testing import declarations, json_texts, results, texts
from wiretape.testing.changes import Draw

ECHO: Final = "echo"
_FIXED: Final = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolbox:
    """Declared tools, and the results of those that are called: an object, or ``"echo"``."""

    declared: tuple[Mapping[str, Any], ...]
    results: Mapping[str, Any]

    def arguments(self, tool: str) -> SearchStrategy[str]:
        """JSON texts of arguments that fit a tool's signature."""
        (params,) = (each["params"] for each in self.declared if each["name"] == tool)
        required = {each["name"]: texts() for each in params if each["required"]}
        optional = {each["name"]: texts() for each in params if not each["required"]}
        return st.fixed_dictionaries(required, optional=optional).flatmap(json_texts)


@st.composite
def toolboxes(draw: Draw) -> Toolbox:
    """Up to three tools of any name and signature. All of them take a ``message``, which some give back."""
    drawn = draw(st.lists(declarations(), min_size=1, max_size=3, unique_by=lambda each: str(each["name"])))
    tools = [_with_a_message(each) for each in drawn]
    given = {each["name"]: draw(st.just("echo") | results(each["name"])) for each in tools}
    return Toolbox(declared=(_HANDOFF, *tools), results=given)


def _with_a_message(declaration: Mapping[str, Any]) -> dict[str, Any]:
    """Under a name that no other tool has, whatever was drawn."""
    others = [each for each in declaration["params"] if each["name"] != "message"]
    message = _param("message", required=True)
    return {**declaration, "name": f"my_{declaration['name']}", "params": [message, *others]}


def _param(name: str, *, required: bool) -> dict[str, Any]:
    return {"name": name, "required": required, "type": {"description": name, "type": "string"}}


def _tool(name: str) -> dict[str, Any]:
    params = [_param("message", required=True), _param("aside", required=False)]
    return {"description": f"The tool {name}.", "name": name, "params": params, "type": "kwargs"}


_HANDOFF: Final = {
    "description": "Hands the request over.",
    "name": "handoff",
    "params": [_param("prompt", required=True), _param("reason", required=True)],
    "type": "kwargs",
}
USUAL: Final = Toolbox(
    declared=(_HANDOFF, _tool(ECHO), _tool(_FIXED)), results={ECHO: "echo", _FIXED: {"message": "noted"}}
)
