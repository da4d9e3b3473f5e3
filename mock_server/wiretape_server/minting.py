"""Which recorded values replay makes anew, where they stand, and what takes their place.

Made anew is what the server made: ids, tokens and creation times in its answers. Who said a value first made
it: an id that a recorded request has before any answer does is the client's, and the client under test puts
its own there. What the cassette says a tool must give (``expect.results``) is never touched.
"""

from __future__ import annotations

import re
import secrets
import string
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from wiretape import strictjson
from wiretape.transcript import Patch

IdSource: TypeAlias = Callable[[int], bytes]
"""Gives that many random bytes."""


class RandomPool:
    """The id source of a server: draws in bulk, since asking the system costs more than the rest of an id."""

    def __init__(self, draw: IdSource = secrets.token_bytes, size: int = 4096) -> None:
        self._draw = draw
        self._size = size
        self._left = b""

    def __call__(self, count: int) -> bytes:
        if len(self._left) < count:
            self._left = self._draw(max(self._size, count))
        given, self._left = self._left[:count], self._left[count:]
        return given


MIN_ID_LENGTH: Final = 8
"""A shorter id than this (``m1``) says nothing when it is made anew, and would be found in other words."""

_UUID: Final = re.compile(
    rb"(?<![0-9A-Fa-f])[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}(?![0-9A-Fa-f])"
)
_TIME: Final = re.compile(rb'"create_time"\s*:\s*([0-9]{10}(?:\.[0-9]+)?)(?=[\s,}])')
_TOKEN: Final = re.compile(rb'"token"\s*:\s*"([^"\\]{8,})"')
_PLAIN: Final = re.compile(rb"[0-9A-Za-z_-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Minted:
    """The values of one recorded conversation that its server made, as recorded."""

    ids: tuple[bytes, ...] = ()
    tokens: tuple[bytes, ...] = ()
    times: tuple[bytes, ...] = ()

    @property
    def values(self) -> set[bytes]:
        """All of them."""
        return {*self.ids, *self.tokens, *self.times}

    def and_more(self, other: Minted) -> Minted:
        """These, and those of a conversation that goes on."""
        return Minted(
            ids=(*self.ids, *other.ids),
            tokens=(*self.tokens, *other.tokens),
            times=(*self.times, *other.times),
        )

    def anew(self, source: IdSource, now: float) -> dict[bytes, bytes]:
        """Make new values of the same lengths; times keep their distances, the first becomes ``now``."""
        values = {old: fresh_id(old, source) for old in self.ids}
        values.update((old, fresh_token(old, source)) for old in self.tokens)
        first = min(map(float, self.times), default=0.0)
        values.update((old, _moved_time(old, now - first)) for old in self.times)
        return values


@dataclass(slots=True)
class Sorting:
    """Sorts the values of a recorded conversation by who made them, in the order of the recording."""

    said: set[bytes]
    """What a client said or must say; from the start the values in ``expect.results``."""
    ids: dict[bytes, None]
    tokens: dict[bytes, None]
    times: dict[bytes, None]

    def request(self, body: bytes) -> None:
        """What a request says and no answer said before is the client's."""
        made = self.ids.keys() | self.times.keys()
        self.said.update(value for value in (*_UUID.findall(body), *_TIME.findall(body)) if value not in made)
        self.said.update(each for each in message_ids(body) if each and each not in made)

    def answer(self, body: bytes, named: Iterable[str]) -> None:
        """What an answer says and no request said before is the server's. ``named`` are ids known as such."""
        long_ids = (each.encode() for each in named if len(each) >= MIN_ID_LENGTH)
        plain = (each for each in long_ids if _PLAIN.fullmatch(each))
        for kind, values in (
            (self.ids, (*_UUID.findall(body), *plain)),
            (self.tokens, _TOKEN.findall(body)),
            (self.times, _TIME.findall(body)),
        ):
            kind.update((value, None) for value in values if value not in self.said)

    def minted(self) -> Minted:
        return Minted(ids=tuple(self.ids), tokens=tuple(self.tokens), times=tuple(self.times))


def sorting(results: Mapping[str, Any]) -> Sorting:
    """Begin to sort a conversation whose tools must give ``results``."""
    said = set(_UUID.findall(strictjson.dumps(dict(results)).encode()))
    return Sorting(said, {}, {}, {})


def patches(body: bytes, values: Iterable[bytes]) -> tuple[Patch, ...]:
    """Where in a body these recorded values stand."""
    known = {value: re.escape(value) for value in values if not _UUID.fullmatch(value)}
    uuids = {value for value in values if value not in known}
    places = {match.start(): match[0] for match in _UUID.finditer(body) if match[0] in uuids}
    if known:
        longest_first = b"|".join(known[value] for value in sorted(known, key=len, reverse=True))
        whole = re.compile(rb"(?<![0-9A-Za-z.])(?:%s)(?![0-9A-Za-z.])" % longest_first)
        places.update((match.start(), match[0]) for match in whole.finditer(body))
    return tuple(_apart(places))


def _apart(places: Mapping[int, bytes]) -> Iterable[Patch]:
    """Patches in ascending order; of two that overlap the first stays."""
    end = 0
    for offset, value in sorted(places.items()):
        if offset >= end:
            end = offset + len(value)
            yield Patch(offset, value, 0, len(value))


def message_ids(body: bytes) -> list[bytes]:
    """The ids of a conversation request's messages, in order; an id that can't be patched in is empty."""
    try:
        value = strictjson.loads(body)
    except strictjson.StrictJSONError:
        return []
    return ids_of(value)


def ids_of(value: object) -> list[bytes]:
    """The same, of a body that is read."""
    messages = value.get("messages") if isinstance(value, dict) else None
    if not isinstance(messages, list):
        return []
    return [plain_id(each.get("id") if isinstance(each, dict) else None) for each in messages]


def plain_id(value: object) -> bytes:
    """An id's bytes as they stand in JSON; empty when it is no plain word."""
    found = value.encode("ascii", "replace") if isinstance(value, str) else b""
    return found if _PLAIN.fullmatch(found) else b""


def fresh_id(old: bytes, source: IdSource) -> bytes:
    """A new id of the same shape: a UUID for a UUID, else a digit for a digit and a letter for a letter."""
    if not _UUID.fullmatch(old):
        return bytes(map(_fresh_character, old, source(len(old))))
    new = fresh_uuid(source).encode()
    return new.upper() if old.upper() == old != old.lower() else new


def fresh_uuid(source: IdSource) -> str:
    """A new UUID, version 4."""
    digits = source(16).hex()
    variant = "89ab"[int(digits[16], 16) & 3]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"


def fresh_token(old: bytes, source: IdSource) -> bytes:
    """A new token of the same length. Of a JWT only the signature is new, so that it still can be read."""
    head, dot, last = old.rpartition(b".")
    return head + dot + _WORD.sub(lambda word: source(len(word[0])).translate(_TO_WORD), last)


_ALPHABETS: Final = (string.digits.encode(), string.ascii_lowercase.encode(), string.ascii_uppercase.encode())
_ALPHABET_OF: Final = {character: alphabet for alphabet in _ALPHABETS for character in alphabet}
_WORD: Final = re.compile(rb"[0-9A-Za-z]+")
_TO_WORD: Final = bytes((b"".join(_ALPHABETS) * 5)[:256])
"""Turns random bytes into letters and digits."""


def _fresh_character(old: int, random: int) -> int:
    alphabet = _ALPHABET_OF.get(old)
    return alphabet[random % len(alphabet)] if alphabet else old


def _moved_time(old: bytes, shift: float) -> bytes:
    decimals = len(old.partition(b".")[2])
    new = f"{float(old) + shift:.{decimals}f}".encode()
    return new if len(new) == len(old) else old
