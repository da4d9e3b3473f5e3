"""Keeps the books of what faults did to a session, and of what the client did then."""

from __future__ import annotations

import re
from typing import Final

from wiretape.faults import kind_of
from wiretape.flow_a.facts import delivered
from wiretape.flow_a.json_body import JsonBody, read_json
from wiretape.flow_a.messages import member, named_conversation
from wiretape.flow_a.progress import Progress
from wiretape.flow_a.view import ConversationRequest, Deletion, FlowAView, Resume, Retry
from wiretape.transcript import Response, Struck, header

_PLACE: Final = re.compile(r"request ([1-9][0-9]*)")
_DELETED: Final = "conversation_deleted"


class Trouble:
    """Notes which requests a fault has struck, and puts retries, resumes and deletions into the view."""

    def __init__(self, view: FlowAView, progress: Progress) -> None:
        self.view = view
        self.progress = progress
        self._faults: dict[int, tuple[str, ...]] = {}
        self._refused: dict[tuple[bool, str], tuple[ConversationRequest, Response, str]] = {}
        """The latest request of each kind and conversation that a fault refused."""
        self._deleted: dict[str, Deletion] = {}

    def struck(self, entry: Struck) -> None:
        """A fault has struck a request."""
        place = _PLACE.fullmatch(entry.connection)
        if place is not None:
            number = int(place[1])
            self._faults[number] = (*self.faults(number), entry.fault)

    def faults(self, number: int) -> tuple[str, ...]:
        """The faults that have struck a request, as they are written."""
        return self._faults.get(number, ())

    def refused(self, entry: Response, route: str | None, request: ConversationRequest | None) -> None:
        """A request got an error for its answer."""
        faults = self.faults(entry.number)
        if not faults:
            return
        if request is not None:
            self._refused[_key(request)] = request, entry, faults[0]
            self._delete(entry, request)
        if route == "prepare" and not _says_deleted(entry):
            return  # «its failure is not fatal»
        if not all(kind_of(fault).may_end for fault in faults):
            return
        for call in self.progress.played.values():
            call.excuse = call.excuse or ("" if call.returns else f"the fault {faults[0]}")

    def _delete(self, entry: Response, request: ConversationRequest) -> None:
        named = named_conversation(request.body)
        if _says_deleted(entry) and named and named not in self._deleted:
            self._deleted[named] = Deletion(at=request.at, conversation_id=named)
            self.view.deletions.append(self._deleted[named])

    def named(self, body: JsonBody) -> None:
        """A request came that may name a conversation."""
        named = named_conversation(body.value)
        if named in self._deleted:
            self._deleted[named].later.append(body.at)

    def sent(self, request: ConversationRequest) -> None:
        """A conversation request came: it may be one that was refused, sent again."""
        refused, answer, fault = self._refused.pop(_key(request), (None, None, ""))
        if refused is None or answer is None:
            return
        request.retries = refused
        waited = request.time - answer.at
        retry = Retry(at=request.at, request=request, fault=fault, wait=_wait(answer), waited=waited)
        self.view.retries.append(retry)

    def unreadable(self) -> str:
        """The fault that made the latest answer unreadable, of those that one did; empty when none did."""
        damaged = (stream.fault for stream in reversed(self.view.streams) if stream.damaged)
        return next(damaged, "")

    def resumed(self, body: JsonBody) -> None:
        """A resume came. It goes on with the latest answer of its conversation."""
        stream = self.progress.resumable(body.value.get("conversation_id"))
        if stream is not None and stream.broken:
            resume = Resume(
                at=body.at,
                offset=body.value.get("offset"),
                delivered=delivered(stream.template[: stream.written]),
                lossy=stream.ended == "reset",
            )
            self.view.resumes.append(resume)


def _key(request: ConversationRequest) -> tuple[bool, str]:
    return request.match is not None, named_conversation(request.body)


def _says_deleted(answer: Response) -> bool:
    detail = read_json(answer.body.bytes(), "").value.get("detail")
    return bool(member(detail, "code") == _DELETED)


def _wait(answer: Response) -> float | None:
    said = header(answer.headers, "retry-after") or ""
    return float(said) if said.isascii() and said.isdigit() else None
