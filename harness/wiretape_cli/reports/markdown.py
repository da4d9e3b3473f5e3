"""The Markdown report: a table of cassettes, then what failed, fit for a comment on a change."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from wiretape.contract import Report
from wiretape.report import finding_text
from wiretape_cli.reports.verdict import command, counts, failures, not_played, title, word


def render(reports: Sequence[Report], run: Mapping[str, Any]) -> str:
    """GitHub-flavoured Markdown."""
    lines = ["# wiretape", ""]
    if client := command(run):
        lines += [_fenced(client), ""]
    lines += _table(reports)
    for report in reports:
        lines += _details(report)
    return "\n".join(lines) + "\n"


def _table(reports: Sequence[Report]) -> list[str]:
    columns = ["cassette", "verdict", *(counts(reports[0]) if reports else ())]
    rows = [[_cell(title(report)), word(report), *map(str, counts(report).values())] for report in reports]
    return [_row(columns), _row(["---"] * len(columns)), *map(_row, rows)]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _details(report: Report) -> list[str]:
    texts = [*map(finding_text, failures(report)), *not_played(report)]
    return ["", f"## {_cell(title(report))}", "", _fenced("\n\n".join(texts))] if texts else []


def _fenced(text: str) -> str:
    # What a client sent stands in the text: the fence must be longer than any run of backticks in it.
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}\n{fence}"
