"""Where in a JSON text a finding's path leads, down to the character; also inside JSON that a text holds."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

from wiretape import strictjson
from wiretape.strictjson import StrictJSONError

Step: TypeAlias = "str | int | None"
"""A key, an index, or None: into the JSON that a text holds."""

_DECODER: Final = json.JSONDecoder()
_BLANKS: Final = re.compile(r"[ \t\n\r]*")
_CHARACTER: Final = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL
)
"""What stands for one character inside a JSON text."""


class Place(NamedTuple):
    """The characters of a value, and the way to it. ``missing``: what of the path is not there."""

    start: int
    end: int
    steps: tuple[Step, ...]
    missing: str


class _Member(NamedTuple):
    step: str | int
    label: str
    start: int


def find(text: str, path: str) -> Place:
    """Follow a path, ``messages[0].content.text.call_id``, in a text that is strict JSON.

    Keys may hold dots and brackets: the longest one that fits is meant. Where the path leads to nothing, the
    place is that of the last value on the way.
    """
    start = _behind_blanks(text, 0)
    rest = path if path[:1] in ("", "[", ".") else f".{path}"
    steps: list[Step] = []
    while rest:
        fitting = [each for each in _members(text, start) if _begins(rest, each.label)]
        if not fitting:
            return _inside(text, start, tuple(steps), rest)
        member = max(fitting, key=lambda each: len(each.label))
        steps.append(member.step)
        start, rest = member.start, rest[len(member.label) :]
    return Place(start, _end(text, start), tuple(steps), "")


def _inside(text: str, start: int, steps: tuple[Step, ...], rest: str) -> Place:
    """Go on in the JSON that a text holds; stay where it is none."""
    end = _end(text, start)
    value = _DECODER.raw_decode(text, start)[0]
    here = Place(start, end, steps, rest.removeprefix("."))
    if not isinstance(value, str):
        return here
    try:
        strictjson.loads(value)
    except StrictJSONError:
        return here
    inner = find(value, rest)
    at = [each.start() for each in _CHARACTER.finditer(text, start + 1, end - 1)] + [end - 1]
    return Place(at[inner.start], at[inner.end], (*steps, None, *inner.steps), inner.missing)


def _begins(path: str, label: str) -> bool:
    return path.startswith(label) and path[len(label) : len(label) + 1] in ("", ".", "[")


def _members(text: str, start: int) -> Iterator[_Member]:
    """The members of the object or list that begins here; none of anything else."""
    opening = text[start]
    if opening not in "{[":
        return
    at, index = _behind_blanks(text, start + 1), 0
    while text[at] not in "}]":
        member = _Member(index, f"[{index}]", at)
        if opening == "{":
            key, at = _DECODER.raw_decode(text, at)
            at = _behind_blanks(text, _behind_blanks(text, at) + 1)
            member = _Member(key, f".{key}", at)
        yield member
        index += 1
        at = _behind_blanks(text, _end(text, at))
        if text[at] == ",":
            at = _behind_blanks(text, at + 1)


def _end(text: str, start: int) -> int:
    return _DECODER.raw_decode(text, start)[1]


def _behind_blanks(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    assert found is not None  # it matches nothing at all too
    return found.end()
