"""HAR 1.2, as browsers and proxies export it."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from wiretape import strictjson
from wiretape.cassette.model import Cassette
from wiretape.imports.exchange import Exchange, SocketMessage, Source, SourceError
from wiretape.imports.sessions import cassette_of, is_of_flow_a
from wiretape.strictjson import StrictJSONError
from wiretape.transcript import Headers, Side

_ADVICE: Final = (
    "Browsers leave out what was still coming when they saved, and bodies beyond a limit. Save again once "
    "the answer is complete, with content (in Chrome: Export HAR with sensitive data), export from a "
    "proxy, or record the session with: wiretape record flow-a"
)
_SIDES: Final[dict[object, Side]] = {"send": "client", "receive": "server"}
_TEXT: Final = 1
"""A websocket message's opcode."""
_CONTROL: Final = 8
"""From here on, opcodes are those of closes, pings and pongs."""


def read_har(data: bytes, *, name: str) -> Cassette:
    """Make a cassette of a HAR file. Raises SourceError, with the number of the entry where there is one."""
    log = _log(data, name)
    entries = _list(log, "entries", f"{name}: log")
    exchanges = [_exchange(entry, number, name) for number, entry in enumerate(entries, 1)]
    return cassette_of(exchanges, _source(log, entries, name))


def _log(data: bytes, name: str) -> dict[str, Any]:
    try:
        har = strictjson.loads(data.removeprefix(b"\xef\xbb\xbf"), last_wins=True)
    except StrictJSONError as error:
        raise SourceError(
            f"{name}: expected a HAR file, which is JSON, got {data[:40]!r} ({error}). Export it again."
        ) from None
    log = har.get("log") if isinstance(har, dict) else None
    if not isinstance(log, dict):
        raise SourceError(f'{name}: expected a HAR file, {{"log": {{"entries": […]}}}}, got other JSON')
    if not _list(log, "entries", f"{name}: log"):
        raise SourceError(f"{name}: expected entries, got none. Open the network panel before the session.")
    return log


def _source(log: dict[str, Any], entries: list[Any], name: str) -> Source:
    started = (each.get("startedDateTime") for each in entries if isinstance(each, dict))
    return Source(
        tool=" ".join(_about(log, key) for key in ("creator", "browser") if _about(log, key)) or "unknown",
        basis=f"the HAR file {name}",
        captured_at=next((each for each in started if isinstance(each, str)), None),
        advice=_ADVICE,
        gaps=("Bodies stand in a HAR file without their content codings, and text as the exporter read it.",),
    )


def _about(log: dict[str, Any], key: str) -> str:
    maker = log.get(key)
    parts = (maker.get("name"), maker.get("version")) if isinstance(maker, dict) else ()
    return " ".join(part for part in parts if isinstance(part, str) and part)


def _exchange(entry: Any, number: int, name: str) -> Exchange:
    """The entry's exchange. Of one that is not of the protocol no more is read than what it is."""
    place = f"{name}: entry {number}"
    request = _object(entry, "request", place)
    method, url = (_text(request, key, f"{place}: request") for key in ("method", "url"))
    messages = tuple(_messages(entry, place))
    known = Exchange(place=f"entry {number}", method=method, url=url, status=0, messages=messages)
    if not (messages or is_of_flow_a(url)):
        return known
    response = entry.get("response") or {}
    status = 101 if messages else _status(response, place)
    if not status:
        return known
    response = _object(entry, "response", place)
    (body, gaps), (sent, more) = _body(response, place), _post_data(request, place)
    return replace(
        known,
        request_headers=_headers(request, f"{place}: request"),
        request_body=sent,
        status=status,
        response_headers=_headers(response, f"{place}: response"),
        body=body,
        broke_off=bool(response.get("_error")),
        gaps=(*more, *gaps),
    )


def _status(response: Any, place: str) -> int:
    """The answer's status; 0 where there was none, which exporters write in many ways."""
    status = response.get("status") if isinstance(response, dict) else None
    if status is None or status in (0, -1):
        return 0
    if type(status) is not int or not 100 <= status <= 599:
        raise SourceError(f"{place}: response: expected a status from 100 to 599, got {status!r:.80}")
    return status


def _post_data(request: dict[str, Any], place: str) -> tuple[bytes, tuple[str, ...]]:
    posted, size = request.get("postData"), request.get("bodySize")
    body = _decoded(posted, f"{place}: request.postData") if isinstance(posted, dict) else None
    missing = body is None and type(size) is int and size > 0
    return body or b"", (f"the request's body of {size} bytes is not in the source",) if missing else ()


def _body(response: dict[str, Any], place: str) -> tuple[bytes | None, tuple[str, ...]]:
    content = response.get("content")
    if not isinstance(content, dict):
        return None, ()
    body, size = _decoded(content, f"{place}: response.content"), content.get("size")
    if body is None:
        missing = type(size) is int and size > 0
        return None, (f"the body of {size} bytes is not in the source",) if missing else ()
    if type(size) is int and size > len(body):
        return body, (f"of a body of {size} bytes the source holds {len(body)}",)
    return body, ()


def _decoded(holder: dict[str, Any], place: str) -> bytes | None:
    text = holder.get("text")
    if not isinstance(text, str):
        return None
    if str(holder.get("encoding", "")).lower() != "base64":
        return text.encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode("".join(text.split()), validate=True)  # some break it into lines
    except ValueError as error:
        raise SourceError(
            f"{place}: expected base64, got {text[:40]!r} ({error}). Export it again."
        ) from None


def _messages(entry: dict[str, Any], place: str) -> Iterator[SocketMessage]:
    messages = entry.get("_webSocketMessages")
    for number, message in enumerate(messages if isinstance(messages, list) else [], 1):
        if _is_of_the_connection(message):
            continue
        where = f"{place}: _webSocketMessages, message {number}"
        side = _SIDES.get(message.get("type")) if isinstance(message, dict) else None
        if side is None:
            raise SourceError(f'{where}: expected a type "send" or "receive", got {message!r:.80}')
        text = _text(message, "data", where)
        binary = message.get("opcode") not in (None, _TEXT)
        held = {"text": text, "encoding": "base64" if binary else ""}
        at = message.get("time")
        timed = isinstance(at, (int, float)) and not isinstance(at, bool)
        yield SocketMessage(side=side, data=_decoded(held, where) or b"", at=float(at) if timed else None)


def _is_of_the_connection(message: Any) -> bool:
    """Whether it is no message: Chrome tells errors among them, and shows pings and closes."""
    if not isinstance(message, dict):
        return False
    opcode = message.get("opcode")
    return message.get("type") == "error" or (type(opcode) is int and opcode >= _CONTROL)


def _headers(holder: dict[str, Any], place: str) -> Headers:
    pairs = []
    for header in _list(holder, "headers", place):
        name, value = (header.get("name"), header.get("value")) if isinstance(header, dict) else (None, None)
        if not isinstance(name, str) or not isinstance(value, str):
            raise SourceError(f"{place}.headers: expected a name and a value, got {header!r:.80}")
        pairs.append((name, value))
    return tuple(pairs)


def _object(holder: Any, key: str, place: str) -> dict[str, Any]:
    value = holder.get(key) if isinstance(holder, dict) else None
    if not isinstance(value, dict):
        raise SourceError(f"{place}: expected an object as {key}, got {value!r:.80}")
    return value


def _list(holder: dict[str, Any], key: str, place: str) -> list[Any]:
    value = holder.get(key)
    if not isinstance(value, list):
        raise SourceError(f"{place}: expected a list as {key}, got {value!r:.80}")
    return value


def _text(holder: dict[str, Any], key: str, place: str) -> str:
    value = holder.get(key)
    if not isinstance(value, str):
        raise SourceError(f"{place}: expected a text as {key}, got {value!r:.80}")
    return value
