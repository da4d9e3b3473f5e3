"""A state machine that plays Flow A's backend to clients."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from wiretape import strictjson
from wiretape.contract import Report
from wiretape.flow_a.declarations import param_misfit, signature_misfit, type_misfit
from wiretape.flow_a.messages import IN_PROGRESS
from wiretape.scenario.said import BEGAN, from_model
from wiretape.sse import ServerSentEvent, encode
from wiretape.testing.encodings import BACKEND_FORM, encodings
from wiretape.testing.events import delta_events
from wiretape.testing.framings import chunkings
from wiretape.testing.messages import calls
from wiretape.testing.session_machine import SessionMachine, step
from wiretape.testing.session_notes import Exchanges
from wiretape.testing.values import texts

_TEXTS: Final = texts()
_SAID: Final = from_model("", {}, BEGAN) | {"status": "finished_successfully"}
_QUERY: Final = {"content_type": "code", "language": "json", "text": '{"search_query": []}'}
_SEARCH: Final = _SAID | {"content": _QUERY, "recipient": "web.run"}
_FORMS: Final = st.integers(0, 3)
_ID: Final = "{:08x}-0000-4000-8000-000000000000"


class FlowAClient(Protocol):
    """A client of one conversation, without its sockets: bodies of requests go out, streams come in."""

    def ask(self, text: str) -> bytes:
        """The user says something: the body of the conversation request for it."""

    def read(self, pieces: Sequence[bytes]) -> bytes | None:
        """The whole answer to the latest request, in pieces: the body of the return that is due, or None."""


@dataclass(slots=True)
class _Conversation:
    id: str
    client: FlowAClient
    body: Mapping[str, Any] = field(default_factory=dict)
    """The latest request's."""
    waits: int = 0
    """The number of the request that waits for its answer; 0: none."""

    @property
    def tools(self) -> list[Mapping[str, Any]]:
        """The tools that the latest request declares, as they can be called."""
        declared = self.body.get("local_function_signatures")
        return list(filter(_is_valid, declared)) if isinstance(declared, list) else []


class FlowAClientMachine(SessionMachine):
    """Plays the backend to clients: conversations in any order, each answer in any wire form, cut anywhere.

    Derive from it, let ``make_client`` give a client for each conversation, and run ``YourMachine.TestCase``.
    A return must come for each call, none for anything else; at the end ``judge`` looks at the verdict.
    """

    def __init__(self) -> None:
        super().__init__()
        self.exchanges = Exchanges(self.results)
        self.conversations: list[_Conversation] = []
        self._messages = 0

    def make_client(self) -> FlowAClient:
        """A new client, which knows of no conversation yet."""
        raise NotImplementedError("let make_client give the client that is to be tested")

    @initialize(text=_TEXTS)
    @step
    def the_first_user_begins(self, text: str) -> None:
        self.a_user_begins(text)

    @rule(text=_TEXTS)
    @step
    def a_user_begins(self, text: str) -> None:
        conversation = _Conversation(_ID.format(0xC0 + len(self.conversations)), self.make_client())
        self.conversations.append(conversation)
        self._requested(conversation, conversation.client.ask(text))

    @precondition(lambda self: self._idle())
    @rule(data=st.data(), text=_TEXTS)
    @step
    def a_user_goes_on(self, data: st.DataObject, text: str) -> None:
        conversation = data.draw(st.sampled_from(self._idle()))
        self._requested(conversation, conversation.client.ask(text))

    @precondition(lambda self: self._callable())
    @rule(data=st.data())
    @step
    def the_model_calls(self, data: st.DataObject) -> None:
        conversation = data.draw(st.sampled_from(self._callable()))
        call = data.draw(calls(data.draw(st.sampled_from(conversation.tools))))
        returned = self._answer(data, conversation, [call])
        assert returned is not None, f"a call without a return: {call}"
        self._requested(conversation, returned)

    @precondition(lambda self: self._waiting())
    @rule(data=st.data(), text=_TEXTS, by_server=st.booleans())
    @step
    def the_model_answers(self, data: st.DataObject, text: str, by_server: bool) -> None:
        """The turn ends; a tool that is the server's own may be called on the way."""
        conversation = data.draw(st.sampled_from(self._waiting()))
        content = {"content_type": "text", "parts": [text]}
        answer = _SAID | {"content": content, "channel": "final", "end_turn": True}
        returned = self._answer(data, conversation, [_SEARCH, answer] if by_server else [answer])
        assert returned is None, f"a return that nobody waits for: {returned!r}"

    def conclude(self) -> Report:
        return self.exchanges.report()

    def _idle(self) -> list[_Conversation]:
        return [each for each in self.conversations if not each.waits]

    def _waiting(self) -> list[_Conversation]:
        return [each for each in self.conversations if each.waits]

    def _callable(self) -> list[_Conversation]:
        return [each for each in self._waiting() if each.tools]

    def _requested(self, conversation: _Conversation, body: bytes) -> None:
        conversation.waits = self.exchanges.requested(body)
        conversation.body = strictjson.loads(body, last_wins=True)

    def _answer(
        self, data: st.DataObject, conversation: _Conversation, said: Sequence[dict[str, Any]]
    ) -> bytes | None:
        """Send an answer with these messages, under ids of their own; what the client returns."""
        named = [each | {"id": self._new_id()} for each in said]
        answer = data.draw(_streams(named, conversation.id))
        self.exchanges.answered(conversation.waits, answer.whole)
        conversation.waits = 0
        return conversation.client.read(answer.pieces)

    def _new_id(self) -> str:
        self._messages += 1
        return _ID.format(0x100 + self._messages)


@dataclass(frozen=True, slots=True, repr=False)
class _Stream:
    """An answer in pieces, which a failing example shows as one."""

    pieces: tuple[bytes, ...]

    @property
    def whole(self) -> bytes:
        return b"".join(self.pieces)

    def __repr__(self) -> str:
        return f"{self.whole!r} in {len(self.pieces)} pieces"


@st.composite
def _streams(draw: Any, said: Sequence[Mapping[str, Any]], conversation_id: str) -> _Stream:
    """Answers that bring these messages and complete the turn, one in four in any wire form."""
    named = {"conversation_id": conversation_id}
    anyhow = draw(_FORMS) == 3
    deltas = draw(encodings(said, form=BACKEND_FORM, envelope=named)) if anyhow else _plain(said, named)
    *events, done = draw(delta_events(list(deltas), between=False))
    complete = json.dumps({"type": "message_stream_complete", **named})
    stream = b"".join(map(encode, (*events, ServerSentEvent("message", complete), done)))
    return _Stream(tuple(draw(chunkings(stream))))


def _plain(said: Sequence[Mapping[str, Any]], named: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Each message as it is captured most: there at once, and finished by a patch."""
    for channel, message in enumerate(said):
        begun = {"message": {**message, "status": IN_PROGRESS}, **named}
        yield {"p": "", "o": "add", "v": begun, "c": channel}
        yield {"p": "", "o": "patch", "v": [{"p": "/message/status", "o": "replace", "v": message["status"]}]}


def _is_valid(signature: Any) -> bool:
    """Whether the rules have nothing to object to a declaration."""
    return signature_misfit(signature) is None and all(
        param_misfit(param) is None and type_misfit(param["type"]) is None for param in signature["params"]
    )
