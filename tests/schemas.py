"""The JSON Schemas that wiretape ships, as validators that resolve each other without a network."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

FOLDERS = ("schemas", "flow_a/schemas", "codex/schemas")


def files() -> Iterator[Traversable]:
    """Every shipped schema file."""
    for folder in FOLDERS:
        for entry in resources.files("wiretape").joinpath(folder).iterdir():
            if entry.name.endswith(".schema.json"):
                yield entry


@cache
def schemas() -> dict[str, dict[str, Any]]:
    """File name without ``.schema.json`` to schema."""
    return {
        entry.name.removesuffix(".schema.json"): json.loads(entry.read_text("utf-8")) for entry in files()
    }


@cache
def validator(name: str) -> Draft202012Validator:
    """The validator of one shipped schema. Raises KeyError for an unknown name."""
    everything = [Resource.from_contents(schema) for schema in schemas().values()]
    return Draft202012Validator(schemas()[name], registry=everything @ Registry())


def complaint(name: str, value: object) -> str | None:
    """Say what is wrong with ``value`` by the schema ``name``, with its path; None when it is valid."""
    error = next(validator(name).iter_errors(value), None)
    return error and f"{error.json_path}: {error.message}"
