"""Schemas of tools: any that values can be made for, drawn at random; and tools as clients declare them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

_NAMES = st.sampled_from(["a", "b", "text", "ção", "", "a/b"])


def _bounded(least: str, most: str, sizes: st.SearchStrategy[int]) -> st.SearchStrategy[dict[str, Any]]:
    """A lower and an upper bound, either or both or none."""
    both = st.tuples(sizes, sizes).map(lambda pair: {least: min(pair), most: max(pair)})
    return st.one_of(st.just({}), both, sizes.map(lambda size: {least: size}))


_STRINGS = _bounded("minLength", "maxLength", st.integers(0, 40)).map(lambda more: {"type": "string"} | more)
_NUMBERS = st.tuples(
    st.sampled_from(["integer", "number"]), _bounded("minimum", "maximum", st.integers(-99, 10**6))
).map(lambda pair: {"type": pair[0]} | pair[1])
_LEAVES = st.one_of(
    st.just(True),
    st.just({}),
    st.sampled_from([{"type": "boolean"}, {"type": "null"}, {"const": [1]}, {"enum": ["a", 2, None]}]),
    st.sampled_from([{"type": ["string", "null"]}, {"type": "string", "format": "date"}]),
    _STRINGS,
    _NUMBERS,
)


def _containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.tuples(st.dictionaries(_NAMES, inner, max_size=3), st.sets(_NAMES, max_size=2)).map(_object),
        inner.map(lambda item: {"type": "array", "items": item, "minItems": 1}),
        st.tuples(inner, inner).map(lambda pair: {"anyOf": list(pair)}),
        st.lists(inner, min_size=1, max_size=2).map(
            lambda items: {"type": "array", "prefixItems": items, "items": False, "minItems": len(items)}
        ),
    )


def _object(parts: tuple[dict[str, Any], set[str]]) -> dict[str, Any]:
    properties, required = parts
    return {"type": "object", "properties": properties, "required": sorted(required)}


def schemas() -> st.SearchStrategy[Any]:
    """Schemas of few levels that some value fits."""
    return st.recursive(_LEAVES, _containers, max_leaves=6)


def signature(name: str, *required: str, optional: tuple[str, ...] = (), **kinds: str) -> dict[str, Any]:
    """A tool of a Flow A client; parameters are texts but for ``kinds``."""
    params = [
        {
            "name": each,
            "required": each in required,
            "type": {"description": "", "type": kinds.get(each, "string")},
        }
        for each in (*required, *optional)
    ]
    return {"description": f"The tool {name}.", "name": name, "params": params, "type": "kwargs"}


def function(name: str, schema: Any, **more: Any) -> dict[str, Any]:
    """A dynamic tool of a Codex client."""
    return {"type": "function", "name": name, "description": "", "inputSchema": schema} | more


TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
"""The schema of a tool that says its text again."""
