"""Which declared signatures can be called. What is wrong with the others, the rules say."""

from __future__ import annotations

from typing import Any

from wiretape.flow_a.declarations import param_misfit, signature_misfit
from wiretape.scenario.plan import Tool
from wiretape.scenario.schema import TYPES


def callable_tools(declared: object) -> list[Tool]:
    """The tools of ``local_function_signatures`` that can be called, each name once."""
    found: dict[str, Tool] = {}
    for signature in declared if isinstance(declared, list) else []:
        if signature_misfit(signature) is None and all(map(_is_callable, signature["params"])):
            found.setdefault(signature["name"], Tool(name=signature["name"], schema=_schema(signature)))
    return list(found.values())


def _is_callable(param: Any) -> bool:
    """Whether a parameter says what it takes: also what a rule objects to, a type that is no string."""
    return param_misfit(param) is None and param["type"].get("type") in TYPES


def _schema(signature: dict[str, Any]) -> dict[str, Any]:
    params = signature["params"]
    return {
        "type": "object",
        "properties": {param["name"]: param["type"] for param in params},
        "required": [param["name"] for param in params if param["required"]],
    }
