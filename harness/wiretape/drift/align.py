"""Matches the exchanges and messages of two sessions, and collects what differs."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Final, Generic, Protocol, TypeVar

from wiretape.drift.parts import Drift, Exchange, Part, What
from wiretape.drift.same import Differences
from wiretape.redaction.pseudonyms import is_pseudonym
from wiretape.transcript import Headers

_EVERY_TIME_ANOTHER: Final = frozenset(
    (
        "age",
        "content-length",
        "date",
        "etag",
        "expires",
        "host",
        "last-modified",
        "server-timing",
        "set-cookie",
    )
)
"""Headers of which only that they are there is compared."""


class _Labelled(Protocol):
    @property
    def label(self) -> str: ...


Item = TypeVar("Item", bound=_Labelled)


@dataclass(frozen=True, slots=True)
class Pair(Generic[Item]):
    """An item of the old session and the one of the new that is the same; None where there is none."""

    old: Item | None
    new: Item | None
    moved: bool = False

    @property
    def only(self) -> Item:
        """The one that is there, of a pair that has one."""
        item = self.new if self.old is None else self.old
        assert item is not None
        return item


_Key = tuple[str, str, str, str]


class Drifts:
    """The drifts between two sessions. The same difference of many messages is one, with their count."""

    def __init__(self, *, shape: bool) -> None:
        self._values = Differences(shape=shape)
        self._found: dict[_Key, Drift] = {}

    def of(self, old: Sequence[Exchange], new: Sequence[Exchange]) -> list[Drift]:
        """Every drift, in the order of the sessions."""
        known = {part.label for each in old for part in each.parts}
        coming = {part.label for each in new for part in each.parts}
        for pair in aligned(old, new):
            if pair.old and pair.new:
                self._exchange(pair.old, pair.new, known, coming)
            else:
                self._note(_lone("exchange", pair.new is None, pair.only))
        return [*self._found.values()]

    def _exchange(self, old: Exchange, new: Exchange, known: set[str], coming: set[str]) -> None:
        for pair in aligned(old.parts, new.parts):
            if pair.old and pair.new:
                if pair.moved:
                    self._note(_moved(pair.old, pair.new))
                self._part(pair.old, pair.new)
            else:
                other = coming if pair.new is None else known
                what: What = "message" if pair.only.label in other else "message type"
                self._note(_lone(what, pair.new is None, pair.only))

    def _part(self, old: Part, new: Part) -> None:
        base = Drift(kind="changed", what="field", message=old.label, old_at=old.at, new_at=new.at)
        for header in self._headers(base, old.headers, new.headers):
            self._note(header)
        for kind, path, was, now in self._values.between(old.value, new.value):
            self._note(replace(base, kind=kind, path=path, was=was, now=now))

    def _headers(self, base: Drift, old: Headers, new: Headers) -> Iterator[Drift]:
        before, after = ({name.lower(): value for name, value in each} for each in (old, new))
        for name, value in before.items():
            if name not in after:
                yield replace(base, kind="gone", what="header", path=name, was=value)
            elif not self._same_header(name, value, after[name]):
                yield replace(base, what="header", path=name, was=value, now=after[name])
        for name, value in after.items():
            if name not in before:
                yield replace(base, kind="new", what="header", path=name, now=value)

    def _same_header(self, name: str, old: str, new: str) -> bool:
        if name in _EVERY_TIME_ANOTHER or (is_pseudonym(old) and is_pseudonym(new)):
            return True
        return self._values.same_texts(old, new, name)

    def _note(self, drift: Drift) -> None:
        key = (drift.kind, drift.what, drift.message, drift.path)
        known = self._found.get(key)
        self._found[key] = replace(known, count=known.count + 1) if known else drift


def _lone(what: What, is_old: bool, item: Exchange | Part) -> Drift:
    if is_old:
        return Drift(kind="gone", what=what, message=item.label, old_at=item.at)
    return Drift(kind="new", what=what, message=item.label, new_at=item.at)


def _moved(old: Part, new: Part) -> Drift:
    return Drift(kind="moved", what="message", message=old.label, old_at=old.at, new_at=new.at)


def aligned(old: Sequence[Item], new: Sequence[Item]) -> list[Pair[Item]]:
    """Pair the items of two sequences by label, as few as possible left over.

    What is left over on both sides under one label has moved; it stands where its old item was.
    """
    matcher = SequenceMatcher(
        None, [each.label for each in old], [each.label for each in new], autojunk=False
    )
    pairs: list[Pair[Item]] = []
    for tag, low, high, begin, end in matcher.get_opcodes():
        if tag == "equal":
            pairs += map(Pair, old[low:high], new[begin:end])
        else:
            pairs += [Pair(each, None) for each in old[low:high]]
            pairs += [Pair(None, each) for each in new[begin:end]]
    return _with_moved(pairs)


def _with_moved(pairs: list[Pair[Item]]) -> list[Pair[Item]]:
    waiting: defaultdict[str, deque[Item]] = defaultdict(deque)
    for pair in pairs:
        if pair.old is None and pair.new is not None:
            waiting[pair.new.label].append(pair.new)
    taken: set[int] = set()
    result: list[Pair[Item]] = []
    for pair in pairs:
        if pair.old is not None and pair.new is None and waiting[pair.old.label]:
            pair = Pair(pair.old, waiting[pair.old.label].popleft(), moved=True)
            taken.add(id(pair.new))
        result.append(pair)
    return [pair for pair in result if pair.old is not None or id(pair.new) not in taken]
