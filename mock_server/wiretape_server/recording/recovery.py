"""Makes a cassette of a sidecar file: at the end of a recording, or after the process was killed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from wiretape import __version__, strictjson
from wiretape.cassette.model import (
    Cassette,
    CassetteError,
    Chunks,
    Interaction,
    Provenance,
    RecordedRequest,
    RecordedResponse,
    StreamEnd,
)
from wiretape.flow_a.expectation import expectation
from wiretape.imports.exchange import delays, joined
from wiretape.strictjson import StrictJSONError
from wiretape_server.recording.codex_recovery import CodexSession
from wiretape_server.recording.growth import Growth, bytes_of
from wiretape_server.recording.session import FORMAT


class SidecarError(CassetteError):
    """A file is no sidecar of a recording. The text says where, what was expected, and what came."""


class EmptyRecordingError(SidecarError):
    """There is nothing to save: no request of the protocol was answered."""


@dataclass(slots=True, kw_only=True)
class _Exchange:
    """One exchange, as far as the file goes."""

    request: RecordedRequest
    asked: float
    response: dict[str, Any] | None = None
    body: Growth = field(default_factory=Growth)
    cuts: list[tuple[float, int]] = field(default_factory=list)
    """Of each piece of the body, when it came and how long it is."""
    end: StreamEnd | None = None
    gaps: list[str] = field(default_factory=list)


def recover(partial: Path) -> Cassette:
    """Read a sidecar file. Raises SidecarError, EmptyRecordingError, OSError."""
    records = _lines(partial)
    head = next(records, None)
    if head is None:
        raise SidecarError(
            f"{partial}: expected a recording, got no whole line. There is nothing to recover."
        )
    if head.get("recording") != FORMAT or not {"protocol", "captured_at", "basis"} <= head.keys():
        raise SidecarError(
            f'{partial}: line 1: expected the head of a recording, "recording": {FORMAT}, got {head!r:.80}. '
            "Name the FILE.partial that wiretape record left."
        )
    exchanges: dict[int, _Exchange] = {}
    session = CodexSession()
    is_codex = head.get("protocol") == "codex"
    try:
        for record in records:
            session.take(record) if is_codex else _READ[record["entry"]](exchanges, record)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise SidecarError(f"{partial}: {record!r:.80} is no entry of a recording: {error!r}") from None
    if is_codex:
        return _of_codex(head, session)
    answered = [each for each in exchanges.values() if each.response is not None]
    if not answered:
        asked = f"of {len(exchanges)} requests of the protocol none was answered"
        why = "; ".join(dict.fromkeys(gap for each in exchanges.values() for gap in each.gaps))
        raise EmptyRecordingError(
            f"nothing was recorded: {asked}{why and f' ({why})'}. "
            "Is the recorder's address what the client was given for a base URL, and the upstream up?"
        )
    return _cassette(head, answered)


def _of_codex(head: dict[str, Any], session: CodexSession) -> Cassette:
    cassette = session.cassette(head)
    if not cassette.frames:
        raise EmptyRecordingError("nothing was recorded: neither the client nor the app-server said anything")
    return cassette


def _lines(partial: Path) -> Iterator[dict[str, Any]]:
    """The records. A last line that was being written when the process ended is left out."""
    with partial.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return
            try:
                record = strictjson.loads(line)
            except StrictJSONError as error:
                raise _no_record(partial, number, line, str(error)) from None
            if not isinstance(record, dict):
                raise _no_record(partial, number, line, "it is none")
            for name, value in record.items():
                if not _KINDS.get(name, _is_anything)(value):
                    raise _no_record(partial, number, line, f"{name}: {value!r:.60}")
            yield record


def _no_record(partial: Path, number: int, line: bytes, why: str) -> SidecarError:
    return SidecarError(
        f"{partial}: line {number}: expected a record, a JSON object, got {line[:60]!r} ({why})"
    )


def _is_anything(_value: object) -> bool:
    return True


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_whole(value: object) -> bool:
    return type(value) is int and value >= 0


def _is_time(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _are_pairs(first: Callable[[object], bool], second: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: (
        isinstance(value, list)
        and all(
            isinstance(each, list) and len(each) == 2 and first(each[0]) and second(each[1]) for each in value
        )
    )


_KINDS: Final[dict[str, Callable[[object], bool]]] = {
    **dict.fromkeys(("number", "status", "length", "order"), _is_whole),
    **dict.fromkeys(("method", "path", "body", "held", "text", "by", "connection"), _is_text),
    "at": _is_time,
    "cuts": _are_pairs(_is_time, _is_whole),
    "headers": _are_pairs(_is_text, _is_text),
}
"""What the members of records are, so that a damaged file is told as one."""


def _request(exchanges: dict[int, _Exchange], record: dict[str, Any]) -> None:
    request = RecordedRequest(
        method=record["method"],
        path=record["path"],
        headers=joined(record["headers"]),
        body=bytes_of(record["body"]),
    )
    exchanges[record["number"]] = _Exchange(request=request, asked=record["at"])


def _response(exchanges: dict[int, _Exchange], record: dict[str, Any]) -> None:
    exchanges[record["number"]].response = record


def _chunks(exchanges: dict[int, _Exchange], record: dict[str, Any]) -> None:
    exchange = exchanges[record["number"]]
    exchange.body.add(record, sum(length for _, length in record["cuts"]))
    exchange.cuts += record["cuts"]


def _end(exchanges: dict[int, _Exchange], record: dict[str, Any]) -> None:
    exchange = exchanges[record["number"]]
    exchange.body.add(record, 0)
    exchange.end = record["how"]


def _gap(exchanges: dict[int, _Exchange], record: dict[str, Any]) -> None:
    exchanges[record["number"]].gaps.append(record["text"])


_READ: Final = {"request": _request, "response": _response, "chunks": _chunks, "end": _end, "gap": _gap}


def _cassette(head: dict[str, Any], exchanges: list[_Exchange]) -> Cassette:
    interactions = tuple(map(_interaction, exchanges))
    gaps = [
        f"interaction {number}: {gap}"
        for number, exchange in enumerate(exchanges, 1)
        for gap in [*exchange.gaps, *([] if exchange.end else ["the recording ended before the answer did"])]
    ]
    return Cassette(
        protocol=head["protocol"],
        provenance=Provenance(
            kind="recorded",
            captured_at=head["captured_at"],
            tool=f"wiretape {__version__}",
            basis=(head["basis"],),
            gaps=tuple(gaps),
        ),
        expect=expectation(interactions),
        interactions=interactions,
    )


def _interaction(exchange: _Exchange) -> Interaction:
    assert exchange.response is not None
    return Interaction(
        request=exchange.request,
        response=RecordedResponse(
            status=exchange.response["status"],
            headers=joined(exchange.response["headers"]),
            body=bytes(exchange.body.data),
            chunks=_cuts(exchange),
            end=exchange.end or "hang",
        ),
    )


def _cuts(exchange: _Exchange) -> Chunks | None:
    """The cuts of what is in the file; of a killed recording's last chunk there may be a part."""
    times, lengths, left = [], [], len(exchange.body.data)
    for at, length in exchange.cuts:
        length = min(length, left)
        if not length:
            break
        times.append(at)
        lengths.append(length)
        left -= length
    return Chunks(delays=delays(times, exchange.asked), lengths=tuple(lengths)) if lengths else None
