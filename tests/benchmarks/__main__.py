"""Runs every bench_*.py beside this file: `python -m tests.benchmarks [GOAL…]`.

Prints a table with target and figure per line and writes bench.json into the working directory. Ends with 0
when everything was measured, met or not (a figure is for people to judge), and with 1 when a bench broke.
"""

from __future__ import annotations

import ast
import importlib
import json
import platform
import sys
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.benchmarks.measure import Line

VERDICTS = {True: "[green]met[/]", False: "[red]missed[/]", None: "-"}


def benches(goals: Sequence[str]) -> list[Path]:
    """The files that measure one of the goals (``P3``), or all files."""
    files = sorted(Path(__file__).parent.glob("bench_*.py"))
    return [file for file in files if not goals or set(goals) & set(goals_of(file))]


def goals_of(file: Path) -> tuple[str, ...]:
    """A bench's GOALS, read from its source: what it needs is imported only when it runs."""
    for node in ast.parse(file.read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "GOALS":
            goals: tuple[str, ...] = ast.literal_eval(node.value)
            return goals
    raise ValueError(f"{file.name} does not say which GOALS it measures")


def measured(file: Path) -> Iterator[Line]:
    """Run one bench."""
    module = importlib.import_module(f"tests.benchmarks.{file.stem}")
    yield from module.run()


def table(lines: Sequence[Line]) -> Table:
    shown = Table("goal", "what", "target ≤", "figure", "", "note", title="wiretape: target and figure")
    for line in lines:
        target = "" if line.target is None else f"{line.target:g} {line.unit}"
        shown.add_row(
            line.goal, line.what, target, f"{line.figure:.4g} {line.unit}", VERDICTS[line.ok], line.note
        )
    return shown


def as_json(lines: Sequence[Line]) -> str:
    machine = {"python": platform.python_version(), "platform": platform.platform()}
    return json.dumps({**machine, "lines": [asdict(line) for line in lines]}, indent=1) + "\n"


def main(goals: Sequence[str]) -> int:
    progress = Console(stderr=True)
    lines: list[Line] = []
    broken = 0
    for file in benches(goals):
        try:
            for line in measured(file):
                progress.print(f"{line.goal} {line.what}: {line.figure:.4g} {line.unit}", markup=False)
                lines.append(line)
        except Exception:  # one broken bench must not hide the figures of the others
            traceback.print_exc()
            broken += 1
    lines.sort(key=lambda line: int(line.goal.lstrip("P")))
    Console(width=None if sys.stdout.isatty() else 140).print(table(lines))
    Path("bench.json").write_text(as_json(lines), encoding="utf-8")
    if not lines:
        print(f"nothing was measured: no bench has one of the goals {list(goals)}", file=sys.stderr)
    return 1 if broken or not lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
