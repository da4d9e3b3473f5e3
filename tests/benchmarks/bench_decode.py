"""P1 to P3: event streams and deltas, against the payloads' JSON, a naive decoder, ``split`` and httpx-sse.

The stream is a text answer: a root add, 98 % bare appends, a patch with two entries in every fifty deltas.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
from httpx_sse import EventSource, ServerSentEvent

from tests.benchmarks.measure import Line, compare
from wiretape.delta_encoder import ANNOUNCEMENT, delta_event
from wiretape.flow_a.stream import StreamDecoder
from wiretape.sse import EventStreamDecoder, encode

GOALS = ("P1", "P2", "P3")
_PATH = "/message/content/parts/0"
_PIECE = " word123"
_KIB = 1024
_LONG_LINE = b"data: " + b"x" * 1_000_000 + b"\n\n"

Content = tuple[Any, ...]


def run() -> Iterator[Line]:
    yield from _against_json()
    yield from _growth()
    yield from _frames()


def _against_json() -> Iterator[Line]:
    for size in (300, 3_000, 30_000):
        body = _body(size)
        payloads = [event.data.encode() for event in EventStreamDecoder().feed(body)]
        variants = {
            "wiretape": lambda body=body: _decoded(body, 4 * _KIB),
            "json.loads": lambda payloads=payloads: (len([json.loads(payload) for payload in payloads]),),
            "naive decoder": lambda body=body: _naive(body, 4 * _KIB),
        }
        ratios = compare(variants, equal=_same_beginning)
        yield ratios.at_most("P1", f"{size:,} deltas", 1.0, of="wiretape", to="json.loads")
        target = 0.25 if size == 30_000 else None
        if target:
            yield ratios.at_most("P1", f"{size:,} deltas", target, of="wiretape", to="naive decoder")
        else:
            yield ratios.report("P1", f"{size:,} deltas", of="wiretape", to="naive decoder")


def _growth() -> Iterator[Line]:
    for small, large in ((300, 3_000), (3_000, 30_000)):
        few, many = _body(small), _body(large)
        ratios = compare(
            {
                f"{large:,} deltas": lambda many=many, n=large: _per_delta(many, n),
                f"{small:,} deltas": lambda few=few, n=small: _per_delta(few, n),
            }
        )
        what = f"{large:,} deltas, patches included"
        yield ratios.at_most("P2", what, 10.5, of=f"{large:,} deltas", to=f"{small:,} deltas")


def _frames() -> Iterator[Line]:
    body = _body(10_000)
    for chunk in (_KIB, 4 * _KIB, 64 * _KIB, len(body)):
        ratios = compare(
            {
                "wiretape": lambda chunk=chunk: len(_events(body, chunk)),
                'split(b"\\n\\n")': lambda: len(body.split(b"\n\n")) - 1,
                "httpx-sse": lambda chunk=chunk: len([*_httpx_sse(body, chunk)]),
            }
        )
        what = f"chunks of {chunk // _KIB} KiB" if chunk < len(body) else "one chunk"
        yield ratios.at_most("P3", what, 12, of="wiretape", to='split(b"\\n\\n")')
        yield ratios.at_most("P3", what, 0.25, of="wiretape", to="httpx-sse")
    ratios = compare(
        {
            "64-byte chunks": lambda: len(_events(_LONG_LINE, 64)[0].data),
            "one chunk": lambda: len(_events(_LONG_LINE, len(_LONG_LINE))[0].data),
        }
    )
    yield ratios.at_most("P3", "a line of 1 MB in 64-byte chunks", 12, of="64-byte chunks", to="one chunk")


def _deltas(count: int) -> Iterator[dict[str, Any]]:
    content = {"content_type": "text", "parts": [""]}
    message = {"id": "m1", "author": {"role": "assistant"}, "content": content, "status": "in_progress"}
    yield {"p": "", "o": "add", "v": {"message": message | {"metadata": {}}, "conversation_id": "c"}, "c": 0}
    bare = False
    for number in range(1, count):
        append = {"p": _PATH, "o": "append", "v": _PIECE}
        if number % 50 == 0:
            entries = [append, {"p": "/message/metadata", "o": "append", "v": {f"k{number % 7}": number}}]
            yield {"p": "", "o": "patch", "v": entries}
        else:
            yield {"v": _PIECE} if bare else append
        bare = number % 50 != 0


def _body(count: int) -> bytes:
    """A stream of this many deltas, spaced and padded as captured."""
    events = (delta_event(delta, spaced=True) for delta in _deltas(count))
    return encode(ANNOUNCEMENT) + b"".join(map(encode, events))


def _chunks(body: bytes, size: int) -> Iterator[bytes]:
    return (body[at : at + size] for at in range(0, len(body), size))


def _events(body: bytes, chunk: int) -> list[Any]:
    decoder = EventStreamDecoder()
    return [event for piece in _chunks(body, chunk) for event in decoder.feed(piece)]


def _decoded(body: bytes, chunk: int) -> Content:
    """Bytes to events to typed results; how many, and the text at the end."""
    frames, decoder, count = EventStreamDecoder(), StreamDecoder(), 0
    for piece in _chunks(body, chunk):
        for event in frames.feed(piece):
            decoder.feed(event)
            count += 1
    return count, decoder.peek(0, _PATH)


def _per_delta(body: bytes, count: int) -> float:
    """The whole decoding; its content is what is the same for every length: the text that one delta adds."""
    return len(_decoded(body, 4 * _KIB)[1]) / (count - 1)


def _same_beginning(left: Content, right: Content) -> bool:
    """Parsing alone gives no text, so only the number of payloads can be compared with it."""
    shared = min(len(left), len(right))
    return left[:shared] == right[:shared]


@dataclass(frozen=True)
class _NaiveDelta:
    channel: int
    path: str
    op: str
    value: Any


def _naive(body: bytes, chunk: int) -> Content:
    """What one writes first: events from a library, paths split each time, ``+=``, one result per delta."""
    count, value = 0, None
    channel, path, op = 0, "", "add"
    for event in _httpx_sse(body, chunk):
        payload = json.loads(event.data)
        count += 1
        if event.event == "delta":
            channel, path, op = payload.get("c", channel), payload.get("p", path), payload.get("o", op)
            value = _naive_step(value, path, op, payload["v"])
            _NaiveDelta(channel=channel, path=path, op=op, value=payload["v"])
    return count, value["message"]["content"]["parts"][0]


def _naive_step(value: Any, path: str, op: str, piece: Any) -> Any:
    if not path and op == "add":
        return piece
    if op == "patch":
        for entry in piece:
            value = _naive_step(value, path + entry["p"], entry["o"], entry["v"])
        return value
    *way, last = path.split("/")[1:]
    target = value
    for name in way:
        target = target[int(name) if isinstance(target, list) else name]
    key = int(last) if isinstance(target, list) else last
    if isinstance(target[key], dict):
        target[key].update(piece)
    else:
        target[key] += piece
    return value


def _httpx_sse(body: bytes, chunk: int) -> Iterator[ServerSentEvent]:
    headers = {"content-type": "text/event-stream; charset=utf-8"}
    return EventSource(httpx.Response(200, headers=headers, content=_chunks(body, chunk))).iter_sse()
