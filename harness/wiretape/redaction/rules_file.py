"""Rules of the user's own: a YAML file, and in it or beside it a hook."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from wiretape.cassette.model import CassetteError
from wiretape.cassette.plain_yaml import read_yaml
from wiretape.redaction.rules import DEFAULT, Hook, RedactionRules, Shape, plain_name


class RulesError(ValueError):
    """Redaction rules can't be used. The text says where, what was expected and what came."""


def load_rules(path: str | Path, base: RedactionRules = DEFAULT) -> RedactionRules:
    """Add the rules of a file to others. Raises RulesError.

    Keys, all optional: ``names`` (of secret members, headers, cookies, parameters), ``headers`` (kept ones),
    ``shapes`` (name → regular expression; group 1 is the secret if there is one), ``values`` (secrets),
    ``keep`` (regular expressions of values that are no secrets), ``hook`` (``module:function``).
    """
    try:
        given = read_yaml(Path(path).read_bytes())
    except (OSError, CassetteError) as error:
        raise RulesError(f"{path}: expected a readable YAML file, got {error}") from None
    try:
        return _with(base, given if given is not None else {})
    except RulesError as error:
        raise RulesError(f"{path}: {error}") from None


def load_hook(name: str) -> Hook:
    """Import ``module:function``, which gets a text and gives the secret values in it. Raises RulesError."""
    module, colon, function = name.partition(":")
    try:
        hook = getattr(import_module(module), function) if colon else None
    except (ImportError, AttributeError, ValueError) as error:
        raise RulesError(
            f"hook: expected module:function that can be imported, got {name!r} ({error})"
        ) from None
    if not callable(hook):
        raise RulesError(f"hook: expected module:function, a function, got {name!r}")
    return hook  # type: ignore[no-any-return]


def _with(rules: RedactionRules, given: Any) -> RedactionRules:
    if not isinstance(given, dict) or not given.keys() <= _KEYS.keys():
        raise RulesError(f"expected a mapping with some of {', '.join(_KEYS)}, got {given!r}")
    for key, value in given.items():
        rules = _KEYS[key](rules, value)
    return rules


def _names(rules: RedactionRules, value: Any) -> RedactionRules:
    return replace(rules, names=rules.names | set(map(plain_name, _texts("names", value))))


def _headers(rules: RedactionRules, value: Any) -> RedactionRules:
    return replace(
        rules, kept_headers=rules.kept_headers | {each.lower() for each in _texts("headers", value)}
    )


def _shapes(rules: RedactionRules, value: Any) -> RedactionRules:
    if not isinstance(value, dict):
        raise RulesError(f"shapes: expected a mapping of names to regular expressions, got {value!r}")
    shapes = (Shape(name=str(name), pattern=_pattern("shapes", each)) for name, each in value.items())
    return replace(rules, shapes=(*rules.shapes, *shapes))


def _values(rules: RedactionRules, value: Any) -> RedactionRules:
    return replace(rules, values=(*rules.values, *_texts("values", value)))


def _keep(rules: RedactionRules, value: Any) -> RedactionRules:
    patterns = [_pattern("keep", each).pattern for each in _texts("keep", value)]
    return replace(rules, placeholders=_pattern("keep", "|".join([rules.placeholders.pattern, *patterns])))


def _hook(rules: RedactionRules, value: Any) -> RedactionRules:
    return replace(rules, hook=load_hook(str(value)))


def _texts(key: str, value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        raise RulesError(f"{key}: expected a list of texts, got {value!r}")
    return value


def _pattern(key: str, value: Any) -> re.Pattern[str]:
    try:
        return re.compile(value, re.IGNORECASE if key == "keep" else 0)
    except (re.error, TypeError) as error:
        raise RulesError(f"{key}: expected a regular expression, got {value!r} ({error})") from None


_KEYS: Final[Mapping[str, Callable[[RedactionRules, Any], RedactionRules]]] = {
    "names": _names,
    "headers": _headers,
    "shapes": _shapes,
    "values": _values,
    "keep": _keep,
    "hook": _hook,
}
