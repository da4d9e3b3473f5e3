"""A client that refuses a delta to a place that is not there, where the reference makes room for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.conformance.reference_client import ClientError, Exchange, ReferenceClient
from wiretape.flow_a.stream import StreamDecoder
from wiretape.sse import ServerSentEvent
from wiretape.strictjson import ABSENT, StrictJSONError, loads


@dataclass(slots=True, kw_only=True)
class StrictClient(ReferenceClient):
    """The reference client, with a ClientError before a delta that would leave a hole or make a container."""

    def read(self, answer: Exchange) -> None:
        decoder, strict = StreamDecoder(), _Strict()
        for event in answer.events():
            strict.look(decoder, event)
            self.learn(decoder, decoder.feed(event))
        if not decoder.done:
            raise ClientError("the stream ended before [DONE]")


class _Strict:
    """Follows which place a delta names; what does not decode at all is the decoder's to refuse."""

    def __init__(self) -> None:
        self._channel: Any = 0
        self._path: Any = ""
        self._op: Any = "add"

    def look(self, decoder: StreamDecoder, event: ServerSentEvent) -> None:
        delta = _delta(event)
        if delta is None:
            return
        self._channel, self._path = delta.get("c", self._channel), delta.get("p", self._path)
        self._op = delta.get("o", self._op)
        for path in _places(self._path, self._op, delta.get("v")):
            parent = path.rpartition("/")[0]
            if parent and decoder.peek(self._channel, parent) is ABSENT:
                raise ClientError(f"{path} is nowhere")
            key, held = path.rpartition("/")[2], decoder.peek(self._channel, parent)
            if isinstance(held, list) and key.isdecimal() and int(key) >= len(held) and self._op != "add":
                raise ClientError(f"{path} is beyond the end of a list of {len(held)}")


def _delta(event: ServerSentEvent) -> dict[str, Any] | None:
    try:
        value = loads(event.data) if event.event == "delta" else None
    except StrictJSONError:
        return None
    return value if isinstance(value, dict) else None


def _places(path: Any, op: Any, value: Any) -> Iterator[str]:
    """The places that a delta changes: those of its entries, where it is a patch."""
    if op != "patch" and isinstance(path, str) and path:
        yield path
    for entry in value if op == "patch" and isinstance(value, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("p"), str):
            yield from _places(f"{path}{entry['p']}", entry.get("o"), entry.get("v"))
