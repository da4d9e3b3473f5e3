"""Writes the table of Flow A's faults into faults.md: `make docs`. A test keeps it current."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from wiretape.faults import KINDS, Kind

PAGE = Path(__file__).with_name("faults.md")
BEGIN = "<!-- the table below is written by `make docs` -->\n"
END = "<!-- until here -->\n"


def with_table(page: str) -> str:
    """The page with the table as the kinds are now."""
    head, _, rest = page.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return head + BEGIN + "\n".join(["", *_table(), "", END]) + tail


def _table() -> Iterator[str]:
    yield "| kind | places | what happens | what the right client does | evidence | judged by |"
    yield "|---|---|---|---|---|---|"
    for kind in KINDS.values():
        if kind.protocol == "flow_a":
            yield "| " + " | ".join(_cells(kind)) + " |"


def _cells(kind: Kind) -> Iterator[str]:
    yield f"`{kind.name}`"
    yield " ".join(kind.units)
    yield kind.title
    yield kind.right_client
    yield f"*{kind.evidence}*"
    yield ", ".join(
        f"[{rule.removeprefix('flow_a.')}](rules.md#{rule.replace('.', '')})" for rule in kind.rules
    )


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text("utf-8")), encoding="utf-8")
    print(f"the table of faults written to {PAGE.name}", file=sys.stderr)
