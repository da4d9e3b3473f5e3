"""What the property tests draw beside ``wiretape.testing``: faulty deltas, histories, bytes of streams.

Everything is valid by construction; nothing is filtered, so no example is thrown away.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from wiretape import testing

CHARACTERS = testing.characters()
TEXTS = testing.texts()
KEYS = testing.keys()
JSON_VALUES = testing.json_values()

# --- deltas ---------------------------------------------------------------------------------------------

HALVES = st.sampled_from(["\ud83d", "\ude00", "x\ud83d", "\ude00y"])
SEGMENTS = st.sampled_from(["a", "b", "0", "1", "2", "3", "-", "01", "", "~1", "~0", "~01"])
PATHS = st.builds(
    lambda slash, segments: slash + "/".join(segments),
    st.sampled_from(["/", ""]),
    st.lists(SEGMENTS, max_size=3),
)
OPS = st.sampled_from(["add", "append", "append", "replace", "remove", "truncate"])
COUNTS = st.integers(-4, 6) | st.sampled_from([1.5, -0.5, 1e300])
VALUES = JSON_VALUES | HALVES | st.sampled_from([{"a": ["x"], "b": {"a": "y"}}, ["x", ["y"], {"a": "z"}]])


def _fields(**values: SearchStrategy[Any]) -> SearchStrategy[dict[str, Any]]:
    """Objects that have some of these members."""
    return st.fixed_dictionaries({}, optional=values)


ENTRIES: SearchStrategy[Any] = st.recursive(
    st.fixed_dictionaries({"p": PATHS, "o": OPS, "v": VALUES | COUNTS}),
    lambda entries: st.fixed_dictionaries(
        {"p": PATHS, "o": st.just("patch"), "v": st.lists(entries, max_size=3)}
    ),
    max_leaves=6,
)
CHANNELS = st.sampled_from([0, 1, 1.0, 0.5])
SOUND_DELTAS = _fields(c=CHANNELS, p=PATHS, o=OPS, v=VALUES | COUNTS)
PATCHES = st.fixed_dictionaries(
    {"o": st.just("patch"), "v": st.lists(ENTRIES, max_size=4)}, optional={"p": PATHS, "c": CHANNELS}
)
BARE = st.fixed_dictionaries({"v": VALUES | COUNTS | st.lists(ENTRIES, max_size=2)})
TEXT_RUNS = st.fixed_dictionaries({"v": TEXTS | HALVES})
FAULTY = st.sampled_from([None, True, "0", [], {}])
FAULTY_DELTAS = (
    JSON_VALUES
    | _fields(c=FAULTY, p=PATHS, o=OPS, v=VALUES)
    | _fields(c=CHANNELS, p=FAULTY, o=FAULTY | OPS, v=VALUES, value=VALUES)
    | st.fixed_dictionaries(
        {
            "o": st.just("patch"),
            "v": st.lists(
                ENTRIES | _fields(p=PATHS | FAULTY, o=OPS, op=OPS, path=PATHS, v=VALUES), max_size=3
            ),
        }
    )
)
DELTAS = st.one_of(SOUND_DELTAS, PATCHES, BARE, TEXT_RUNS, FAULTY_DELTAS)
RUNS = st.lists(DELTAS, max_size=12)

# --- histories ------------------------------------------------------------------------------------------


@st.composite
def changed(draw: st.DrawFn, value: Any) -> Any:
    """A value that has something in common with the one before, as the next snapshot of a message has."""
    if isinstance(value, str):
        return draw(st.sampled_from([value, value[: len(value) // 2]])) + draw(TEXTS)
    if isinstance(value, list):
        kept = value[: draw(st.integers(0, len(value)))]
        kept = [draw(changed(item)) if draw(st.booleans()) else item for item in kept]
        return kept + draw(st.lists(JSON_VALUES, max_size=2))
    if isinstance(value, dict):
        kept = {key: member for key, member in value.items() if draw(st.integers(0, 4))}
        kept = {key: draw(changed(member)) if draw(st.booleans()) else member for key, member in kept.items()}
        return kept | draw(st.dictionaries(KEYS, JSON_VALUES, max_size=2))
    return draw(JSON_VALUES)


@st.composite
def histories(draw: st.DrawFn) -> list[tuple[int, Any]]:
    """Successive snapshots ``(channel, value)`` of one or two channels, each grown out of its last one."""
    last: dict[int, Any] = {}
    history = []
    for channel in draw(st.lists(st.integers(0, 1), max_size=5)):
        last[channel] = draw(changed(last[channel]) if channel in last else JSON_VALUES)
        history.append((channel, last[channel]))
    return history


# --- event streams --------------------------------------------------------------------------------------

LINE_ENDS = ["\n", "\n", "\r\n", "\r"]
PIECES = st.sampled_from(
    [
        b"data",
        b"data:",
        b"data: ",
        b"event: delta",
        b"event:x",
        b"id: 1",
        b"id:a\0",
        b"retry: 5",
        b"retry:x",
        b":c",
    ]
    + [b" ", b"\xef\xbb\xbf", "é😀".encode(), b"\xe2\x82", b"\xff", b'{"v":"x"}', b"[DONE]", b"foo: bar"]
    + [end.encode() for end in LINE_ENDS * 4]
) | st.binary(max_size=4)
STREAM_BYTES = st.lists(PIECES, max_size=30).map(b"".join)


def cut_up(source: SearchStrategy[bytes]) -> SearchStrategy[tuple[bytes, list[bytes]]]:
    """Bytes, and the same bytes in pieces."""
    return source.flatmap(lambda data: st.tuples(st.just(data), testing.chunkings(data)))


SAFE_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\0"), max_size=8)
EVENTS_WRITTEN = st.tuples(
    st.sampled_from(["delta", "delta_encoding", "message", "ping", " x"]) | SAFE_TEXT.map("n".__add__),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=12),
    st.sampled_from(["1", "2"]),
)
