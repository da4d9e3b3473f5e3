"""Logs of the app-server that were made elsewhere: JSON lines with a direction and a message.

Each line is ``{"t": seconds, "dir": direction, "conn": name or null, "msg": message}``, under these names or
others. ``client->server`` and ``server->client`` are messages, as an object or as the text of one; one that
is no JSON stands as ``{"_raw": text}``. ``meta`` tells of connections (spawn, connect, exit, closed). Every
other direction (stderr, the model provider's side) says nothing about the client and is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from wiretape import strictjson
from wiretape.codex.messages import fields
from wiretape.strictjson import StrictJSONError
from wiretape.transcript import Entry, Frame, Link, Side, Transcript, Transport
from wiretape.transcript_file import TranscriptError


@dataclass(frozen=True, slots=True, kw_only=True)
class LogKeys:
    """Which member of a line is what, and how a log writes the directions."""

    direction: str = "dir"
    message: str = "msg"
    time: str = "t"
    """Seconds; may be missing."""
    connection: str = "conn"
    """May be missing."""
    client: str = "client->server"
    server: str = "server->client"

    def side(self, direction: object) -> Side | None:
        """Who sent a message; None for what is none."""
        sides: dict[object, Side] = {self.client: "client", self.server: "server"}
        return sides.get(direction) if isinstance(direction, str) else None


_USUAL: Final = LogKeys()


def read(data: bytes, name: str = "", keys: LogKeys = _USUAL) -> Transcript:
    """Read a log. Raises TranscriptError, with the line, for what is none."""
    transcript = Transcript(protocol="codex", name=name)
    transports: dict[str, Transport] = {}
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            transcript.entries += _entries(_record(line, f"{name}: line {number}", keys), keys, transports)
    return transcript


def _record(line: bytes, where: str, keys: LogKeys) -> dict[str, Any]:
    try:
        record = strictjson.loads(line)
    except StrictJSONError as error:
        raise TranscriptError(f"{where}: expected a JSON object, got {line[:60]!r} ({error})") from None
    if not isinstance(record, dict) or not {keys.direction, keys.message} <= record.keys():
        want = f'"{keys.direction}" and "{keys.message}"'
        raise TranscriptError(f"{where}: expected an object with {want}, got {line[:60]!r}")
    at = record.get(keys.time, 0.0)
    if isinstance(at, bool) or not isinstance(at, (int, float)):
        raise TranscriptError(f"{where}: {keys.time}: expected seconds, got {at!r}")
    return record | {keys.time: float(at)}


def _entries(record: dict[str, Any], keys: LogKeys, transports: dict[str, Transport]) -> list[Entry]:
    connection, message, at = str(record.get(keys.connection) or ""), record[keys.message], record[keys.time]
    side = keys.side(record[keys.direction])
    if side is not None:
        return [Frame(direction=side, data=_data(message), connection=connection, at=at)]
    if record[keys.direction] == "meta" and connection:
        return _links(connection, fields(message), transports, at)
    return []


def _data(message: object) -> bytes:
    raw = message if isinstance(message, str) else fields(message).get("_raw")
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
