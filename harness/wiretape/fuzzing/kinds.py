"""The kinds of behaviour that a decoder is attacked in: each varies one thing, so that a find names it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from wiretape.delta_encoder import ANNOUNCEMENT, delta_event
from wiretape.fuzzing.campaign import Kind
from wiretape.sse import ServerSentEvent, encode
from wiretape.testing import (
    delta_events,
    delta_streams,
    framings,
    json_objects,
    json_values,
    scalars,
    streams,
    texts,
)
from wiretape.testing.changes import Draw
from wiretape.testing.events import DONE

_TEXT: Final = ("message", "content", "parts", 0)
_CONTENT: Final = ("message", "content", "parts")
_DATA: Final = ("message", "metadata")
_METADATA: Final = st.fixed_dictionaries(
    {"list": st.lists(json_values(), max_size=2), "object": json_objects(), "scalar": scalars()}
)
_EMPTY: Final[SearchStrategy[Any]] = st.just({})


def _envelopes(metadata: SearchStrategy[Any], prefix: str) -> Any:
    """Roots: the n-th envelope of a stream holds the message ``mN``, ``m`` being the prefix."""

    def root(number: int) -> SearchStrategy[Any]:
        content = texts().map(lambda text: {"content_type": "text", "parts": [text]})
        message = st.fixed_dictionaries(
            {
                "id": st.just(f"{prefix}{number}"),
                "author": st.just({"role": "assistant"}),
                "content": content,
                "metadata": metadata,
            }
        )
        return st.fixed_dictionaries({"message": message})

    return root


def _plain(deltas: Sequence[dict[str, Any]]) -> bytes:
    """Deltas in the usual framing, JSON and padding as the backend's."""
    return b"".join(map(encode, [ANNOUNCEMENT, *map(delta_event, deltas), DONE]))


def _deltas(
    *changes: str, within: Sequence[Any] = (_DATA,), prefix: str = "m", **more: Any
) -> SearchStrategy[Any]:
    options = {"max_channels": 1, "replaced_roots": False, "short": False, "max_size": 5} | more
    metadata = _METADATA if _DATA in within else _EMPTY
    return delta_streams(roots=_envelopes(metadata, prefix), changes=changes, within=within, **options).map(
        lambda stream: stream.deltas
    )


def _grown(*changes: str, **more: Any) -> SearchStrategy[bytes]:
    return _deltas(*changes, **more).map(_plain)


_SAID: Final = _deltas("say", within=(_TEXT,))
_SAID_AGAIN: Final = _deltas("say", within=(_TEXT,), prefix="n", short=True)


@st.composite
def _with_typed_events(draw: Draw) -> bytes:
    events = draw(_SAID.flatmap(lambda deltas: delta_events(deltas)))
    plain = [each._replace(data=each.data.rstrip()) for each in events]
    return b"".join(map(encode, plain))


@st.composite
def _in_any_json(draw: Draw) -> bytes:
    return b"".join(map(encode, draw(delta_events(draw(_SAID), between=False))))


@st.composite
def _in_any_frame(draw: Draw) -> bytes:
    events = [ANNOUNCEMENT, *map(delta_event, draw(_SAID)), DONE]
    return draw(framings(events))


@st.composite
def _announced_again(draw: Draw) -> bytes:
    """Two runs of deltas; the second one begins with nothing inherited and no channel."""
    first, second = draw(_SAID), draw(_SAID_AGAIN)
    events = [ANNOUNCEMENT, *map(delta_event, first), ANNOUNCEMENT, *map(delta_event, second), DONE]
    return b"".join(map(encode, events))


@st.composite
def _cut_short(draw: Draw) -> bytes:
    data = _plain(draw(_SAID))
    return data[: draw(st.integers(0, len(data)))]


_FAULTY: Final = st.sampled_from(
    [
        "{",
        "[]",
        "null",
        '{"p":null,"o":"append","v":"x"}',
        '{"p":"","o":"append-text","v":"x"}',
        '{"p":"","o":"patch","v":"x"}',
        '{"p":"/message","o":"patch","v":[{"p":"/status","o":"add","v":1},{"p":"/x","v":1}]}',
        '{"p":"/message/content/parts/0","o":"truncate","v":true}',
        '{"c":"0","p":"/message/content/parts/0","o":"append","v":"x"}',
        '{"p":"/message/content/parts/-","o":"add","v":"x"}',
        '{"p":"/message/id/x","o":"add","v":"x"}',
        '{"p":"","o":"patch","v":[{"p":"/message/status","o":"add","v":1},{"p":"/message/id/x","o":"add"}]}',
    ]
)


@st.composite
def _faulty(draw: Draw) -> bytes:
    """A delta that no decoder takes; the value stays as it was, and those behind it count on."""
    deltas = [delta_event(each) for each in draw(_SAID)]
    at = draw(st.integers(1, len(deltas)))
    fault = ServerSentEvent("delta", draw(_FAULTY))
    return b"".join(map(encode, [ANNOUNCEMENT, *deltas[:at], fault, *deltas[at:], DONE]))


KINDS: Final[tuple[Kind[bytes], ...]] = tuple(
    Kind(name=name, about=about, examples=drawn)
    for name, about, drawn in (
        ("text", "a text grows by appends, equal ones among them", _grown("say", within=(_TEXT,))),
        ("text-values", "other values are appended to a text", _grown("write", within=(_CONTENT,))),
        (
            "truncate-text",
            "a text is cut, counted in UTF-16 units",
            _grown("cut-text", "say", within=(_TEXT,)),
        ),
        ("truncate-list", "a list is cut", _grown("cut-list", "extend")),
        ("list-append", "elements are appended to a list", _grown("extend", "push")),
        ("list-insert", "elements are inserted into a list", _grown("insert")),
        ("list-set", "elements are set, beyond the end too, and removed", _grown("set", "take-out")),
        ("members", "members are set and removed, by escaped paths", _grown("add-member", "remove-member")),
        ("replace", "values are replaced", _grown("replace-member", "replace")),
        ("merge", "objects are appended to objects", _grown("merge")),
        ("append-over", "values are appended to what is no text, list or object", _grown("append-over")),
        ("absent", "the way to a member is made; members vanish", _grown("create", "vanish")),
        ("patch", "patches with entries relative to their path", _grown("patch")),
        (
            "inheritance",
            "channel, path and op are left out",
            _grown("patch", "say", "insert", within=(_CONTENT, _DATA), short=True),
        ),
        (
            "channels",
            "messages grow in turn in several channels",
            _grown("say", within=(_TEXT,), max_channels=3, max_size=8),
        ),
        (
            "roots",
            "a new message takes over a channel",
            _grown("say", within=(_TEXT,), replaced_roots=True, max_size=8),
        ),
        ("typed-events", "events that are no deltas stand between", _with_typed_events()),
        ("json-text", "JSON is spaced or compact, raw or escaped, padded or not", _in_any_json()),
        ("framing", "line ends, comments, pings, ids, a byte order mark", _in_any_frame()),
        ("announced-again", "the encoding is announced again", _announced_again()),
        ("cut-short", "the stream ends anywhere", _cut_short()),
        ("faulty", "a delta is wrong", _faulty()),
        ("everything", "any encoding of whole messages in any frame", streams().map(lambda each: each.data)),
    )
)
