"""What the attacks of ``fuzz`` have in common: they go on where they were, show progress, and report."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from wiretape import strictjson
from wiretape.fuzzing import Campaign, Kind, Tally
from wiretape.fuzzing.campaign import E, F
from wiretape_cli.corpus import Corpus
from wiretape_cli.errors import SetupError
from wiretape_cli.exits import Exit
from wiretape_cli.screen import is_terminal, put, say

_INTERRUPTED = "Stopped"

F_contra = TypeVar("F_contra", contravariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack(Generic[E]):
    """What is attacked, how hard, and where the finds go. ``seconds``: None sets no limit."""

    subject: Mapping[str, Any]
    """What is attacked, as the report says it."""
    kinds: Sequence[Kind[E]]
    seed: int
    max_examples: int
    seconds: float | None
    corpus: Corpus

    @property
    def identity(self) -> dict[str, Any]:
        """What must be the same for a run to go on where another one stopped."""
        return {**self.subject, "seed": self.seed}


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A find that was written and said."""

    files: list[Path]
    details: Mapping[str, Any] = field(default_factory=dict)
    """What the JSON report says of it besides."""


class Finds(Protocol[F_contra]):
    """What becomes of finds."""

    def name(self, found: F_contra, /) -> str:
        """What was found, in a word for the table."""

    def keep(self, kind: str, about: str, found: F_contra, /) -> Kept:
        """Write what was found in a kind of this name and purpose, and say it."""


def run(attack: Attack[E], judge: Callable[[E], F | None], finds: Finds[F], *, as_json: bool) -> Exit:
    """Attack, report on the way and at the end. Raises KeyboardInterrupt, after the report."""
    tallies, stopped = _tried(attack, judge)
    finished = not stopped
    if finished:
        attack.corpus.finish(attack.identity)
    _say_table(tallies, attack.max_examples, finds)
    kept = {
        tally.kind.name: finds.keep(tally.kind.name, tally.kind.about, tally.found)
        for tally in tallies
        if tally.found is not None
    }
    if stopped:
        say(f"{stopped}: the same command goes on from here.")
    if as_json:
        put(strictjson.dumps(_machine(attack, tallies, kept)))
    if stopped == _INTERRUPTED:
        raise KeyboardInterrupt
    return Exit.VIOLATIONS if kept else Exit.FINE


def _tried(attack: Attack[E], judge: Callable[[E], F | None]) -> tuple[list[Tally[E, F]], str]:
    """The last tally of each kind, and why not everything was tried; empty when it was."""
    end = None if attack.seconds is None else time.monotonic() + attack.seconds
    campaign = Campaign(
        judge=judge,
        seed=attack.seed,
        max_examples=attack.max_examples,
        kinds=attack.kinds,
        database=attack.corpus.database,
        expired=lambda: end is not None and time.monotonic() > end,
        done=attack.corpus.progress(attack.identity),
    )
    latest: dict[str, Tally[E, F]] = {
        kind.name: Tally(kind=kind, examples=campaign.done.get(kind.name, 0)) for kind in attack.kinds
    }
    interrupted = True
    total = len(attack.kinds) * attack.max_examples
    with _display(total) as show, suppress(KeyboardInterrupt):
        for tally in campaign.run():
            latest[tally.kind.name] = tally
            attack.corpus.keep_progress(
                attack.identity, {name: each.examples for name, each in latest.items() if not each.found}
            )
            show(latest.values())
        interrupted = False
    if interrupted:
        return [*latest.values()], _INTERRUPTED
    return [*latest.values()], "Time was up" if any(map(campaign.is_open, latest.values())) else ""


def chosen(names: Sequence[str], kinds: Iterable[Kind[E]]) -> list[Kind[E]]:
    """The kinds of these names, all where none is given. Raises SetupError for an unknown one."""
    known = {kind.name: kind for kind in kinds}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SetupError(f"--kind {unknown[0]}: expected one of {', '.join(known)}")
    return [known[name] for name in names] or [*known.values()]


def _say_table(tallies: Sequence[Tally[E, F]], max_examples: int, finds: Finds[F]) -> None:
    say(f"{'kind':<17}{'examples':>8}  result")
    for tally in tallies:
        result = "ok" if tally.examples >= max_examples else "ok so far"
        if tally.found is not None:
            result = f"FAIL {finds.name(tally.found)}".strip()
        say(f"{tally.kind.name:<17}{tally.examples:>8}  {result}")


def _machine(attack: Attack[E], tallies: Sequence[Tally[E, F]], kept: Mapping[str, Kept]) -> dict[str, Any]:
    nothing = Kept(files=[])
    kinds = [
        {
            "kind": tally.kind.name,
            "examples": tally.examples,
            "ok": tally.found is None,
            "files": [str(file) for file in kept.get(tally.kind.name, nothing).files],
            **kept.get(tally.kind.name, nothing).details,
        }
        for tally in tallies
    ]
    return {"ok": not kept, **attack.identity, "kinds": kinds}


class _Show(Protocol):
    def __call__(self, tallies: Any, /) -> None: ...


@contextmanager
def _display(total: int) -> Iterator[_Show]:
    """On a terminal show how far the attack has come, how fast it is, and how much it has found."""
    if not is_terminal(sys.stderr):
        yield lambda _tallies: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (MofNCompleteColumn(), BarColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as display:
        task = display.add_task("", total=total)

        def show(tallies: Any) -> None:
            each = [*tallies]
            finds = sum(tally.found is not None for tally in each)
            speed = display.tasks[0].speed or 0
            display.update(
                task,
                completed=sum(tally.examples for tally in each),
                description=f"{speed:.0f} examples/s, {finds} found",
            )

        yield show
