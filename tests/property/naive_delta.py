"""A second delta decoder, written from the protocol's text alone, plain and slow.

It copies the channel's value whole for every delta, joins strings at once, and shares no code with the real
one. Where the two differ, one of them reads the protocol wrongly.
"""

from __future__ import annotations

import copy
import re
from decimal import Decimal
from typing import Any


class Absent:
    """Neither copied nor equal to anything but itself."""

    def __deepcopy__(self, memo: object) -> Absent:
        return self


ABSENT = Absent()
OPS = ("add", "append", "replace", "patch", "remove", "truncate")


class RefusedError(Exception):
    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


class NaiveDecoder:
    def __init__(self) -> None:
        self.channel: Any = 0
        self.op: Any = "add"
        self.path: Any = ""
        self.documents: dict[Any, dict[str, Any]] = {}

    def push(self, delta: Any) -> None:
        if not isinstance(delta, dict):
            raise RefusedError("payload")
        delta = copy.deepcopy(delta)
        if "c" not in delta:
            delta["c"] = self.channel
        if "p" not in delta:
            delta["p"] = self.path
        if "o" not in delta:
            delta["o"] = self.op
        if "v" not in delta and "value" in delta:
            delta["v"] = delta["value"]
        validate(delta)
        if not is_number(delta["c"]):
            raise RefusedError("channel")
        self.channel, self.path, self.op = delta["c"], delta["p"], delta["o"]
        document = copy.deepcopy(self.documents.get(float(self.channel), {}))
        apply(document, delta)
        self.documents[float(self.channel)] = document

    def values(self) -> dict[float, Any]:
        return {
            channel: as_json(document["root"])
            for channel, document in self.documents.items()
            if "root" in document
        }


def is_number(value: Any) -> bool:
    return type(value) in (int, float)


def validate(delta: Any) -> None:
    if not isinstance(delta["p"], str):
        raise RefusedError("path")
    if not isinstance(delta["o"], str) or delta["o"] not in OPS:
        raise RefusedError("op")
    if delta["o"] == "truncate" and not is_number(delta.get("v")):
        raise RefusedError("truncate_value")
    if delta["o"] == "patch":
        if not isinstance(delta.get("v"), list):
            raise RefusedError("patch_value")
        for entry in delta["v"]:
            if not isinstance(entry, dict):
                raise RefusedError("patch_entry")
            for short, long in (("p", "path"), ("o", "op"), ("v", "value")):
                if short not in entry and long in entry:
                    entry[short] = entry[long]
            if "p" not in entry:
                raise RefusedError("path")
            if "o" not in entry:
                raise RefusedError("op")
            validate(entry)


def apply(document: dict[str, Any], delta: dict[str, Any]) -> None:
    """The root is the member ``root`` of the document."""
    container: Any = document
    segments = split(delta["p"])
    names = ["root", *segments]
    for place, name in enumerate(names[:-1]):
        following = names[place + 1]
        member = get(container, name)
        if member is ABSENT:
            member = [] if is_index(following) else {}
            put(container, name, member)
        if not isinstance(member, (dict, list)):
            raise RefusedError("container")
        container = member
    name = names[-1]
    target = get(container, name)
    value = copy.deepcopy(delta.get("v", ABSENT))  # a value may stand in one delta twice
    if delta["o"] == "add":
        if isinstance(container, list):
            container.insert(int(name), value)
        else:
            put(container, name, value)
    elif delta["o"] == "replace":
        put(container, name, value)
    elif delta["o"] == "remove":
        if isinstance(container, dict):
            container.pop(name, None)
        elif int(name) < len(container):
            del container[int(name)]
    elif delta["o"] == "append":
        put(container, name, appended(target, value))
    elif delta["o"] == "truncate":
        if isinstance(target, (str, list)):
            put(container, name, truncated(target, int(value)))
    elif value:
        small = {} if target is ABSENT else {"root": target}
        for entry in value:
            apply(small, entry)
        if "root" in small or target is not ABSENT:
            put(container, name, small.get("root", ABSENT))


def split(path: str) -> list[str]:
    if path == "":
        return []
    if path[0] == "/":
        path = path[1:]
    return [
        part if is_index(part) else part.replace("~1", "/").replace("~0", "~") for part in path.split("/")
    ]


def is_index(segment: str) -> bool:
    return re.fullmatch("0|[1-9][0-9]*", segment) is not None


def get(container: Any, name: str) -> Any:
    if isinstance(container, dict):
        return container.get(name, ABSENT)
    if not is_index(name):
        raise RefusedError("index")
    return container[int(name)] if int(name) < len(container) else ABSENT


def put(container: Any, name: str, value: Any) -> None:
    if isinstance(container, list):
        while len(container) <= int(name):
            container.append(ABSENT)
        container[int(name)] = value
    elif value is ABSENT:
        container.pop(name, None)
    else:
        container[name] = value


def appended(target: Any, value: Any) -> Any:
    if isinstance(target, str):
        return units(target + text(value))
    if isinstance(target, list):
        return target + value if isinstance(value, list) else [*target, value]
    if isinstance(target, dict) and isinstance(value, dict):
        return {**target, **value}
    return value


def truncated(target: Any, count: int) -> Any:
    if isinstance(target, list):
        return target[: count if count >= 0 else max(0, len(target) + count)]
    raw = target.encode("utf-16-be", "surrogatepass")
    return raw[: 2 * max(0, count)].decode("utf-16-be", "surrogatepass")


def units(string: str) -> str:
    """A string as its UTF-16 units are read: halves that stand side by side are one character."""
    return string.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "surrogatepass")


def text(value: Any) -> str:
    if value is ABSENT:
        return "undefined"
    if value is None:
        return "null"
    if value is True or value is False:
        return str(value).lower()
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ",".join("" if item is None else text(item) for item in value)
    return "[object Object]" if isinstance(value, dict) else number(float(value))


def number(value: float) -> str:
    if value == 0:
        return "0"
    if 1e-6 <= abs(value) < 1e21:
        plain = format(Decimal(repr(value)), "f")
        return plain.rstrip("0").rstrip(".") if "." in plain else plain
    mantissa, exponent = repr(value).split("e")
    return f"{mantissa.removesuffix('.0')}e{int(exponent):+d}"


def as_json(value: Any) -> Any:
    if value is ABSENT:
        return None
    if isinstance(value, dict):
        return {key: as_json(member) for key, member in value.items()}
    return [as_json(item) for item in value] if isinstance(value, list) else value
