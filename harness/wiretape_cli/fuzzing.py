"""``fuzz decoder``: attack a decoder, keep what is found, and report."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from wiretape import strictjson
from wiretape.fuzzing import (
    KINDS,
    Campaign,
    Contract,
    CrashedError,
    Decoder,
    Difference,
    Kind,
    RefusedError,
    Tally,
    difference,
)
from wiretape_cli.corpus import Corpus, stream_in
from wiretape_cli.decoders import EMPTY, OneShot, Served, argv, from_python
from wiretape_cli.errors import SetupError
from wiretape_cli.exits import Exit
from wiretape_cli.screen import put, quoted, say


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The decoder under attack: exactly one of ``command`` and ``python``."""

    command: str | None
    python: str | None
    one_shot: bool
    limit: float

    @contextmanager
    def opened(self) -> Iterator[Decoder]:
        """The decoder, when it answers at all. Raises SetupError."""
        if self.python is not None:
            yield from_python(self.python)
            return
        decoder = (OneShot if self.one_shot else Served)(argv(self.command or ""), self.limit)
        try:
            decoder(EMPTY)
        except RefusedError:
            pass  # it speaks
        except CrashedError as crashed:
            decoder.close()
            raise SetupError(
                f"{self.command}: {crashed}. It was asked to decode a stream without messages; see wiretape "
                "fuzz decoder --help for how it is asked, and --one-shot for a command that ends each time"
            ) from None
        try:
            yield decoder
        finally:
            decoder.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """What is attacked, how hard, and where the finds go. ``seconds``: None sets no limit."""

    target: Target
    contract: Contract
    seed: int
    max_examples: int
    seconds: float | None
    corpus: Corpus
    kinds: Sequence[Kind] = KINDS

    @property
    def identity(self) -> dict[str, Any]:
        """What must be the same for a run to go on where another one stopped."""
        target = self.target.python or self.target.command
        return {"decoder": target, "contract": self.contract, "seed": self.seed}


def run(attack: Attack, *, as_json: bool) -> Exit:
    """Attack, report on the way and at the end. Raises SetupError."""
    with attack.target.opened() as decoder:
        tallies, finished = _tallies(attack, decoder)
    if finished:
        attack.corpus.finish()
    files = {tally.kind.name: attack.corpus.keep(tally.find) for tally in tallies if tally.find}
    _say_table(tallies, attack.max_examples)
    for tally in tallies:
        if tally.find:
            _say_difference(tally.kind.about, tally.find.difference, files[tally.kind.name])
    if not finished:
        say("Time was up: the same command goes on from here.")
    if as_json:
        put(strictjson.dumps(_machine(attack, tallies, files)))
    return Exit.VIOLATIONS if files else Exit.FINE


def _tallies(attack: Attack, decoder: Decoder) -> tuple[list[Tally], bool]:
    """The last tally of each kind, and whether everything was tried."""
    end = None if attack.seconds is None else time.monotonic() + attack.seconds
    campaign = Campaign(
        decoder=decoder,
        contract=attack.contract,
        seed=attack.seed,
        max_examples=attack.max_examples,
        kinds=attack.kinds,
        database=attack.corpus.database,
        expired=lambda: end is not None and time.monotonic() > end,
        done=attack.corpus.progress(attack.identity),
    )
    latest = {kind.name: Tally(kind=kind, examples=campaign.done.get(kind.name, 0)) for kind in attack.kinds}
    with _display(len(attack.kinds) * attack.max_examples) as show:
        for tally in campaign.run():
            latest[tally.kind.name] = tally
            attack.corpus.keep_progress(
                attack.identity, {name: each.examples for name, each in latest.items() if not each.find}
            )
            show(latest.values())
    return [*latest.values()], not any(map(campaign.is_open, latest.values()))


def chosen(names: Sequence[str]) -> list[Kind]:
    """The kinds of these names, all where none is given. Raises SetupError for an unknown one."""
    known = {kind.name: kind for kind in KINDS}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SetupError(f"--kind {unknown[0]}: expected one of {', '.join(known)}")
    return [known[name] for name in names] or [*KINDS]


def replay(target: Target, contract: Contract, files: Sequence[Path]) -> Exit:
    """Try saved finds again. Raises SetupError."""
    wrong = 0
    with target.opened() as decoder:
        for file in files:
            found = difference(decoder, stream_in(file), contract)
            wrong += found is not None
            say(f"{'FAIL' if found else 'ok  '}  {file}")
            if found:
                _say_difference("", found, ())
    return Exit.VIOLATIONS if wrong else Exit.FINE


def _say_table(tallies: Sequence[Tally], max_examples: int) -> None:
    say(f"{'kind':<17}{'examples':>8}  result")
    for tally in tallies:
        result = "FAIL" if tally.find else "ok" if tally.examples >= max_examples else "ok so far"
        say(f"{tally.kind.name:<17}{tally.examples:>8}  {result}")


def _say_difference(about: str, found: Difference, files: Sequence[Path]) -> None:
    say(f"\nFAIL  {about}" if about else "")
    say(quoted(found.data.decode(errors="replace").replace("\r", "\\r")))
    say(f"  want  {strictjson.dumps(found.want)}")
    say(f"  got   {found.refusal or shown(found.got)}")
    for file in files:
        say(f"  file  {file}")


def shown(value: object) -> str:
    """What a decoder gave, as JSON where it is any."""
    try:
        return strictjson.dumps(value)
    except (TypeError, ValueError):
        return repr(value)


def _machine(attack: Attack, tallies: Sequence[Tally], files: dict[str, list[Path]]) -> dict[str, Any]:
    kinds = [
        {
            "kind": tally.kind.name,
            "examples": tally.examples,
            "ok": tally.find is None,
            "files": [str(file) for file in files.get(tally.kind.name, [])],
        }
        for tally in tallies
    ]
    return {"ok": not files, **attack.identity, "kinds": kinds}


class _Show(Protocol):
    def __call__(self, tallies: Any, /) -> None: ...


@contextmanager
def _display(total: int) -> Iterator[_Show]:
    """On a terminal show how far the attack has come, how fast it is, and how much it has found."""
    if not sys.stderr.isatty():
        yield lambda _tallies: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (MofNCompleteColumn(), BarColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as display:
        task = display.add_task("", total=total)

        def show(tallies: Any) -> None:
            each = [*tallies]
            finds = sum(tally.find is not None for tally in each)
            speed = display.tasks[0].speed or 0
            display.update(
                task,
                completed=sum(tally.examples for tally in each),
                description=f"{speed:.0f} examples/s, {finds} found",
            )

        yield show
