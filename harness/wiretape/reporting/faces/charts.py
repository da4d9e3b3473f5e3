"""What the page draws: coordinates of two plots, computed here, written as SVG by the template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from wiretape.reporting.faces.words import client, word
from wiretape.reporting.model import Document, strongest

WIDTH: Final = 720
HALF: Final = 48
"""Height of the longest bar: recorded waits go up from the middle, replayed ones down."""
ROW: Final = 20
COLUMN: Final = 36
NAMES: Final = 330
"""Width of the rules' names."""
HEAD: Final = 120
"""Height of the clients' names, which stand aslant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """The waits before a chunk, or before several."""

    x: float
    width: float
    recorded: float
    """Height, up."""
    played: float
    """Height, down."""
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """One stream, drawn."""

    bars: tuple[Bar, ...]
    longest: str
    """The wait that the highest bar stands for."""
    text: str
    """The plot in words."""


def timeline(stream: Mapping[str, Any]) -> Timeline:
    """Place a stream's bars: one for each chunk, or for several where there are many."""
    points = stream["points"]
    waits = [wait for point in points for wait in (point["recorded_ms"], point["played_ms"]) if wait]
    longest = max(waits, default=0.0)
    step = WIDTH / len(points)
    bars, first = [], 1
    for index, point in enumerate(points):
        bars.append(_bar(stream["of"], point, index * step, step, longest, first))
        first += point["count"]
    return Timeline(bars=tuple(bars), longest=_ms(longest), text=_in_words(stream))


def _bar(of: str, point: Mapping[str, Any], x: float, step: float, longest: float, first: int) -> Bar:
    last = first + point["count"] - 1
    which = f"{of.removesuffix('s')} {first}" if first == last else f"{of} {first} to {last}"
    return Bar(
        x=round(x + step * 0.1, 2),
        width=round(step * 0.8, 2),
        recorded=_height(point["recorded_ms"], longest),
        played=_height(point["played_ms"], longest),
        title=f"{which}: recorded {_ms(point['recorded_ms'])}, replayed {_ms(point['played_ms'])}",
    )


def _height(wait: float | None, longest: float) -> float:
    """At least a hair, so that a chunk without a wait is seen too."""
    return 0.0 if wait is None else round(max(1.0, HALF * wait / longest) if longest else 1.0, 2)


def _ms(wait: float | None) -> str:
    return "unknown" if wait is None else f"{wait:.0f} ms"


def _in_words(stream: Mapping[str, Any]) -> str:
    spans = []
    for name, key in (("recorded", "recorded_ms"), ("replayed", "played_ms")):
        known = [point[key] for point in stream["points"] if point[key] is not None]
        spans += [f"{name} in {_ms(sum(known))}"] if known else []
    size = f"{stream['count']} {stream['of']}, {stream['bytes']} bytes"
    return f"{size}; {', '.join(spans)}. End: {stream['end']}."


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One rule and one client."""

    x: float
    y: float
    outcome: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunMatrix:
    """Several clients against all rules."""

    clients: tuple[str, ...]
    rules: tuple[Mapping[str, Any], ...]
    """``rule``, ``level``, and ``outcomes``: a client's over all its cassettes, None where it met none."""
    cells: tuple[Cell, ...]
    width: int
    height: int
    text: str


def run_matrix(documents: Sequence[Document]) -> RunMatrix:
    """Place a cell for each rule (down) and client (across)."""
    clients = tuple(client(document) for document in documents)
    rows: dict[str, dict[str, Any]] = {}
    for column, document in enumerate(documents):
        for row in document["coverage"]["rules"]:
            empty = {"rule": row["rule"], "level": row["level"], "outcomes": [None] * len(documents)}
            outcomes = rows.setdefault(row["rule"], empty)["outcomes"]
            outcomes[column] = strongest(row["outcomes"])
    return RunMatrix(
        clients=clients,
        rules=tuple(rows.values()),
        cells=tuple(_cells(clients, [*rows.values()])),
        width=NAMES + COLUMN * len(clients) + HEAD,
        height=HEAD + ROW * len(rows) + 4,
        text="; ".join(_client_in_words(document) for document in documents),
    )


def _cells(clients: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> list[Cell]:
    return [
        Cell(
            x=NAMES + COLUMN * column,
            y=HEAD + ROW * line,
            outcome=outcome or "none",
            title=f"{clients[column]}, {row['rule']}: {(outcome or 'not judged').replace('_', ' ')}",
        )
        for line, row in enumerate(rows)
        for column, outcome in enumerate(row["outcomes"])
    ]


def _client_in_words(document: Document) -> str:
    broken = [row["rule"] for row in document["coverage"]["rules"] if "fail" in row["outcomes"]]
    return f"{client(document)}: {word(document)}, {', '.join(broken) if broken else 'no rule broken'}"
