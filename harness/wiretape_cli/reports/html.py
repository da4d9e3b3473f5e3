"""The HTML report: one page without scripts or network; whatever came over the wire is shown as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from wiretape.contract import Report
from wiretape.report import finding_text
from wiretape_cli.reports.verdict import command, counts, failures, not_played, title, word

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>wiretape</title>
<style>
:root {{ color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5; }}
body {{ max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }}
div {{ overflow-x: auto; }}
table {{ border-collapse: collapse; }}
th, td {{ padding: .3rem .8rem; text-align: right; border-bottom: 1px solid #8888; }}
th:first-child, td:first-child {{ text-align: left; }}
pre {{ overflow-x: auto; padding: .8rem; border-left: 4px solid #8888; background: #8882; }}
.FAIL {{ color: light-dark(#b3261e, #ff8a80); font-weight: bold; }}
.PASS {{ color: light-dark(#176d32, #7ddc9a); font-weight: bold; }}
.UNPLAYED {{ color: light-dark(#8a5a00, #ffca6b); font-weight: bold; }}
</style>
</head>
<body>
<h1>wiretape</h1>
{body}
</body>
</html>
"""


def render(reports: Sequence[Report], run: Mapping[str, Any]) -> str:
    """A self-contained page."""
    client = f"<pre>{escape(command(run))}</pre>" if command(run) else ""
    return PAGE.format(body="\n".join([client, _table(reports), *map(_details, reports)]))


def _table(reports: Sequence[Report]) -> str:
    columns = ["cassette", "verdict", *(counts(reports[0]) if reports else ())]
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in columns)
    return f"<div><table>\n<tr>{head}</tr>\n{''.join(map(_row, reports))}</table></div>"


def _row(report: Report) -> str:
    numbers = "".join(f"<td>{count}</td>" for count in counts(report).values())
    return (
        f'<tr><td>{escape(title(report))}</td><td class="{word(report)}">{word(report)}</td>{numbers}</tr>\n'
    )


def _details(report: Report) -> str:
    texts = [*map(finding_text, failures(report)), *not_played(report)]
    blocks = "\n".join(f"<pre>{escape(text)}</pre>" for text in texts)
    return f"<h2>{escape(title(report))}</h2>\n{blocks}" if texts else ""
