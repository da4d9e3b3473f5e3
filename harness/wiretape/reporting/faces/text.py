"""The report as plain text: what the screen shows, and what it has no room for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wiretape.reporting.faces.words import (
    about,
    client,
    ending,
    failures,
    how_played,
    judged,
    label,
    not_played,
    share,
    summary,
    text,
    word,
)
from wiretape.reporting.model import Document


def render(documents: Sequence[Document]) -> str:
    """Every session with its verdicts and what failed, the coverage, and how it was run."""
    blocks = [f"{summary(documents)}."]
    for document in documents:
        blocks += [client(document)] if len(documents) > 1 else []
        blocks += [block for cassette in document["cassettes"] for block in _session(cassette)]
        blocks += [f"FAIL baseline: {entry} accepts nothing any more" for entry in document["stale"]]
        blocks += [
            share(document["coverage"]),
            "\n".join(f"{n}: {said}" for n, said in about(document["run"])),
        ]
    return "\n\n".join(blocks) + "\n"


def _session(cassette: Mapping[str, Any]) -> Iterator[str]:
    verdicts = f"{word(cassette)}, {cassette['behavior']} · {ending(cassette)}"
    yield f"{label(cassette)} ({how_played(cassette)}): {verdicts} ({judged(cassette)})"
    yield from map(text, failures(cassette))
    if missing := not_played(cassette):
        yield "not played:\n" + "\n".join(f"  {line}" for each in missing for line in each.split("\n"))
    if word(cassette) != "PASS" and cassette["reproduce"]:
        yield f"again: {cassette['reproduce']}"
