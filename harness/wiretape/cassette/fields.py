"""Plain data to typed values: what every part of the format reads its mappings, lists and texts with."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from wiretape.cassette.model import CassetteError
from wiretape.cassette.refusal import nearest, refusal, shown

Read: TypeAlias = Callable[[Any, str], Any]
"""Gets a value and its key path, gives what the model holds. Raises CassetteError."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a mapping: how what stands behind it is read, and whether it has to be there."""

    read: Read
    required: bool = False


def record(value: Any, at: str, keys: Mapping[str, Key]) -> dict[str, Any]:
    """Read a mapping whose keys are all known."""
    given = mapping(value, at)
    for name in given:
        if name not in keys:
            raise _unknown_key(name, at, keys)
    for name, key in keys.items():
        if key.required and name not in given:
            raise refusal(
                at=at or "the top level",
                want=f"the key {name!r}",
                got="no such key",
                hint=f"add {name}: docs/cassette-format.md has an example",
            )
    return {name: keys[name].read(item, f"{at}.{name}" if at else name) for name, item in given.items()}


def one_key(value: Any, at: str, keys: Mapping[str, Key]) -> tuple[str, Any]:
    """Read a mapping that has exactly one of these keys: the key and what it holds."""
    fields = record(value, at, keys)
    if len(fields) != 1:
        raise wrong(at, f"one of {', '.join(keys)}, and only one", value, "write each as an entry of its own")
    return fields.popitem()


def wrong(at: str, want: str, got: object, hint: str) -> CassetteError:
    """Make the error of a value that is not what it should be."""
    return refusal(at=at, want=want, got=shown(got), hint=hint)


def mapping(value: Any, at: str, want: str = "a mapping") -> dict[str, Any]:
    """Read a mapping of any keys."""
    if not isinstance(value, dict):
        raise wrong(at, want, value, "write key: value lines, indented below it")
    return value


def text(value: Any, at: str) -> str:
    """Read a text."""
    if not isinstance(value, str):
        raise wrong(at, "text", value, "put it in double quotes, or leave the key out")
    return value


def http_status(value: Any, at: str) -> int:
    """Read the status of an answer."""
    if type(value) is not int or not 100 <= value <= 599:
        raise wrong(at, "an HTTP status from 100 to 599", value, "write the number without quotes")
    return value


def list_of(read: Read, *, least: int = 0) -> Read:
    """Read a list into a tuple, entry by entry; ``least`` is how many there must be."""

    def read_list(value: Any, at: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise wrong(at, "a list", value, "write one entry a line, each behind a dash")
        if len(value) < least:
            raise wrong(
                at, f"at least {least} entry", value, "an empty recording can't be played; record again"
            )
        return tuple(read(item, f"{at}[{index}]") for index, item in enumerate(value))

    return read_list


def mapping_of(read: Read) -> Read:
    """Read a mapping of any keys, value by value."""
    return lambda value, at: {key: read(item, f"{at}.{key}") for key, item in mapping(value, at).items()}


def one_of(*words: str) -> Read:
    """Read one of these words."""

    def read_word(value: Any, at: str) -> str:
        if not isinstance(value, str) or value not in words:
            raise wrong(at, f"one of {', '.join(words)}", value, "choose one of these words")
        return value

    return read_word


def matching(pattern: str, want: str) -> Read:
    """Read a text that a pattern matches as a whole; ``want`` says it in words."""

    def read_matching(value: Any, at: str) -> str:
        if not isinstance(value, str) or not re.fullmatch(pattern, value):
            raise wrong(at, want, value, "write it as it stood in the request line")
        return value

    return read_matching


def of(model: Callable[..., Any], keys: Mapping[str, Key]) -> Read:
    """Read a mapping of these keys into a dataclass."""
    return lambda value, at: model(**record(value, at, keys))


def _unknown_key(name: str, at: str, keys: Mapping[str, Key]) -> CassetteError:
    guess = nearest(name, keys)
    own = "" if at else "; keys of your own begin with x-"
    return refusal(
        at=at or "the top level",
        want=f"only these keys: {', '.join(keys)}",
        got=f"the key {name!r}",
        hint=(f"did you mean {guess!r}?" if guess else "remove it") + own,
    )
