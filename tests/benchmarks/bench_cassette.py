"""P8 and P9: loading and saving a cassette with one long answer, beside plain PyYAML on the same content.

"load" is all that ``loads`` does: the chunk table and every check of the format. "load and frame" adds the
frames that a server writes. The check that the answer decodes, which a server makes once for each content, is
shown by itself. "save" writes, syncs, reads back and compares, bytes and values.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import yaml

from tests.benchmarks.measure import Line, compare
from wiretape.cassette import (
    Cassette,
    Chunks,
    Interaction,
    Provenance,
    RecordedRequest,
    RecordedResponse,
    dumps,
    loads,
    save,
)
from wiretape.flow_a.facts import read_stream
from wiretape_server.track import cut, lay

GOALS = ("P8", "P9")
SIZES: Final = (3_000, 30_000)
LETTERS: Final = "etaoin shrdlu"


class Literal(str):
    """Text that the comparison's dumper writes as a literal block."""


class Dumper(yaml.CSafeDumper):
    """PyYAML's C dumper, told to write the same blocks."""


Dumper.add_representer(
    Literal, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style="|")
)


def answer(count: int) -> list[bytes]:
    """Events of a long answer, some 100 bytes each: bare text appends, padded as on the wire."""
    draw = random.Random(count)
    content = {"content_type": "text", "parts": [""]}
    message = {"id": "m", "author": {"role": "assistant"}, "content": content, "status": "in_progress"}
    texts = ("".join(draw.choices(LETTERS, k=draw.randint(40, 96))) for _ in range(count - 3))
    return [
        b'event: delta_encoding\ndata: "v1"\n\n',
        event({"p": "", "o": "add", "v": {"message": message}}),
        event({"p": "/message/content/parts/0", "o": "append", "v": "A"}),
        *(event({"v": text}) for text in texts),
    ]


def event(delta: object) -> bytes:
    payload = json.dumps(delta)
    return f"event: delta\ndata: {payload}{' ' * (-len(payload) % 8)}\n\n".encode()


def recorded(events: list[bytes]) -> Cassette:
    draw = random.Random(0)
    delays, lengths = (float(draw.randint(0, 40)) for _ in events), map(len, events)
    response = RecordedResponse(
        body=b"".join(events), chunks=Chunks(delays=tuple(delays), lengths=tuple(lengths))
    )
    request = RecordedRequest(method="POST", path="/backend-api/f/conversation", body=b"{}")
    return Cassette(
        protocol="flow_a",
        title="A long answer",
        provenance=Provenance(kind="synthetic"),
        interactions=(Interaction(request=request, response=response),),
    )


def load_and_frame(data: bytes) -> Cassette:
    """Load a cassette and build the frames that a server writes."""
    cassette = loads(data)
    response = cassette.interactions[0].response
    stops, delays = cut(response, "recorded")
    lay(response.body, stops, delays, ())
    return cassette


def decoded(body: bytes) -> bytes:
    """Decode an answer, as if it had not been seen before."""
    assert not read_stream.__wrapped__(body).errors
    return body


def body(content: object) -> object:
    """The recorded body in what a variant gave: a cassette, PyYAML's mappings, a list of events."""
    if isinstance(content, bytes):
        return content
    if isinstance(content, Cassette):
        return content.interactions[0].response.body
    if isinstance(content, dict):
        return content["interactions"][0]["response"]["body"].encode()
    assert isinstance(content, list)
    return "".join(each["data"] for each in content).encode()


def same_body(one: object, other: object) -> bool:
    return body(one) == body(other)


def run() -> Iterator[Line]:
    """Measure P8 and P9."""
    files = {}
    for count in SIZES:
        events = answer(count)
        cassette = recorded(events)
        files[count] = dumps(cassette)
        yield from loading(events, files[count])
        yield from saving(cassette, files[count])
    few, many = (f"{count:,} events" for count in SIZES)
    ratios = compare(
        {few: partial(loads, files[SIZES[0]]), many: partial(loads, files[SIZES[1]])},
        equal=lambda one, other: type(one) is type(other),
    )
    yield ratios.at_most("P8", "load, ten times the events", 10.5, of=many, to=few)


def loading(events: list[bytes], data: bytes) -> Iterator[Line]:
    count, answered = f"{len(events):,} events", b"".join(events)
    maps = yaml.dump([{"at": 0.013, "data": each.decode()} for each in events], Dumper=yaml.CSafeDumper)
    ratios = compare(
        {
            "CSafeLoader": lambda: yaml.load(data, Loader=yaml.CSafeLoader),
            "load": lambda: loads(data),
            "load and frame": lambda: load_and_frame(data),
            "decode": lambda: decoded(answered),
        },
        equal=same_body,
    )
    yield ratios.at_most("P8", f"load, {count}", 1.0, of="load", to="CSafeLoader")
    yield ratios.at_most("P8", f"load and frame, {count}", 1.0, of="load and frame", to="CSafeLoader")
    yield ratios.report("P8", f"decode check, {count}", of="decode", to="CSafeLoader")
    slow = compare(
        {
            "load": lambda: loads(data),
            "list of maps": lambda: yaml.load(maps, Loader=yaml.CSafeLoader),
        },
        equal=same_body,
    )
    yield slow.at_most("P8", f"load, {count}", 0.02, of="load", to="list of maps")


def saving(cassette: Cassette, data: bytes) -> Iterator[Line]:
    document = literal(yaml.safe_load(data))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "long.yaml")

        def dump() -> bytes:
            text = yaml.dump(document, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=1 << 30)
            path.write_text(text, encoding="utf-8")
            return path.read_bytes()

        def save_and_read_back() -> bytes:
            save(cassette, path, overwrite=True)
            return path.read_bytes()

        ratios = compare(
            {"yaml.dump": dump, "save": save_and_read_back},
            equal=lambda one, other: yaml.safe_load(one) == yaml.safe_load(other),
        )
    events = cassette.interactions[0].response.body.count(b"\n\n")
    yield ratios.at_most("P9", f"save, {events:,} events", 1.6, of="save", to="yaml.dump")


def literal(value: Any) -> Any:
    """The same document, texts of many lines marked to be written as literal blocks."""
    if isinstance(value, dict):
        return {key: literal(each) for key, each in value.items()}
    if isinstance(value, list):
        return [literal(each) for each in value]
    return Literal(value) if isinstance(value, str) and "\n" in value else value
