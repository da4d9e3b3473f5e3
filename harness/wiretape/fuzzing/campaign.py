"""Attacks a decoder in every kind of behaviour by turns, until all is tried or time is up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from hypothesis import Phase, Verbosity, given, seed, settings
from hypothesis.database import ExampleDatabase

from wiretape.fuzzing.finds import Find
from wiretape.fuzzing.judging import Contract, Decoder, Difference, difference
from wiretape.fuzzing.kinds import KINDS, Kind

BATCH: Final = 50
"""Examples of a kind before it is the next one's turn."""

_PHASES: Final = (Phase.reuse, Phase.generate, Phase.shrink)


class _FoundError(Exception):
    """Tells Hypothesis that an example fails."""


class _TimeUp(BaseException):  # no Exception: Hypothesis must not take it for a failure
    """Leaves Hypothesis at once, wherever it is."""


@dataclass(slots=True, kw_only=True)
class Tally:
    """How far the attack in one kind has come. ``find`` is the smallest stream that fails, once one does."""

    kind: Kind
    examples: int = 0
    find: Find | None = None


@dataclass(slots=True, kw_only=True)
class Campaign:
    """An attack on one decoder; the same seed draws the same streams.

    ``expired`` says that time is up: no stream is tried from then on. ``done`` has the examples of each kind
    that an earlier run has tried. ``database`` gives a kind's database: what failed is kept there, and tried
    first.
    """

    decoder: Decoder
    contract: Contract = "exact"
    seed: int = 0
    max_examples: int = 500
    kinds: Sequence[Kind] = KINDS
    database: Callable[[str], ExampleDatabase | None] = lambda _kind: None
    expired: Callable[[], bool] = lambda: False
    done: Mapping[str, int] = field(default_factory=dict)

    def run(self) -> Iterator[Tally]:
        """Give the tally of a kind behind each of its batches; the last one of each kind holds."""
        tallies = [Tally(kind=kind, examples=self.done.get(kind.name, 0)) for kind in self.kinds]
        while open_ := [tally for tally in tallies if self.is_open(tally)]:
            for tally in open_:
                if self.expired():
                    return
                self._batch(tally)
                yield tally

    def is_open(self, tally: Tally) -> bool:
        """Whether there is more to try in a kind."""
        return tally.find is None and tally.examples < self.max_examples

    def _batch(self, tally: Tally) -> None:
        """Try the next examples of a kind; what fails is made as small as can be."""
        size = min(BATCH, self.max_examples - tally.examples)
        judged: dict[bytes, Difference | None] = {}
        smallest: list[Difference] = []

        def attack(data: bytes) -> None:
            if self.expired():
                raise _TimeUp
            if data not in judged:
                judged[data] = difference(self.decoder, data, self.contract)
            if found := judged[data]:
                smallest[:] = [found]
                raise _FoundError

        drawn = settings(  # outside of the seed, which would take the database away
            max_examples=size,
            database=self.database(tally.kind.name),
            phases=_PHASES,
            deadline=None,
            derandomize=False,
            report_multiple_bugs=False,
            verbosity=Verbosity.quiet,
            print_blob=False,
        )(seed(self.seed * 1_000_003 + tally.examples)(given(tally.kind.streams)(attack)))
        try:
            drawn()
        except (_FoundError, _TimeUp):
            tally.examples += len(judged)
        else:
            tally.examples += size
        if smallest:
            tally.find = Find(kind=tally.kind, contract=self.contract, difference=smallest[0])
