"""A run that was played to a client, as a cassette: what the client sent is new, the answers are a replay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from wiretape.cassette.model import (
    Cassette,
    Chunks,
    Interaction,
    Provenance,
    RecordedRequest,
    RecordedResponse,
    StreamEnd,
)
from wiretape.endpoints import RECORDED
from wiretape.flow_a.expectation import expectation
from wiretape.imports.exchange import SourceError, delays, joined
from wiretape.imports.sessions import codex_cassette, is_kept, recorded_frames
from wiretape.imports.told import told
from wiretape.transcript import Chunk, End, Frame, Headers, Request, Response, Transcript

_REPLAYED = "The server's side is a replay of {}: only what the client sent was captured."


def read_play(transcript: Transcript, *, tool: str) -> Cassette:
    """Make a cassette of a play. Raises SourceError when there is nothing of the protocol in it."""
    name = transcript.name or "a cassette"
    provenance = Provenance(
        kind="recorded",
        tool=tool,
        basis=(f"a play of {name}",),
        gaps=(_REPLAYED.format(name), "When it was captured is not known."),
    )
    make = _codex if transcript.protocol == "codex" else _flow_a
    return make(transcript, provenance)


def _flow_a(transcript: Transcript, provenance: Provenance) -> Cassette:
    exchanges = [each for each in _exchanges(transcript) if RECORDED.fullmatch(each.request.path)]
    if not exchanges:
        raise SourceError(
            f"{provenance.basis[0]}: expected a request that was answered, got none yet; "
            "let a client play the session first"
        )
    interactions = tuple(each.interaction() for each in exchanges)
    derived = expectation(interactions)
    cassette = Cassette(
        protocol="flow_a",
        provenance=replace(provenance, gaps=(*provenance.gaps, *_gaps(exchanges))),
        expect=replace(derived, results=transcript.expect.get("results") or derived.results),
        interactions=interactions,
    )
    return told(cassette, "Imported")


class _Exchange:
    """A request and its answer, as far as that got."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.response: Response | None = None
        self.chunks: list[Chunk] = []
        self.end: End | None = None

    def interaction(self) -> Interaction:
        return Interaction(
            request=RecordedRequest(
                method=self.request.method,
                path=self.request.path,
                headers=_headers(self.request.headers),
                body=self.request.body,
            ),
            response=self._answer(),
        )

    def _answer(self) -> RecordedResponse:
        assert self.response is not None
        chunks = self.chunks
        cuts = Chunks(
            delays=delays((each.at for each in chunks), self.response.at),
            lengths=tuple(each.stop - each.start for each in chunks),
        )
        return RecordedResponse(
            status=self.response.status,
            headers=_headers(self.response.headers),
            body=self.response.body.bytes(chunks[0].start, chunks[-1].stop) if chunks else b"",
            chunks=cuts if chunks else None,
            end=self._how(),
        )

    def _how(self) -> StreamEnd:
        if self.end is None:
            return "hang"
        how = self.end.how
        return "reset" if how == "client-left" or how == "cut" else how


def _exchanges(transcript: Transcript) -> list[_Exchange]:
    """Those that were answered, in the order of their requests."""
    known: dict[int, _Exchange] = {}
    for entry in transcript.entries:
        if isinstance(entry, Request):
            known[entry.number] = _Exchange(entry)
        elif isinstance(entry, Response):
            known[entry.number].response = entry
        elif isinstance(entry, Chunk):
            known[entry.number].chunks.append(entry)
        elif isinstance(entry, End):
            known[entry.number].end = entry
    return [each for each in known.values() if each.response is not None]


def _headers(headers: Headers) -> dict[str, str]:
    return joined(pair for pair in headers if is_kept(pair[0]))


def _gaps(exchanges: Sequence[_Exchange]) -> Iterator[str]:
    for number, each in enumerate(exchanges, 1):
        if each.end is None:
            yield f"interaction {number}: the answer was still being written."
        elif each.end.how == "client-left":
            yield f"interaction {number}: the client left before the answer had ended."


def _codex(transcript: Transcript, provenance: Provenance) -> Cassette:
    frames = [each for each in transcript.entries if isinstance(each, Frame) and not each.binary]
    if not frames:
        raise SourceError(
            f"{provenance.basis[0]}: expected messages, got none yet; let a client play the session first"
        )
    return codex_cassette(recorded_frames(frames), provenance)
