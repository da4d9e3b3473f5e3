"""Choices that look like chance and are none: they follow from a seed and the place where they are made."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import count
from typing import Final, TypeVar

from wiretape import strictjson

T = TypeVar("T")

TEXTS: Final = (
    'não é "ação" — 🌀 \\ fim',
    "",
    "segundo eco\ndo caminho\t!",
    "a",
    "𝒜 e\u0301 \u2028 שלום",
    "0",
    "<b>&amp;</b> ${x} %s {} '; --",
    "null",
    "uma mensagem bem mais longa, de uma frase inteira, que se parte em vários pedaços no caminho",
)
"""What breaks clients: characters beyond ASCII and beyond 16 bits, none at all, escapes, look-alikes."""
WHOLE: Final = (42, 0, -1, 7, 2**31, 2**53 - 1)
BROKEN: Final = (0.5, 3, -1.25, 1e-7, 0, 123456789.125)


class Draw:
    """Makes choices. The same seed and place give the same ones, on every machine.

    ``at`` gives a draw for a place further in. ``in_turn`` goes round a list, whatever the place, so that a
    session of a few values has odd ones among them too.
    """

    def __init__(self, seed: int, place: str = "", turns: Iterator[int] | None = None) -> None:
        self.seed = seed
        self._place = place
        self._turns = turns or count(seed)

    @classmethod
    def about(cls, seed: int, told: object) -> Draw:
        """Draw for a JSON value: another value, other choices."""
        text = strictjson.dumps(told).encode()
        return cls(seed, sha256(text).hexdigest())

    def at(self, *names: object) -> Draw:
        """A draw for a place further in; its choices have nothing to do with those of others."""
        return Draw(self.seed, "\0".join([self._place, *map(str, names)]), self._turns)

    def below(self, limit: int) -> int:
        """A number from 0 on."""
        return int.from_bytes(self._digest()[:8], "big") % limit

    def pick(self, choices: Sequence[T]) -> T:
        """One of several."""
        return choices[self.below(len(choices))]

    def in_turn(self, choices: Sequence[T]) -> T:
        """The next one of a list that is gone round."""
        return choices[next(self._turns) % len(choices)]

    def uuid(self) -> str:
        """A UUID of version 4."""
        return str(uuid.UUID(bytes=self._digest()[:16], version=4))

    def _digest(self) -> bytes:
        return sha256(f"{self.seed}\0{self._place}".encode("utf-8", "surrogatepass")).digest()
