"""Values that fit a JSON Schema, as far as one can be read without trying values out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import ceil, inf, isfinite
from typing import Any, Final

from wiretape import pointer, strictjson
from wiretape.scenario.draw import BROKEN, TEXTS, WHOLE, Draw
from wiretape.scenario.schema import KINDS, TYPES, both, readable

_DEEP: Final = 4
"""Levels below which nothing is made that need not be there."""
_FARTHEST: Final = 40
"""Levels below which a schema counts as endless."""
_BEGINNING: Final = 40
"""Characters of a path that are shown where it has no end."""
_MOST_PARTS: Final = 5_000
"""Schemas that are looked at for one value."""
_LONGEST: Final = 10_000
"""Characters of a text, or items and members, that are made where a schema asks for so many."""
_FORMATS: Final[Mapping[str, str]] = {
    "date": "2026-11-30",
    "date-time": "2026-11-30T20:15:00Z",
    "time": "20:15:00Z",
    "duration": "PT5M",
    "email": "ana@example.com",
    "hostname": "example.com",
    "ipv4": "192.0.2.7",
    "ipv6": "2001:db8::7",
    "uri": "https://example.com/a?b=%C3%A7",
    "uuid": "0b8f4c2e-6d1a-4e57-9a37-1f0c2d3e4b5a",
}
_PLAIN: Final = (
    *("a", "A", "abc", "ABC", "abc123", "a-b", "a_b", "a.b", "a b", "#00ff7f", "pt-BR", "en", "v1.2.3"),
    *("0", "1", "42", "007", "12345", "-1", "1.5", "/a/b", "/", "true", "5m", "+5511999999999"),
    *_FORMATS.values(),
)
"""What patterns ask for more often than odd characters."""


class UnfitError(ValueError):
    """No value was found that fits. The text says where in the schema and why."""


def fitting(schema: object, draw: Draw, *, kind: str = "string") -> Any:
    """Make a value for a schema; ``kind`` is the type where none can be told. Raises UnfitError.

    Keywords that only other values can show to be kept (not, if, dependentSchemas, propertyNames,
    unevaluated…) are not looked at. A pattern is met by a text of a list, or by one of the schema's examples.
    """
    return _Fitter(schema).value(schema, draw, "", 0, kind)


class _Fitter:
    """Makes values; ``root`` is what references lead into."""

    def __init__(self, root: object) -> None:
        self.root = root
        self.parts = 0
        self.make: Mapping[str, Callable[[Mapping[str, Any], Draw, str, int], Any]] = {
            "object": self._object,
            "array": self._array,
            "string": _text,
            "number": _number,
            "integer": _number,
            "boolean": _truth,
            "null": _null,
        }

    def value(self, schema: object, draw: Draw, at: str, depth: int, kind: str = "string") -> Any:
        known = self._plain(schema, draw, at, depth)
        for word in ("minLength", "minItems", "minProperties"):
            if known.get(word, 0) > _LONGEST:
                raise UnfitError(
                    f"{at or 'the schema'} has the {word} {known[word]}, {_LONGEST} is made at most"
                )
        if "const" in known:
            return known["const"]
        if known.get("enum") == []:
            raise UnfitError(f"{at or 'the schema'} takes nothing")
        if "enum" in known:
            return draw.in_turn(known["enum"])
        if "pattern" in known and "examples" in known:
            return draw.in_turn(known["examples"])
        return self.make[self._kind(known, draw, at, depth, kind)](known, draw, at, depth)

    def _plain(self, schema: object, draw: Draw, at: str, depth: int) -> dict[str, Any]:
        """A schema without references and branches: one branch of each is taken."""
        self.parts += 1
        if self.parts > _MOST_PARTS:
            raise UnfitError(f"{_begun(at)} has too many parts")
        if depth > _FARTHEST:
            raise UnfitError(f"{_begun(at)} has no end")
        if schema is False:
            raise UnfitError(f"{at or 'the schema'} takes nothing")
        known = readable(schema)
        inside: list[object] = list(known.pop("allOf", ()))
        if "$ref" in known:
            inside.append(self._referred(known.pop("$ref"), at))
        branches = [known.pop(word) for word in ("anyOf", "oneOf") if word in known]
        inside += [self._branch(each, draw, depth) for each in branches]
        for each in inside:
            known = both(known, self._plain(each, draw, at, depth + 1))
        return known

    def _referred(self, target: str, at: str) -> object:
        try:
            if not target.startswith("#"):
                raise KeyError(target)
            found: Any = self.root
            for step in pointer.parse(target[1:]):
                found = found[step.position if isinstance(found, list) else step.key]
        except (LookupError, TypeError):
            raise UnfitError(f"{at or 'the schema'} refers to {target}, which is not in it") from None
        return found

    def _branch(self, branches: Sequence[Any], draw: Draw, depth: int) -> Any:
        """Any of them; far in, the first one that ends there."""
        ends = [each for each in branches if not {"$ref", *KINDS["object"]} & readable(each).keys()]
        return ends[0] if depth > _DEEP and ends else draw.in_turn(branches)

    def _kind(self, schema: Mapping[str, Any], draw: Draw, at: str, depth: int, kind: str) -> str:
        said = schema.get("type")
        if isinstance(said, list):
            said = "null" if depth > _DEEP and "null" in said else draw.at("type").in_turn(said)
        if said is None:
            told = (each for each, words in KINDS.items() if not schema.keys().isdisjoint(words))
            return next(told, kind)
        if said not in TYPES:
            raise UnfitError(f"{at or 'the schema'} has the type {said!r}, which JSON does not know")
        return str(said)

    def _object(self, schema: Mapping[str, Any], draw: Draw, at: str, depth: int) -> dict[str, Any]:
        declared = schema.get("properties", {})
        needed = list(schema.get("required", ()))
        more = schema.get("additionalProperties", True)
        made: dict[str, Any] = {}
        for name in [*declared, *(each for each in needed if each not in declared)]:
            wanted = name in needed or (depth < _DEEP and draw.at(at, name).below(2) == 1)
            if not wanted and len(made) >= schema.get("minProperties", 0):
                continue
            try:
                place = f"{at}.{name}" if at else name
                made[name] = self.value(declared.get(name, more), draw.at(name), place, depth + 1)
            except UnfitError:
                if name in needed:
                    raise
        return made | self._more(more, schema.get("minProperties", 0) - len(made), draw, at, depth)

    def _more(self, schema: object, missing: int, draw: Draw, at: str, depth: int) -> dict[str, Any]:
        """Members that nobody named, as many as are missing."""
        names = [f"extra_{number}" for number in range(1, missing + 1)]
        return {name: self.value(schema, draw.at(name), f"{at}.{name}", depth + 1) for name in names}

    def _array(self, schema: Mapping[str, Any], draw: Draw, at: str, depth: int) -> list[Any]:
        first, rest = schema.get("prefixItems", []), schema.get("items", True)
        least, most = schema.get("minItems", 0), schema.get("maxItems", 3)
        length = least if depth > _DEEP else max(least, min(most, len(first) + draw.at("length").below(3)))
        items = [*first, *[rest] * (0 if rest is False else length)][:length]
        if "contains" in schema:
            items[-1:] = [schema["contains"]]
        made = [
            self.value(item, draw.at(number), f"{at}[{number}]", depth + 1)
            for number, item in enumerate(items)
        ]
        return self._distinct(made, rest, least, draw, at, depth) if schema.get("uniqueItems") else made

    def _distinct(
        self, made: list[Any], rest: object, least: int, draw: Draw, at: str, depth: int
    ) -> list[Any]:
        """The same without repetitions, filled up again."""
        kept = {strictjson.dumps(each): each for each in made}
        for number in range(100):
            if len(kept) >= least:
                return list(kept.values())
            more = self.value(rest, draw.at("distinct", number), f"{at}[{len(kept)}]", depth + 1)
            kept[strictjson.dumps(more)] = more
        raise UnfitError(f"{at or 'the schema'} wants {least} different items, {len(kept)} were found")


def _begun(at: str) -> str:
    """The beginning of a path into an endless schema, which says the same again and again."""
    return f"{at[:_BEGINNING]}…" if len(at) > _BEGINNING else at or "the schema"


def _text(schema: Mapping[str, Any], draw: Draw, at: str, _depth: int) -> str:
    least, most = schema.get("minLength", 0), schema.get("maxLength")
    if schema.get("format") in _FORMATS:
        return _FORMATS[schema["format"]]
    pattern = schema.get("pattern")
    if pattern is None:
        return draw.in_turn(TEXTS).ljust(least, "ã")[:most]
    fits = [each for each in (*TEXTS, *_PLAIN) if least <= len(each) and (most is None or len(each) <= most)]
    try:
        fits = [each for each in fits if re.search(pattern, each)]
    except re.error:
        fits = []
    if not fits:
        raise UnfitError(f"{at or 'the schema'} has the pattern {pattern!r}; give it examples")
    return draw.in_turn(fits)


def _truth(_schema: Mapping[str, Any], draw: Draw, _at: str, _depth: int) -> bool:
    return draw.below(2) == 1


def _null(_schema: Mapping[str, Any], _draw: Draw, _at: str, _depth: int) -> None:
    return None


def _number(schema: Mapping[str, Any], draw: Draw, at: str, _depth: int) -> int | float:
    listed = WHOLE if schema.get("type") == "integer" or "multipleOf" in schema else BROKEN
    fits: list[int | float] = [each for each in (*listed, *_near_bounds(schema)) if _in_bounds(each, schema)]
    if not fits:
        raise UnfitError(f"{at or 'the schema'} has bounds that no number of a few was found in")
    return draw.in_turn(fits)


def _near_bounds(schema: Mapping[str, Any]) -> Iterator[int | float]:
    step = schema.get("multipleOf", 1)
    words = ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")
    bounds = [schema[word] for word in words if word in schema]
    for bound in bounds if all(isfinite(bound / step) for bound in bounds) else ():
        start = ceil(bound / step)
        yield from (each * step for each in (start, start + 1, start - 1))
    if schema.get("type") != "integer":
        yield from bounds
        yield sum(bounds) / 2
    yield step


def _in_bounds(number: int | float, schema: Mapping[str, Any]) -> bool:
    step = schema.get("multipleOf")
    return (
        schema.get("minimum", -inf) <= number <= schema.get("maximum", inf)
        and schema.get("exclusiveMinimum", -inf) < number < schema.get("exclusiveMaximum", inf)
        and (step is None or number / step == number // step)
        and (schema.get("type") != "integer" or number == int(number))
    )
