"""Wrong decoders, one fault each: what decoders in the wild were seen to do.

Each rewrites a stream on its way into the reference decoder, or what the decoder does with one delta.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from wiretape import javascript, pointer
from wiretape.delta import DeltaError
from wiretape.flow_a.stream import StreamDecoder
from wiretape.sse import EventStreamDecoder, ServerSentEvent
from wiretape.strictjson import ABSENT, StrictJSONError, dumps, loads

Delta = dict[str, Any]
Rewrite = Callable[[Delta, "Decoding"], Iterable[Delta]]


class Decoding:
    """One stream on its way: every delta is written in full, rewritten, and pushed."""

    def __init__(self, rewrite: Rewrite) -> None:
        self.rewrite = rewrite
        self.previous: Delta = {"c": 0, "p": "", "o": "add"}
        self.last = ""
        self.highest = -1
        self.stream = StreamDecoder()

    def feed(self, event: ServerSentEvent) -> None:
        if event.event == "delta_encoding":
            self.previous = {"c": 0, "p": "", "o": "add"}
        with suppress(DeltaError):
            try:
                wire = loads(event.data) if event.event == "delta" else None
            except StrictJSONError:
                wire = None
            if not isinstance(wire, dict):
                self.stream.feed(event)
                return
            full = self.previous | wire
            self.previous = {key: full[key] for key in "cpo"}
            for delta in self.rewrite(full, self):
                self.stream.feed(ServerSentEvent("delta", dumps(delta)))
            self.last = event.data


def decoding(rewrite: Rewrite) -> Callable[[bytes], list[Any]]:
    def decoder(data: bytes) -> list[Any]:
        work = Decoding(rewrite)
        for event in EventStreamDecoder().feed(data):
            work.feed(event)
        return work.stream.messages

    return decoder


def each_entry(change: Callable[[Delta, Any], Delta | None]) -> Rewrite:
    """Change every operation, alone or in a patch, given what its target is before the delta."""

    def entries(delta: Delta, work: Decoding, base: str, channel: Any) -> Delta | None:
        if delta["o"] == "patch" and isinstance(delta.get("v"), list):
            changed = (entries(entry, work, base + delta["p"], channel) for entry in delta["v"])
            return delta | {"v": [entry for entry in changed if entry is not None]}
        return change(delta, work.stream.peek(channel, base + delta["p"]))

    def rewrite(delta: Delta, work: Decoding) -> Iterable[Delta]:
        changed = entries(delta, work, "", delta["c"])
        return [] if changed is None else [changed]

    return rewrite


def no_single_root(delta: Delta, _work: Decoding) -> Iterable[Delta]:
    """Knows members only: an entry of a patch that means the patched value itself does nothing."""
    if delta["o"] != "patch" or not isinstance(delta.get("v"), list):
        return [delta]
    return [delta | {"v": [entry for entry in delta["v"] if entry.get("p") != ""]}]


def nested_operations_leak(delta: Delta, work: Decoding) -> Iterable[Delta]:
    """Inherits path and op from a patch's last entry."""
    if delta["o"] == "patch" and isinstance(delta.get("v"), list) and delta["v"]:
        last = delta["v"][-1]
        work.previous |= {"p": last["p"], "o": last["o"]}
    return [delta]


def absolute_nested_paths(delta: Delta, _work: Decoding) -> Iterable[Delta]:
    """Applies a patch's entries at the root, whatever the patch's own path is."""
    return [delta | {"p": ""}] if delta["o"] == "patch" else [delta]


def text_of(value: Any) -> str:
    return "" if value is ABSENT else javascript.text(value)


def string_concat_always(entry: Delta, target: Any) -> Delta:
    if entry["o"] != "append":
        return entry
    return entry | {"o": "replace", "v": text_of(target) + text_of(entry.get("v", ABSENT))}


def list_add_overwrites(entry: Delta, _target: Any) -> Delta:
    segments = pointer.parse(entry["p"])
    is_element = bool(segments) and segments[-1].index is not None
    return entry | {"o": "replace"} if entry["o"] == "add" and is_element else entry


def no_truncate(entry: Delta, _target: Any) -> Delta | None:
    return None if entry["o"] == "truncate" else entry


def code_points(entry: Delta, target: Any) -> Delta:
    if entry["o"] != "truncate" or not isinstance(target, str):
        return entry
    return entry | {"o": "replace", "v": target[: max(0, int(entry["v"]))]}


def drops_repeated_tokens(delta: Delta, work: Decoding) -> Iterable[Delta]:
    """Takes a delta that says the same as the one before for a retransmission."""
    same = work.last and loads(work.last) == {key: delta[key] for key in loads(work.last) if key in delta}
    return [] if same and delta["o"] == "append" else [delta]


def first_entry_only(delta: Delta, _work: Decoding) -> Iterable[Delta]:
    return [delta | {"v": delta["v"][:1]}] if delta["o"] == "patch" and delta["v"] else [delta]


def channel_is_a_sequence_number(delta: Delta, work: Decoding) -> Iterable[Delta]:
    """Drops what has a lower number than something before it, as late."""
    late = delta["c"] < work.highest
    work.highest = max(work.highest, delta["c"])
    return [] if late else [delta]


def no_escapes(entry: Delta, _target: Any) -> Delta:
    return entry | {"p": entry["p"].replace("~", "~0")}


reference = decoding(lambda delta, _work: [delta])


def chunk_wise_utf8(data: bytes) -> list[Any]:
    """Decodes each piece of 16 bytes to text by itself."""
    pieces = [data[at : at + 16].decode(errors="replace") for at in range(0, len(data), 16)]
    return reference("".join(pieces).encode())


def split_on_blank_lines(data: bytes) -> list[Any]:
    """Knows LF alone, and ``data: `` and ``event: `` with their blank."""
    work = Decoding(lambda delta, _work: [delta])
    for block in data.decode(errors="replace").split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line)
        work.feed(ServerSentEvent(fields.get("event", "message"), fields.get("data", "")))
    return work.stream.messages


def every_object_is_a_delta(data: bytes) -> list[Any]:
    """Looks at no event's name."""
    work = Decoding(lambda delta, _work: [delta])
    for event in EventStreamDecoder().feed(data):
        looks_so = event.data.startswith("{") and '"type"' not in event.data
        work.feed(event._replace(event="delta") if looks_so else event)
    return work.stream.messages


def stops_at_a_fault(data: bytes) -> list[Any]:
    """Gives what it has at the first fault, and says nothing of it."""
    stream = StreamDecoder()
    with suppress(DeltaError):
        for event in EventStreamDecoder().feed(data):
            stream.feed(event)
    return stream.messages


def raw_control_lines(data: bytes) -> list[Any]:
    """Splits lines as Python's ``splitlines`` does, at U+2028 too."""
    lines = data.decode(errors="replace").splitlines()
    return reference("\n".join([*lines, "", ""]).encode())


PLANTED: dict[str, tuple[Callable[[bytes], list[Any]], set[str]]] = {
    "no single root": (decoding(no_single_root), {"patch"}),
    "nested ops leak": (decoding(nested_operations_leak), {"inheritance"}),
    "absolute nested paths": (decoding(absolute_nested_paths), {"patch"}),
    "string concat always": (decoding(each_entry(string_concat_always)), {"list-append", "merge"}),
    "list add overwrites": (decoding(each_entry(list_add_overwrites)), {"list-insert"}),
    "no truncate": (decoding(each_entry(no_truncate)), {"truncate-text", "truncate-list"}),
    "code points": (decoding(each_entry(code_points)), {"truncate-text"}),
    "chunk-wise UTF-8": (chunk_wise_utf8, {"json-text"}),
    "split on blank lines": (split_on_blank_lines, {"framing"}),
    "drops repeated tokens": (decoding(drops_repeated_tokens), {"text"}),
    "first patch entry only": (decoding(first_entry_only), {"patch"}),
    "channel as sequence number": (decoding(channel_is_a_sequence_number), {"channels"}),
    "no escapes": (decoding(each_entry(no_escapes)), {"members"}),
    "every object is a delta": (every_object_is_a_delta, {"typed-events"}),
    "stops at a fault": (stops_at_a_fault, {"faulty"}),
    "lines end at U+2028": (raw_control_lines, {"json-text"}),
}
"""Name to the decoder, and the kinds of behaviour that it must be found wrong in, at least."""
