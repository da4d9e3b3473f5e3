"""Logs of the app-server that were made elsewhere: JSON lines with ``dir`` and ``msg``.

Each line is ``{"t": seconds, "dir": direction, "conn": name or null, "msg": message}``. ``client->server``
and ``server->client`` are messages; one that is no JSON stands as ``{"_raw": text}``. ``meta`` tells of
connections (spawn, connect, exit, closed). Every other direction (stderr, the model provider's side) says
nothing about the client and is left out.
"""

from __future__ import annotations

from typing import Any, Final

from wiretape import strictjson
from wiretape.codex.messages import fields
from wiretape.strictjson import StrictJSONError
from wiretape.transcript import Entry, Frame, Link, Side, Transcript, Transport
from wiretape.transcript_file import TranscriptError

_SIDES: Final[dict[object, Side]] = {"client->server": "client", "server->client": "server"}


def read(data: bytes, name: str = "") -> Transcript:
    """Read a log. Raises TranscriptError, with the line, for what is none."""
    transcript = Transcript(protocol="codex", name=name)
    transports: dict[str, Transport] = {}
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            transcript.entries += _entries(_record(line, f"{name}: line {number}"), transports)
    return transcript


def _record(line: bytes, where: str) -> dict[str, Any]:
    try:
        record = strictjson.loads(line)
    except StrictJSONError as error:
        raise TranscriptError(f"{where}: expected a JSON object, got {line[:60]!r} ({error})") from None
    if not isinstance(record, dict) or not {"dir", "msg"} <= record.keys():
        raise TranscriptError(f'{where}: expected an object with "dir" and "msg", got {line[:60]!r}')
    at = record.get("t", 0.0)
    if isinstance(at, bool) or not isinstance(at, (int, float)):
        raise TranscriptError(f"{where}: t: expected seconds, got {at!r}")
    return record | {"t": float(at)}


def _entries(record: dict[str, Any], transports: dict[str, Transport]) -> list[Entry]:
    connection, message, at = str(record.get("conn") or ""), record["msg"], record["t"]
    side = _SIDES.get(record["dir"])
    if side is not None:
        return [Frame(direction=side, data=_data(message), connection=connection, at=at)]
    if record["dir"] == "meta" and connection:
        return _links(connection, fields(message), transports, at)
    return []


def _data(message: object) -> bytes:
    raw = fields(message).get("_raw")
    text = raw if isinstance(raw, str) else strictjson.dumps(message)
    return text.encode("utf-8", "surrogatepass")


def _links(
    connection: str, remark: dict[str, Any], transports: dict[str, Transport], at: float
) -> list[Entry]:
    """The begin or end that a remark tells of. A process's exit after its client's EOF is told once."""
    opening: Transport | None = (
        "stdio" if "spawn" in remark else "websocket" if remark.get("accepted") is True else None
    )
    if opening is not None:
        transports[connection] = opening
        return [Link(connection=connection, what="opened", transport=opening, at=at)]
    if not remark.keys() & {"exit", "closed"} or connection not in transports:
        return []
    transport, code = transports.pop(connection), remark.get("exit")
    return [
        Link(
            connection=connection,
            what="closed",
            transport=transport,
            detail="" if code is None else f"exit code {code}",
            at=at,
            by="server" if code else "client",
        )
    ]
