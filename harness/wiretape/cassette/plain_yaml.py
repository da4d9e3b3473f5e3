"""YAML bytes to plain data, without anything that YAML readers of other languages would read differently.

The parser is PyYAML's safe one, in C where there is one; it is asked for events only, and nothing but
mappings, lists, text, numbers, true, false and null is built from them. Tags, anchors, aliases and
duplicate keys are refused; so are unquoted words such as ``yes`` or ``2026-08-27``, about which YAML 1.1 and
1.2 differ.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any, TypeAlias

import yaml
from yaml.resolver import Resolver

from wiretape.cassette.model import CassetteError
from wiretape.cassette.refusal import refusal, shown

IN_C: bool = yaml.__with_libyaml__
"""Whether the parser is libyaml."""

_SafeLoader = yaml.CSafeLoader if IN_C else yaml.SafeLoader
_DEEPEST = 60
_WORDS: dict[str, bool | None] = {"": None, "~": None, "null": None, "true": True, "false": False}
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,4000})(\.[0-9]+(?:[eE][-+]?[0-9]+)?)?")
_TEXT_TAG = "tag:yaml.org,2002:str"
_RESOLVER = Resolver()

_Events: TypeAlias = Iterator[Any]
"""PyYAML's event classes have no types of their own."""


def read_yaml(data: bytes) -> Any:
    """Read the one document in ``data``. Raises CassetteError with the line."""
    try:
        return _document(iter(yaml.parse(data, Loader=_SafeLoader)))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise _not_yaml(error) from None


def is_text_unquoted(text: str) -> bool:
    """Whether every YAML reader takes ``text`` for text when it stands without quotes."""
    tag = _RESOLVER.resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]
    return text not in _WORDS and tag == _TEXT_TAG


def _document(events: _Events) -> Any:
    next(events)  # the start of the stream
    if isinstance(next(events), yaml.StreamEndEvent):
        return None
    value = _value(next(events), events, 0)
    next(events)  # the end of the document
    extra = next(events)
    if not isinstance(extra, yaml.StreamEndEvent):
        raise refusal(
            at=_line(extra),
            want="one YAML document",
            got="the start of a second one",
            hint="keep each cassette in a file of its own",
        )
    return value


def _value(event: Any, events: _Events, depth: int) -> Any:
    _refuse_extras(event)
    if depth > _DEEPEST:
        raise refusal(
            at=_line(event),
            want=f"at most {_DEEPEST} levels of nesting",
            got="one more",
            hint="a cassette nests less than ten levels deep: look for a stray bracket or indentation",
        )
    if isinstance(event, yaml.ScalarEvent):
        return event.value if event.style else _unquoted(event)
    if isinstance(event, yaml.SequenceStartEvent):
        return _list(events, depth + 1)
    return _mapping(events, depth + 1)


def _list(events: _Events, depth: int) -> list[Any]:
    values = []
    while not isinstance(event := next(events), yaml.SequenceEndEvent):
        values.append(_value(event, events, depth))
    return values


def _mapping(events: _Events, depth: int) -> dict[str, Any]:
    values: dict[str, Any] = {}
    while not isinstance(event := next(events), yaml.MappingEndEvent):
        key = _value(event, events, depth)
        if not isinstance(key, str):
            raise refusal(
                at=_line(event), want="text as a key", got=shown(key), hint="put the key in double quotes"
            )
        if key in values:
            raise refusal(
                at=_line(event),
                want="each key once in its mapping",
                got=f"a second {key!r}",
                hint="remove or rename one of the two",
            )
        values[key] = _value(next(events), events, depth)
    return values


def _unquoted(event: Any) -> Any:
    text = event.value
    if text in _WORDS:
        return _WORDS[text]
    if number := _NUMBER.fullmatch(text):
        value = float(text) if number[1] else int(text)
        if math.isfinite(value):
            return value
    elif is_text_unquoted(text):
        return text
    raise refusal(
        at=_line(event),
        want="text in quotes, or a number, true, false or null as JSON writes them",
        got=text,
        hint=f'YAML readers differ about this word; write "{text}" if it is text',
    )


def _refuse_extras(event: Any) -> None:
    tag = getattr(event, "tag", None)
    if tag is not None:
        raise refusal(
            at=_line(event),
            want="plain data without YAML tags",
            got=f"the tag {tag}",
            hint='remove the tag; bytes that are no text are written as {base64: "…"}',
        )
    if event.anchor is not None:
        raise refusal(
            at=_line(event),
            want="every value written out",
            got=f"the anchor or alias {event.anchor!r}",
            hint="write the value out, or put the text in quotes if it is text",
        )


def _line(event: Any) -> str:
    return f"line {event.start_mark.line + 1}"


def _not_yaml(error: Exception) -> CassetteError:
    mark = getattr(error, "problem_mark", None)
    return refusal(
        at=f"line {mark.line + 1}, column {mark.column + 1}" if mark else "the file's bytes",
        want="YAML",
        got=str(getattr(error, "problem", None) or error).replace("\n", " "),
        hint="mend this place: look for an open quote or bracket, or indentation that does not fit",
    )
