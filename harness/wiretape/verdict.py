"""The verdict on anything that was on the wire: a live run, a saved transcript, or a cassette."""

from __future__ import annotations

from dataclasses import replace

from wiretape.cassette.model import Cassette, Chunks, Interaction
from wiretape.codex import VERIFIER as CODEX
from wiretape.contract import Report, Verifier
from wiretape.endpoints import is_conversation
from wiretape.flow_a import VERIFIER as FLOW_A
from wiretape.profiles import PROFILES
from wiretape.transcript import (
    Body,
    Chunk,
    End,
    Entry,
    Frame,
    Headers,
    Request,
    Response,
    Transcript,
    header,
)

VERIFIERS: dict[str, Verifier] = {each.protocol: each for each in (FLOW_A, CODEX)}


def verify(subject: Transcript | Cassette, *, profile: str = "") -> Report:
    """Judge a transcript, or the client's side of a cassette, by every rule of its protocol.

    ``profile`` demands one protocol profile; empty takes the transcript's own, or accepts all of them.
    Raises ValueError for a protocol that has no rules, and for a profile that the protocol does not have.
    """
    transcript = transcript_of(subject) if isinstance(subject, Cassette) else subject
    transcript = replace(transcript, profile=profile or transcript.profile)
    verifier = VERIFIERS.get(transcript.protocol)
    if verifier is None:
        raise ValueError(f"expected a protocol of {sorted(VERIFIERS)}, got {transcript.protocol!r}")
    if transcript.profile and transcript.profile not in PROFILES[transcript.protocol]:
        known = " or ".join(PROFILES[transcript.protocol])
        raise ValueError(f"expected a profile of {transcript.protocol} ({known}), got {transcript.profile!r}")
    return verifier.verify(transcript)


def transcript_of(cassette: Cassette) -> Transcript:
    """The transcript that a cassette is: its exchanges one after the other, chunk by chunk."""
    transcript = Transcript(
        protocol=cassette.protocol,
        name=cassette.name,
        profile=cassette.profile,
        expect={"results": cassette.expect.results},
    )
    for number, interaction in enumerate(cassette.interactions, 1):
        transcript.entries += _entries(number, interaction)
    at = 0.0
    for frame in cassette.frames:
        at += frame.delay / 1000
        transcript.entries.append(
            Frame(direction=frame.direction, data=frame.data, connection=frame.connection, at=at)
        )
    return transcript


def _headers(interaction: Interaction) -> Headers:
    """An answer's headers as a replay has them: a stream is announced as one where nothing was recorded."""
    headers = tuple(interaction.response.headers.items())
    if header(headers, "content-type") is None and is_conversation(interaction.request.path):
        return *headers, ("content-type", "text/event-stream; charset=utf-8")
    return headers


def _entries(number: int, interaction: Interaction) -> list[Entry]:
    request, response = interaction.request, interaction.response
    entries: list[Entry] = [
        Request(
            number=number,
            method=request.method,
            path=request.path,
            headers=tuple(request.headers.items()),
            body=request.body,
            at=0.0,
        ),
        Response(
            number=number,
            status=response.status,
            headers=_headers(interaction),
            body=Body(response.body),
            at=0.0,
        ),
    ]
    start, at = 0, 0.0
    chunks = response.chunks or Chunks(delays=(), lengths=())
    for delay, length in zip(chunks.delays, chunks.lengths, strict=True):
        at += delay / 1000
        entries.append(Chunk(number=number, start=start, stop=start + length, at=at))
        start += length
    if start < len(response.body):
        entries.append(Chunk(number=number, start=start, stop=len(response.body), at=at))
    entries.append(End(number=number, how=response.end, at=at))
    return entries
