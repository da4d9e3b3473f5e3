"""Sessions of Flow A to attack clients with: what is said in them, apart from how it goes over the wire."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from wiretape.cassette.model import (
    Cassette,
    Chunks,
    Expect,
    Interaction,
    Provenance,
    RecordedRequest,
    RecordedResponse,
)
from wiretape.fuzzing.tools import ECHO, USUAL, Toolbox, toolboxes
from wiretape.scenario import said
from wiretape.strictjson import dumps, loads
from wiretape.testing import json_texts, messages, texts
from wiretape.testing.changes import Draw

Message: TypeAlias = dict[str, Any]

_ID: Final = "{:08x}-0000-4000-8000-000000000000"
"""Ids are counted: nothing of them is drawn, and what they are never matters, since replay makes new ones."""
_SAID: Final = 1_790_000_000.0
_FORMS: Final = st.sampled_from(["local", "functions"])
_BEFORE: Final = ("commentary", "thoughts", "server_call", "server_result", "user")
_HI: Final = st.just('{"message": "hi"}')
_TEXTS: Final = texts() | st.sampled_from(["aa", "hahaha", "nai\u0308ve 日本", "\u2028", " x ", "\r\n"])
"""Texts that clients were seen to damage, among any others."""
DRAWN: Final = Provenance(
    kind="synthetic",
    basis=("a session drawn at random",),
    gaps=("Nobody has captured any of it: all of it is made up.",),
)
ARGUMENTS: Final = st.fixed_dictionaries({"message": _TEXTS}).flatmap(json_texts)
RAW_ARGUMENTS: Final = _TEXTS.map(lambda text: json.dumps({"message": text}, ensure_ascii=False))
ANY_ARGUMENTS: Final = st.fixed_dictionaries({"message": _TEXTS}, optional={"aside": texts()}).flatmap(
    json_texts
)
"""JSON texts, spaced or compact, raw or escaped; raw alone; with an argument that no result depends on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One user's turn. Each answer but the last one ends with a call; its return draws the next answer."""

    conversation_id: str
    tools: Toolbox
    answers: tuple[tuple[Message, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """The bytes of an answer, and where they are cut; None: behind each event."""

    body: bytes
    pieces: Sequence[bytes] | None = None


@st.composite
def sessions(
    draw: Draw,
    *,
    most_calls: int = 1,
    arguments: SearchStrategy[str] = _HI,
    others: bool = False,
    any_call: bool = False,
    any_tools: bool = False,
) -> Session:
    """Sessions of up to ``most_calls`` calls, one at least unless there may be several.

    ``arguments`` are JSON texts. ``others``: messages of other kinds stand before the calls, also calls that
    the server runs itself and calls that were answered. ``any_call``: calls of either recipient form, to a
    tool with a fixed result as well. ``any_tools``: tools of any signature, called as it says.
    """
    tools = draw(toolboxes()) if any_tools else USUAL
    count = draw(st.integers(0 if most_calls > 1 else 1, most_calls))
    ids = map(_ID.format, range(1, 100))
    conversation_id = next(ids)
    answers: list[tuple[Message, ...]] = []
    for _ in range(count):
        before = _others(draw, ids, answers) if others else []
        tool = draw(st.sampled_from(sorted(tools.results))) if any_call or any_tools else ECHO
        form = draw(_FORMS) if any_call else "local"
        text = draw(tools.arguments(tool) if any_tools else arguments)
        answers.append((*before, _call(next(ids), f"{form}.{tool}", text)))
    before = _others(draw, ids, answers) if others else []
    answers.append((*before, _final(next(ids))))
    return Session(conversation_id=conversation_id, tools=tools, answers=tuple(answers))


def _others(draw: Draw, ids: Iterable[str], earlier: Sequence[Sequence[Message]]) -> list[Message]:
    """Messages that no client answers, and calls of earlier answers, shown again as a history is."""
    number = iter(ids)
    drawn = draw(st.lists(messages(_BEFORE), max_size=2))
    known = [answer[-1] for answer in earlier if draw(st.booleans())]
    return [*known, *(each | {"id": next(number)} for each in drawn)]


def _call(call_id: str, recipient: str, arguments: str) -> Message:
    content = {"content_type": "code", "language": "json", "text": arguments}
    return _message(call_id, "commentary", recipient=recipient) | {"content": content}


def _final(message_id: str) -> Message:
    content = {"content_type": "text", "parts": ["Done."]}
    return _message(message_id, "final", recipient="all") | {"content": content, "end_turn": True}


def _message(message_id: str, channel: str, *, recipient: str) -> Message:
    return {
        "id": message_id,
        "author": {"role": "assistant", "name": None, "metadata": {}},
        "create_time": None,
        "update_time": None,
        "content": {},
        "status": "finished_successfully",
        "end_turn": None,
        "weight": 1,
        "metadata": {},
        "recipient": recipient,
        "channel": channel,
    }


_USER_MESSAGE: Final = "Call a tool."


def cassette(session: Session, wires: Iterable[Wire], *, title: str) -> Cassette:
    """The session as a cassette that plays, its answers in this form; the requests are made up."""
    requests = [_first_request(session), *(_return(session, answer[-1]) for answer in session.answers[:-1])]
    return Cassette(
        protocol="flow_a",
        title=title,
        provenance=DRAWN,
        expect=Expect(
            user_message=_USER_MESSAGE, tools=session.tools.declared, results=session.tools.results
        ),
        interactions=tuple(
            Interaction(
                request=request,
                response=RecordedResponse(
                    headers={"content-type": "text/event-stream; charset=utf-8"},
                    body=wire.body,
                    chunks=_cuts(wire),
                ),
            )
            for request, wire in zip(requests, wires, strict=True)
        ),
    )


def _cuts(wire: Wire) -> Chunks | None:
    if wire.pieces is None:
        return None
    lengths = tuple(len(piece) for piece in wire.pieces if piece)
    return Chunks(delays=(0.0,) * len(lengths), lengths=lengths)


def _first_request(session: Session) -> RecordedRequest:
    content = {"content_type": "text", "parts": [_USER_MESSAGE]}
    message = said.from_client("user", None, content, id=_ID.format(200), create_time=_SAID)
    return said.request(message, session.tools.declared)


def _return(session: Session, call: Message) -> RecordedRequest:
    """The return that is due."""
    tool = call["recipient"].partition(".")[2]
    result = session.tools.results[tool]
    if result == "echo":
        result = {"message": loads(call["content"]["text"])["message"]}
    text = dumps({"call_id": call["id"], "result": result, "tool": tool})
    message = said.from_client(
        "tool",
        tool,
        {"content_type": "code", "text": text},
        channel="commentary",
        id=call["id"][:-1] + "1",
        create_time=_SAID,
    )
    ids = {"conversation_id": session.conversation_id, "parent_message_id": call["id"]}
    return said.request(message, session.tools.declared, **ids)
