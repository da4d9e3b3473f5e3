"""Cuts up transcripts of Flow A: what the verifier reads, changed in one point, the rest as it was.

A conversation's requests are turns and returns; each has a challenge and a prepare right before it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from typing import Any, TypeAlias

from wiretape.transcript import Chunk, End, Entry, Request, Transcript

Change: TypeAlias = Callable[[Transcript], Transcript]
"""Gives another transcript, the one that it got unchanged."""
Edit: TypeAlias = Callable[[dict[str, Any]], object]
"""Changes a JSON object in place."""


def with_entries(transcript: Transcript, entries: Iterable[Entry]) -> Transcript:
    return replace(transcript, entries=[*entries])


def kind_of(entry: Request, following: str) -> str:
    """What a request is: ``turn``, ``return``, ``prepare turn``, ``prepare return``, or its path."""
    if entry.path.endswith("/f/conversation/prepare"):
        return f"prepare {following}".strip()
    if not entry.path.endswith("/f/conversation"):
        return entry.path
    messages = json.loads(entry.body)["messages"]
    return "return" if any(each["author"]["role"] == "tool" for each in messages) else "turn"


def numbers_of(transcript: Transcript, kind: str) -> list[int]:
    """The numbers of the requests of a kind, in order; ``return`` and ``turn`` tell prepares apart too."""
    found, following = [], ""
    for entry in reversed(transcript.entries):
        if isinstance(entry, Request):
            is_kind = kind_of(entry, following)
            following = is_kind if is_kind in ("turn", "return") else following
            found += [entry.number] if is_kind == kind else []
    return found[::-1]


def request(transcript: Transcript, number: int) -> Request:
    return next(each for each in transcript.entries if isinstance(each, Request) and each.number == number)


def body_of(transcript: Transcript, number: int) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(request(transcript, number).body)
    return body


def replaced(transcript: Transcript, number: int, **members: Any) -> Transcript:
    """The same with members of one request changed."""
    return with_entries(
        transcript,
        (
            replace(each, **members) if isinstance(each, Request) and each.number == number else each
            for each in transcript.entries
        ),
    )


def edited(kind: str, edit: Edit) -> Change:
    """Edit the body of the first request of a kind."""

    def change(transcript: Transcript) -> Transcript:
        number = numbers_of(transcript, kind)[0]
        body = body_of(transcript, number)
        edit(body)
        return replaced(transcript, number, body=json.dumps(body).encode())

    return change


def rewritten(kind: str, write: Callable[[bytes], bytes]) -> Change:
    """Change the bytes of the body of the first request of a kind."""

    def change(transcript: Transcript) -> Transcript:
        number = numbers_of(transcript, kind)[0]
        return replaced(transcript, number, body=write(request(transcript, number).body))

    return change


def exchanges(transcript: Transcript, numbers: Collection[int]) -> list[Entry]:
    """All entries of these requests and their answers."""
    return [each for each in transcript.entries if getattr(each, "number", None) in numbers]


def without(transcript: Transcript, numbers: Collection[int]) -> Transcript:
    return with_entries(
        transcript, (each for each in transcript.entries if getattr(each, "number", None) not in numbers)
    )


def renumbered(entries: Iterable[Any], numbers: Callable[[int], int]) -> list[Entry]:
    return [replace(each, number=numbers(each.number)) for each in entries]


def moved(transcript: Transcript, numbers: Collection[int], place: int) -> Transcript:
    """The same with these exchanges in front of entry ``place``, which belongs to none of them."""
    anchor, block = transcript.entries[place], exchanges(transcript, numbers)
    rest = without(transcript, numbers).entries
    at = next(index for index, each in enumerate(rest) if each is anchor)
    return with_entries(transcript, [*rest[:at], *block, *rest[at:]])


def chunks_of(transcript: Transcript, number: int) -> list[int]:
    """Where the writes of an answer stand."""
    entries = enumerate(transcript.entries)
    return [index for index, each in entries if isinstance(each, Chunk) and each.number == number]


def left(transcript: Transcript, number: int, place: int) -> Transcript:
    """The same, but the client left the answer behind the write at ``place``."""
    kept: list[Entry] = []
    for index, each in enumerate(transcript.entries):
        if isinstance(each, Chunk) and each.number == number and index > place:
            continue
        is_end = isinstance(each, End) and each.number == number
        kept.append(End(number=number, how="client-left", at=each.at) if is_end else each)
    return with_entries(transcript, kept)
