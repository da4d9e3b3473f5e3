"""Attacks in every kind of behaviour by turns, until all is tried or time is up."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from hypothesis import Phase, Verbosity, given, seed, settings
from hypothesis.database import ExampleDatabase
from hypothesis.strategies import SearchStrategy

_BATCH: Final = 50
"""Examples of a kind before it is the next one's turn."""

_PHASES: Final = (Phase.reuse, Phase.generate, Phase.shrink)

E = TypeVar("E", bound=Hashable)
"""What is tried: a stream, a session. Equal ones are tried once a batch."""
F = TypeVar("F")
"""What is found."""


class _FoundError(Exception):
    """Tells Hypothesis that an example fails."""


class _TimeUp(BaseException):  # no Exception: Hypothesis must not take it for a failure
    """Leaves Hypothesis at once, wherever it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Generic[E]):
    """What is drawn to attack one kind of behaviour, and in words what it tries."""

    name: str
    about: str
    examples: SearchStrategy[E]


@dataclass(slots=True, kw_only=True)
class Tally(Generic[E, F]):
    """How far the attack in one kind has come."""

    kind: Kind[E]
    examples: int = 0
    found: F | None = None
    """In the smallest example that fails, once one does."""


@dataclass(slots=True, kw_only=True)
class Campaign(Generic[E, F]):
    """An attack; the same seed draws the same examples.

    ``judge`` tries an example and gives what it found, None when all is right. ``expired`` says that time is
    up: nothing is tried from then on. ``done`` has the examples of each kind that an earlier run has tried.
    ``database`` gives a kind's database: what failed is kept there, and tried first.
    """

    judge: Callable[[E], F | None]
    kinds: Sequence[Kind[E]]
    seed: int = 0
    max_examples: int = 500
    database: Callable[[str], ExampleDatabase | None] = lambda _kind: None
    expired: Callable[[], bool] = lambda: False
    done: Mapping[str, int] = field(default_factory=dict)

    def run(self) -> Iterator[Tally[E, F]]:
        """Give the tally of a kind behind each of its batches; the last one of each kind holds."""
        tallies: list[Tally[E, F]] = [
            Tally(kind=kind, examples=self.done.get(kind.name, 0)) for kind in self.kinds
        ]
        while open_ := [tally for tally in tallies if self.is_open(tally)]:
            for tally in open_:
                if self.expired():
                    return
                self._batch(tally)
                yield tally

    def is_open(self, tally: Tally[E, F]) -> bool:
        """Whether there is more to try in a kind."""
        return tally.found is None and tally.examples < self.max_examples

    def _batch(self, tally: Tally[E, F]) -> None:
        """Try the next examples of a kind; what fails is made as small as can be."""
        size = min(_BATCH, self.max_examples - tally.examples)
        judged: dict[E, F | None] = {}

        def attack(example: E) -> None:
            if self.expired():
                raise _TimeUp
            if example not in judged:
                judged[example] = self.judge(example)
            if found := judged[example]:
                tally.found = found
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
        )(seed(self.seed * 1_000_003 + tally.examples)(given(tally.kind.examples)(attack)))
        try:
            drawn()
        except (_FoundError, _TimeUp):
            tally.examples += len(judged)
        else:
            tally.examples += size
