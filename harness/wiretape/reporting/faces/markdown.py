"""The Markdown report: verdicts, then what failed, bounded so that it fits a comment on a change."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from wiretape.report import printable
from wiretape.reporting.faces.words import (
    COLUMNS,
    about,
    client,
    counts,
    ending,
    failures,
    fine,
    how_played,
    label,
    not_played,
    share,
    summary,
    text,
    word,
)
from wiretape.reporting.model import Document

LIMIT: Final = 60_000
"""Characters; GitHub takes 65,536 for a comment."""
_ROWS: Final = 100
"""Sessions in the table."""
_LINE: Final = 400
"""Characters of a line inside a fence."""
_SIGNS: Final = {"pass": "✓", "fail": "✗", "not_observed": "·", "not_applicable": "–", None: " "}


def render(documents: Sequence[Document]) -> str:
    """GitHub-flavoured Markdown of LIMIT characters at most; what has no room is counted."""
    passed = all(map(fine, documents))
    head = f"## wiretape: {'PASS' if passed else 'FAIL'}\n\n{summary(documents)}.\n"
    pieces = [piece for document in documents for piece in _pieces(document, several=len(documents) > 1)]
    kept, size = [head], len(head) + _ROOM_FOR_THE_REST
    for piece in pieces:
        size += len(piece) + 1
        if size > LIMIT:
            break
        kept.append(piece)
    if left := len(pieces) + 1 - len(kept):
        kept.append(f"*{left} more parts have no room here; the HTML and JSON reports hold them.*\n")
    return "\n".join(kept)


_ROOM_FOR_THE_REST: Final = 120


def _pieces(document: Document, *, several: bool) -> Iterator[str]:
    if several:
        yield f"## {_code(client(document))}\n"
    yield _table(document["cassettes"])
    for cassette in document["cassettes"]:
        yield from _session(cassette)
    if stale := document["stale"]:
        yield "### Stale entries of the baseline\n\n" + _fenced("\n".join(stale))
    yield _matrix(document["coverage"])
    rows = "\n".join(f"{name}: {said}" for name, said in about(document["run"]))
    yield _folded("How it was run", _fenced(rows))


def _table(cassettes: Sequence[Mapping[str, Any]]) -> str:
    columns = ["session", "played", "verdict", "behaviour", "ending", *COLUMNS]
    rows = [columns, ["---"] * len(columns), *map(_row, cassettes[:_ROWS])]
    more = f"\n*and {len(cassettes) - _ROWS} more sessions*\n" if len(cassettes) > _ROWS else ""
    return "".join(f"| {' | '.join(row)} |\n" for row in rows) + more


def _row(cassette: Mapping[str, Any]) -> list[str]:
    numbers = map(str, counts(cassette).values())
    return [
        _cell(label(cassette)),
        _cell(how_played(cassette)),
        word(cassette),
        cassette["behavior"],
        _plain(ending(cassette)),
        *numbers,
    ]


def _session(cassette: Mapping[str, Any]) -> Iterator[str]:
    missing = not_played(cassette)
    if not failures(cassette) and not missing:
        return
    yield f"### {_code(label(cassette))}\n"
    if again := cassette["reproduce"]:
        yield "Reproduce:\n\n" + _fenced(again, "sh")
    for finding in failures(cassette):
        yield f"{_code(finding['rule'])}: {_plain(finding['title'])}\n\n{_fenced(text(finding))}"
    if missing:
        yield "Not played to its end:\n\n" + _fenced("\n".join(missing))


def _matrix(coverage: Mapping[str, Any]) -> str:
    names = coverage["cassettes"]
    head = f"| rule | level | {' | '.join(map(_cell, names))} |\n"
    head += "| --- | --- |" + " --- |" * len(names) + "\n"
    signs = [" | ".join(_SIGNS[each] for each in row["outcomes"]) for row in coverage["rules"]]
    rows = "".join(
        f"| {_code(row['rule'])} | {row['level']} | {said} |\n"
        for row, said in zip(coverage["rules"], signs, strict=True)
    )
    legend = "✓ holds · ✗ broken · `·` not observed · – not applicable"
    return _folded(f"Coverage: {share(coverage)}", f"{legend}\n\n{head}{rows}")


def _folded(summary: str, body: str) -> str:
    return f"<details><summary>{summary}</summary>\n\n{body}\n</details>\n"


def _code(text: str) -> str:
    """A text that a client or a file chose, as code: nothing in it is markup, a link or a mention."""
    text = _cut(printable(text))
    fence = _longer_than_any(text, 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _cell(text: str) -> str:
    """The same in a table, where a bar would end the cell."""
    return _code(text).replace("|", "\\|")


def _cut(line: str) -> str:
    return line if len(line) <= _LINE else f"{line[:_LINE]}…"


def _plain(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>|#@])", r"\\\1", printable(_cut(text)))


def _fenced(text: str, language: str = "text") -> str:
    # What a client sent stands in the text: the fence must be longer than any run of backticks in it.
    text = "\n".join(map(_cut, text.split("\n")))
    fence = _longer_than_any(text, 3)
    return f"{fence}{language}\n{text}\n{fence}\n"


def _longer_than_any(text: str, least: int) -> str:
    return "`" * max(least, max((len(run) + 1 for run in re.findall("`+", text)), default=0))
