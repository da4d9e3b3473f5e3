"""The kinds of sessions that a client of Flow A is attacked with: each varies one thing."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from wiretape.cassette.model import Cassette
from wiretape.delta_encoder import ANNOUNCEMENT, delta_event
from wiretape.flow_a.messages import IN_PROGRESS
from wiretape.fuzzing.campaign import Kind
from wiretape.fuzzing.faulty import faulty_trials
from wiretape.fuzzing.sessions import (
    ANY_ARGUMENTS,
    ARGUMENTS,
    RAW_ARGUMENTS,
    Message,
    Session,
    Wire,
    cassette,
    sessions,
)
from wiretape.fuzzing.trials import Trial
from wiretape.javascript import unit_count
from wiretape.sse import ServerSentEvent, encode
from wiretape.strictjson import dumps
from wiretape.testing import BACKEND_FORM, chunkings, delta_events, encodings, framings, wire_deltas
from wiretape.testing.changes import Draw
from wiretape.testing.events import DONE

Deltas: TypeAlias = Sequence[Mapping[str, Any]]
Events: TypeAlias = Sequence[ServerSentEvent]
Form: TypeAlias = Callable[[Draw, Session, Sequence[Message]], Wire]
"""Writes one answer of a session, in any of its forms."""


_SIZES: Final = st.integers(1, 4)
_FEW: Final = st.integers(6, 20)
"""Characters of a piece."""


def _envelope(session: Session) -> dict[str, Any]:
    return {"conversation_id": session.conversation_id, "error": None}


def _plain_deltas(session: Session, messages: Sequence[Message]) -> list[dict[str, Any]]:
    """As captured: each message whole in its first delta, and a patch that closes it."""
    deltas: list[dict[str, Any]] = []
    for channel, message in enumerate(messages):
        root = {"message": message | {"status": IN_PROGRESS}, **_envelope(session)}
        closing = {"p": "/message/status", "o": "replace", "v": message["status"]}
        deltas.append({"c": channel, "p": "", "o": "add", "v": root})
        deltas.append({"c": channel, "p": "", "o": "patch", "v": [closing]})
    return deltas


def _between(session: Session, events: Events) -> list[ServerSentEvent]:
    """What every answer begins and ends with, and these events of its deltas."""
    begins = {"type": "resume_conversation_token", "kind": "topic", "token": "<REDACTED_JWT>"}
    ends = {"type": "message_stream_complete"}
    named = {"conversation_id": session.conversation_id}
    first, last = (ServerSentEvent(data=dumps(each | named)) for each in (begins, ends))
    return [ANNOUNCEMENT, first, *events, last, DONE]


def _plain_events(session: Session, messages: Sequence[Message]) -> list[ServerSentEvent]:
    return _between(session, [delta_event(each) for each in _plain_deltas(session, messages)])


def _framed(events: Events) -> bytes:
    return b"".join(map(encode, events))


def _plain(_draw: Draw, session: Session, messages: Sequence[Message]) -> Wire:
    return Wire(body=_framed(_plain_events(session, messages)))


def _encoded(draw: Draw, session: Session, messages: Sequence[Message]) -> Wire:
    deltas = draw(encodings(messages, form=BACKEND_FORM, envelope=_envelope(session)))
    return Wire(body=_framed(_between(session, [delta_event(dict(each)) for each in deltas])))


def _in_pieces(
    session: Session, messages: Sequence[Message], size: int, mistake: int | None = None
) -> list[dict[str, Any]]:
    """The text of the last message comes in pieces of one size, as a model writes it.

    ``mistake``: where in the text something wrong is said, and cut off again.
    """
    text, deltas = messages[-1]["content"].get("text", ""), _plain_deltas(session, messages)
    if not text:
        return deltas
    *before, opened, closed = deltas
    empty = messages[-1] | {"status": IN_PROGRESS, "content": messages[-1]["content"] | {"text": ""}}
    grown = [{"o": "append", "v": text[at : at + size]} for at in range(0, len(text), size)]
    if mistake is not None:
        said = text[:mistake]
        grown = [{"o": "append", "v": said + "😀"}, {"o": "truncate", "v": unit_count(said)}]
        grown += [{"o": "append", "v": text[mistake:]}]
    place = {"c": len(messages) - 1, "p": "/message/content/text"}
    return [
        *before,
        opened | {"v": opened["v"] | {"message": empty}},
        *(place | each for each in grown),
        closed,
    ]


def _in_tokens(
    draw: Draw, session: Session, messages: Sequence[Message], sizes: SearchStrategy[int] = _SIZES
) -> Wire:
    deltas = draw(wire_deltas(_in_pieces(session, messages, draw(sizes))))
    return Wire(body=_framed(_between(session, [delta_event(dict(each)) for each in deltas])))


def _with_a_mistake(draw: Draw, session: Session, messages: Sequence[Message]) -> Wire:
    at = draw(st.integers(0, len(messages[-1]["content"].get("text", ""))))
    return Wire(
        body=_framed(_between(session, [delta_event(each) for each in _in_pieces(session, messages, 1, at)]))
    )


def _in_any_json(draw: Draw, session: Session, messages: Sequence[Message]) -> Wire:
    events = draw(delta_events(_plain_deltas(session, messages), between=False))
    return Wire(body=_framed(_between(session, events[1:-1])))


def _with_typed_events(draw: Draw, session: Session, messages: Sequence[Message]) -> Wire:
    events = draw(delta_events(draw(wire_deltas(_in_pieces(session, messages, 8)))))
    plain = [each._replace(data=each.data.rstrip()) for each in events[1:-1]]
    return Wire(body=_framed(_between(session, plain)))


def _in_any_frame(draw: Draw, session: Session, messages: Sequence[Message]) -> Wire:
    return Wire(body=draw(framings(_plain_events(session, messages))))


def _in_any_chunks(draw: Draw, session: Session, messages: Sequence[Message]) -> Wire:
    """Characters stand as they are: there must be some that can be cut."""
    raw = [json.dumps(each, ensure_ascii=False) for each in _plain_deltas(session, messages)]
    body = _framed(_between(session, [ServerSentEvent("delta", each) for each in raw]))
    return Wire(body=body, pieces=draw(chunkings(body) | _SIZES.map(lambda size: _even(body, size))))


def _even(body: bytes, size: int) -> list[bytes]:
    return [body[at : at + size] for at in range(0, len(body), size)]


def _in_any_form(draw: Draw, session: Session, messages: Sequence[Message]) -> Wire:
    deltas = draw(encodings(messages, form=BACKEND_FORM, envelope=_envelope(session)))
    body = draw(framings(_between(session, draw(delta_events(deltas))[1:-1])))
    return Wire(body=body, pieces=draw(chunkings(body)))


@st.composite
def _usual(draw: Draw, drawn: SearchStrategy[Session]) -> Cassette:
    """Sessions in the usual form, but that the arguments come in a few pieces."""
    session = draw(drawn)
    answers = [_in_tokens(draw, session, each, _FEW) for each in session.answers]
    return cassette(session, answers, title="")


@st.composite
def trials(draw: Draw, about: str, drawn: SearchStrategy[Session], form: Form) -> Trial:
    """Sessions in this form, each with its plain one to compare with."""
    session = draw(drawn)
    title = f"Found by fuzzing: {about}"
    tried = cassette(session, [form(draw, session, each) for each in session.answers], title=title)
    if form is _plain:
        return Trial(cassette=tried)
    usual = [_plain(draw, session, each) for each in session.answers]
    return Trial(cassette=tried, plain=cassette(session, usual, title=f"{title}; in the usual form"))


_SAID: Final = sessions(arguments=ARGUMENTS)
_RAW: Final = sessions(arguments=RAW_ARGUMENTS)
_CALLED: Final = sessions(most_calls=3, arguments=ANY_ARGUMENTS, any_call=True)

_FORMS: Final = tuple(
    Kind(name=name, about=about, examples=trials(about, drawn, form))
    for name, about, drawn, form in (
        ("calls", "no call, one or several, of either tool", _CALLED, _plain),
        ("tools", "tools of any signature", sessions(most_calls=2, any_tools=True), _plain),
        ("arguments", "a call with any text for its argument", _SAID, _plain),
        ("messages", "other messages around the calls", sessions(most_calls=2, others=True), _plain),
        ("tokens", "the arguments come in pieces of one size", _SAID, _in_tokens),
        (
            "truncate",
            "a mistake is cut off again, counted in UTF-16 units",
            _RAW,
            _with_a_mistake,
        ),
        ("encoding", "any other deltas that lead to the same call", _SAID, _encoded),
        ("channels", "messages grow in turn in several channels", sessions(others=True), _encoded),
        ("json-text", "JSON is spaced or compact, raw or escaped, padded or not", _RAW, _in_any_json),
        ("typed-events", "events that are no deltas stand between", _SAID, _with_typed_events),
        ("framing", "line ends, comments, pings, ids, a byte order mark", sessions(), _in_any_frame),
        ("chunks", "the bytes are cut anywhere, inside characters too", _RAW, _in_any_chunks),
        (
            "everything",
            "any session in any form",
            sessions(most_calls=3, arguments=ANY_ARGUMENTS, others=True, any_call=True),
            _in_any_form,
        ),
    )
)

_CUT: Final = "an answer ends before its time, anywhere"
_TROUBLE: Final = "something else goes wrong on the wire"

FLOW_A_KINDS: Final[tuple[Kind[Trial], ...]] = (
    *_FORMS,
    Kind(name="cuts", about=_CUT, examples=faulty_trials(_CUT, _usual(sessions()), cut=True)),
    Kind(name="faults", about=_TROUBLE, examples=faulty_trials(_TROUBLE, _usual(sessions(most_calls=2)))),
)
