"""Annotations: the lines on stdout that GitHub Actions shows beside a change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from wiretape.reporting.faces.words import failures, label, not_played, text
from wiretape.reporting.model import Document

_COMMANDS: Final = {"must": "error", "should": "warning", "observed": "notice"}
_IN_MESSAGES: Final = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_IN_PROPERTIES: Final = {**_IN_MESSAGES, ":": "%3A", ",": "%2C"}


def render(documents: Sequence[Document]) -> str:
    """One line for each failed finding, each session that was not played, each stale entry of a baseline."""
    return "".join(line + "\n" for document in documents for line in _lines(document))


def _lines(document: Document) -> Iterator[str]:
    for cassette in document["cassettes"]:
        for finding in failures(cassette):
            title = f"{finding['rule']} in {label(cassette)}"
            yield _line(_COMMANDS[finding["level"]], cassette, title, _message(cassette, text(finding)))
        if missing := not_played(cassette):
            title = f"not played to its end: {label(cassette)}"
            yield _line("error", cassette, title, _message(cassette, "\n".join(missing)))
    for entry in document["stale"]:
        yield f"::error title=stale baseline entry::{_escaped(entry, _IN_MESSAGES)}"


def _message(cassette: Mapping[str, Any], said: str) -> str:
    return f"{said}\nreproduce: {again}" if (again := cassette["reproduce"]) else said


def _line(command: str, cassette: Mapping[str, Any], title: str, message: str) -> str:
    file = cassette["test"].partition("::")[0] or cassette["source"] or cassette["name"]
    properties = {"file": file, "line": cassette["line"], "title": title}
    said = ",".join(f"{name}={_escaped(str(it), _IN_PROPERTIES)}" for name, it in properties.items() if it)
    return f"::{command} {said}::{_escaped(message, _IN_MESSAGES)}"


def _escaped(text: str, table: Mapping[str, str]) -> str:
    return "".join(table.get(character, character) for character in text)
