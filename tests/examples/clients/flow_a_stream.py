"""Reading a Flow A answer: the event stream, and delta encoding v1, in one page and without dependencies."""

from __future__ import annotations

import codecs
import io
import json
import re
from collections.abc import AsyncIterable, AsyncIterator
from itertools import pairwise
from typing import Any


class StreamError(Exception):
    """The stream can't be read; the text says why."""


async def events(chunks: AsyncIterable[bytes]) -> AsyncIterator[tuple[str, str]]:
    """Cut a byte stream into (event name, data); a chunk may end inside a character or between CR and LF."""
    utf8 = codecs.getincrementaldecoder("utf-8-sig")("replace")
    lines = io.IncrementalNewlineDecoder(utf8, translate=True)
    rest = ""
    async for chunk in chunks:
        *blocks, rest = (rest + lines.decode(chunk)).split("\n\n")
        for block in blocks:
            yield parse_event(block)
    # only now is it sure that no LF belongs to the CR that came last
    *blocks, _unfinished = (rest + lines.decode(b"", final=True)).split("\n\n")
    for block in blocks:
        yield parse_event(block)


def parse_event(block: str) -> tuple[str, str]:
    name, data = "message", []
    for line in block.split("\n"):
        field, _, value = line.partition(":")
        if field == "event":
            name = value.removeprefix(" ")
        elif field == "data":
            data.append(value.removeprefix(" "))
    return name, "\n".join(data)


class Deltas:
    """One value per channel; channel, path and op are inherited from the delta before, v never is."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.inherited: dict[str, Any] = {"c": 0, "p": "", "o": "add"}

    def push(self, delta: dict[str, Any]) -> Any:
        """Apply one delta and return the whole value of its channel."""
        self.inherited = {key: delta.get(key, self.inherited[key]) for key in "cpo"}
        channel = str(self.inherited["c"])
        apply(self.values, [channel, *keys(self.inherited["p"])], self.inherited["o"], delta.get("v"))
        return self.values.get(channel)


def keys(path: str) -> list[str | int]:
    """Split a path: whole numbers are list indices, ~1 is a slash and ~0 a tilde."""
    parts = path.removeprefix("/").split("/") if path else []
    return [
        int(part) if re.fullmatch("0|[1-9][0-9]*", part) else part.replace("~1", "/").replace("~0", "~")
        for part in parts
    ]


def apply(node: Any, path: list[str | int], op: str, value: Any) -> None:
    """Walk to the last key, creating what is missing on the way, and change the member there."""
    for key, following in pairwise(path):
        if member(node, key) is None:
            put(node, key, [] if isinstance(following, int) else {})
        node = member(node, key)
    key = path[-1]
    old = member(node, key)
    if op == "add" and isinstance(node, list):
        node.insert(int(key), value)
    elif op in ("add", "replace"):
        put(node, key, value)
    elif op == "append":
        put(node, key, appended(old, value))
    elif op == "truncate" and isinstance(old, str | list):
        put(node, key, truncated(old, int(value)))
    elif op == "remove" and isinstance(node, list):
        del node[int(key) : int(key) + 1]
    elif op == "remove":
        node.pop(str(key), None)
    elif op == "patch":
        inner = {"": old}  # the paths of entries start at the patched value, and nothing is inherited
        for entry in value:
            apply(inner, ["", *keys(entry["p"])], entry["o"], entry.get("v"))
        put(node, key, inner.get(""))
    elif op != "truncate":
        raise StreamError(f"unknown delta operation {op!r}")


def member(node: Any, key: str | int) -> Any:
    if isinstance(node, list) and isinstance(key, int):
        return node[key] if key < len(node) else None
    if isinstance(node, dict):
        return node.get(str(key))
    raise StreamError(f"a delta's path leads to {key!r} inside {node!r}")


def put(node: Any, key: str | int, value: Any) -> None:
    if isinstance(node, list):
        node.extend([None] * (int(key) + 1 - len(node)))
        node[int(key)] = value
    else:
        node[str(key)] = value


def appended(old: Any, value: Any) -> Any:
    """Text grows by text, a list by elements, an object by members; anything else is replaced."""
    if isinstance(old, str):
        return old + (value if isinstance(value, str) else json.dumps(value))
    if isinstance(old, list):
        return old + (value if isinstance(value, list) else [value])
    return {**old, **value} if isinstance(old, dict) and isinstance(value, dict) else value


def truncated(old: str | list[Any], length: int) -> str | list[Any]:
    """Keep the first ``length`` UTF-16 units of a text, or elements of a list."""
    if isinstance(old, list):
        return old[:length]
    return old.encode("utf-16-le", "surrogatepass")[: 2 * max(length, 0)].decode("utf-16-le", "surrogatepass")


def joined(text: str) -> str:
    """Join surrogate halves that arrived in two deltas to the character they make."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
