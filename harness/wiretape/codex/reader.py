"""Walks a transcript once, steps the turns and calls in it, and notes the subjects that rules ask about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any, Final

from wiretape.codex.dialects import version_of
from wiretape.codex.messages import REFRESH, TOOL_CALL, fields
from wiretape.codex.model_side import ModelSide
from wiretape.codex.replies import Replies
from wiretape.codex.session import CallStep, ToolCall, Turn, TurnState, TurnStep
from wiretape.codex.strikes import Strikes
from wiretape.codex.view import Ask, CodexView, Connection, Initialize, PlayedTurn, Sent, ThreadStart
from wiretape.jsonrpc import Answer, Call, Failure, Message, Notice, Unreadable
from wiretape.jsonrpc import read as read_message
from wiretape.strictjson import ABSENT, identical
from wiretape.transcript import Frame, Link, Request, Struck, Transcript

_REFRESH_TIMED_OUT: Final = "auth refresh request timed out"
_SHOWN: Final = 80
"""Characters of a method or an id that a place is named by."""


def read(transcript: Transcript) -> CodexView:
    """Digest a transcript for the Codex rules. Of what a model is told, calls' outputs are looked at."""
    reader = _Reader(transcript)
    for order, entry in enumerate(transcript.entries):
        if isinstance(entry, Frame):
            reader.frame(order, entry)
        elif isinstance(entry, Link):
            reader.link(entry)
        elif isinstance(entry, Struck):
            reader.strikes.strike(entry, reader.connection(entry.connection))
        elif isinstance(entry, Request):
            reader.view.model_outputs += reader.model_side.new(entry)
    return reader.view


class _Reader:
    def __init__(self, transcript: Transcript) -> None:
        self.demanded = version_of(transcript.profile)
        self.view = CodexView()
        self.replies = Replies(self.view, transcript.expect.get("results", {}))
        self.strikes = Strikes(self.view)
        self.model_side = ModelSide(transcript.expect.get("outputs", {}))
        self.connections: dict[str, Connection] = {}
        self.requests: dict[tuple[str, str], tuple[int, Call]] = {}
        """The client's requests that wait for their answer, by connection and id as it is written; each with
        the number of its frame."""
        self.turns: dict[tuple[str, str], PlayedTurn] = {}
        self.turns_of: dict[str, list[PlayedTurn]] = {}
        """By thread."""
        self.followers: dict[str, dict[str, Connection]] = {}
        """By thread, the connections that started or resumed it."""
        self.frames = 0
        self.sent: Mapping[str, Callable[[str, Call, Connection], None]] = {
            "initialize": self.initialize,
            "thread/start": self.thread_start,
            "turn/start": self.turn_start,
            "turn/interrupt": self.interrupt,
        }
        self.answered: Mapping[str, Callable[[Connection, int, Call, dict[str, Any]], None]] = {
            "initialize": self.initialized,
            "thread/start": self.thread_opened,
            "thread/resume": self.thread_opened,
            "thread/fork": self.thread_opened,
            "turn/start": self.turn_opened,
        }
        self.noticed: Mapping[str, Callable[[int, str, dict[str, Any]], None]] = {
            "turn/started": self.turn_started,
            "turn/completed": self.turn_completed,
            "item/completed": self.item_completed,
            "error": self.error_noticed,
        }

    def connection(self, name: str) -> Connection:
        if name not in self.connections:
            at = f"connection {name}" if name else "the connection"
            known = Connection(at=at, name=name, demanded=self.demanded)
            self.connections[name] = known
            self.view.connections.append(known)
        return self.connections[name]

    def link(self, entry: Link) -> None:
        known = self.connections.get(entry.connection)
        if entry.what == "opened" and known is not None and known.closed_by is not None:
            del self.connections[entry.connection]  # another one of the same name
        connection = self.connection(entry.connection)
        connection.transport = entry.transport
        connection.closed_by = entry.by if entry.what == "closed" else None
        connection.closed_how = entry.detail if entry.what == "closed" else ""
        if connection.closed_by == "client":
            self.strikes.closed(connection, entry.at)

    def frame(self, order: int, entry: Frame) -> None:
        self.frames += 1
        connection, message = self.connection(entry.connection), _read_frame(entry)
        at = f"{_named(message)} (frame {self.frames}{', ' if entry.connection else ''}{entry.connection})"
        if entry.direction == "server":
            self.strikes.heard(entry.at, message, connection)
            self.from_server(order, at, message, connection)
            return
        self.view.frames.append(Sent(at=at, data=entry.data, message=message))
        self.strikes.sent(at, entry.at, message, connection)
        if isinstance(message, Call):
            self.request(at, message, connection)
        elif isinstance(message, Notice):
            connection.initialized |= message.method == "initialized"
        self.replies.take(order, at, message, connection)

    # --- what the client sent

    def request(self, at: str, message: Call, connection: Connection) -> None:
        connection.requests.append((at, message))
        self.requests[connection.name, repr(message.id)] = self.frames, message
        if message.method in self.sent:
            self.sent[message.method](at, message, connection)

    def initialize(self, at: str, message: Call, connection: Connection) -> None:
        initialize = Initialize(at=at, request=message)
        connection.initializes.append(initialize)
        self.view.initializes.append(initialize)

    def thread_start(self, at: str, message: Call, connection: Connection) -> None:
        params = fields(message.params)
        self.view.thread_starts.append(ThreadStart(at=at, params=params, connection=connection))

    def turn_start(self, at: str, message: Call, connection: Connection) -> None:
        openers = self.followers.get(str(fields(message.params).get("threadId")), {})
        self.strikes.turn_start(at, message, connection, openers)

    def interrupt(self, _at: str, message: Call, _connection: Connection) -> None:
        self.step_turns(message, TurnStep.INTERRUPT_SENT)

    def step_turns(self, interrupt: Call, step: TurnStep) -> None:
        """Step the running turns of the thread: servers up to 0.110 don't look at the turn's id."""
        for each in self.running(fields(interrupt.params).get("threadId")):
            each.turn.step(step)

    def running(self, thread: object) -> list[PlayedTurn]:
        turns = self.turns_of.get(str(thread), ())
        return [each for each in turns if each.turn.state is not TurnState.ENDED]

    # --- what the server sent

    def from_server(self, order: int, at: str, message: Message, connection: Connection) -> None:
        if isinstance(message, Call):
            self.asked(at, message, connection)
        elif isinstance(message, Notice):
            notice = self.noticed.get(message.method)
            if notice:
                notice(order, at, fields(message.params))
        elif not isinstance(message, Unreadable):
            self.reply_to_client(message, connection)

    def reply_to_client(self, message: Answer | Failure, connection: Connection) -> None:
        sent, request = self.requests.pop((connection.name, repr(message.id)), (0, None))
        if request is None:
            return
        if isinstance(message, Answer) and request.method in self.answered:
            self.answered[request.method](connection, sent, request, fields(message.result))
        elif isinstance(message, Failure) and request.method == "turn/interrupt":
            self.step_turns(request, TurnStep.INTERRUPT_REFUSED)

    def initialized(self, connection: Connection, _sent: int, request: Call, result: dict[str, Any]) -> None:
        connection.version = version_of(result.get("userAgent"))
        for each in connection.initializes:
            each.accepted |= each.request is request

    def thread_opened(
        self, connection: Connection, _sent: int, _request: Call, result: dict[str, Any]
    ) -> None:
        thread = str(fields(result.get("thread")).get("id"))
        self.followers.setdefault(thread, {})[connection.name] = connection
        for each in self.running(thread):
            each.followers[connection.name] = connection

    def turn_opened(self, connection: Connection, sent: int, request: Call, result: dict[str, Any]) -> None:
        thread = str(fields(request.params).get("threadId"))
        self.followers.setdefault(thread, {})[connection.name] = connection
        turn = str(fields(result.get("turn")).get("id"))
        begun = self.turns.get((thread, turn))
        if begun is None or begun.ended < sent:  # else it may even have ended before the answer came
            begun = self.turn(f"turn/start on {connection.at}", thread, turn)
        begun.followers[connection.name] = connection

    def turn_started(self, _order: int, at: str, params: dict[str, Any]) -> None:
        self.turn(at, params.get("threadId"), fields(params.get("turn")).get("id"))

    def turn(self, at: str, thread: object, turn: object) -> PlayedTurn:
        """The running turn of these ids; servers up to 0.98 use the ids of ended turns again."""
        key = str(thread), str(turn)
        known = self.turns.get(key)
        if known is None or known.turn.state is TurnState.ENDED:
            known = self.turns[key] = PlayedTurn(at=at, turn=Turn(thread_id=key[0], id=key[1]))
            known.followers.update(self.followers.get(key[0], {}))
            self.view.turns.append(known)
            self.turns_of.setdefault(key[0], []).append(known)
        return known

    def turn_completed(self, order: int, _at: str, params: dict[str, Any]) -> None:
        played = self.turns.get((str(params.get("threadId")), str(fields(params.get("turn")).get("id"))))
        if played is None or not played.turn.step(TurnStep.COMPLETED):
            return
        played.ended = self.frames
        for ask in chain.from_iterable(played.asks.values()):
            ask.closed = order if ask.closed is None else ask.closed

    def item_completed(self, order: int, _at: str, params: dict[str, Any]) -> None:
        played = self.turns.get((str(params.get("threadId")), str(params.get("turnId"))))
        item = fields(params.get("item"))
        if played is None or item.get("type") != "dynamicToolCall":
            return
        for ask in played.asks.get(str(item.get("id")), ()):
            if ask.call is not None and ask.call.step(CallStep.CLOSED):
                ask.closed = order

    def error_noticed(self, order: int, _at: str, params: dict[str, Any]) -> None:
        text = fields(params.get("error")).get("message")
        if isinstance(text, str) and text.startswith(_REFRESH_TIMED_OUT):
            for ask in self.view.refreshes:
                ask.closed = order if ask.closed is None and not ask.replies else ask.closed

    def asked(self, at: str, message: Call, connection: Connection) -> None:
        """Note a request of the server's; the same one again is a repetition for who resumed the thread."""
        params = fields(message.params)
        turn = None
        if message.method == TOOL_CALL:
            turn = self.turn(at, params.get("threadId"), params.get("turnId"))
        known = turn.asks[str(params.get("callId"))] if turn else []
        ask = next((each for each in known if _is_same(each, message)), None)
        if ask is None:
            ask = Ask(
                at=at, id=message.id, method=message.method, params=params, connection=connection, turn=turn
            )
            self.note_ask(ask)
        ask.asked[connection.name] += 1
        ask.connection = connection
        connection.asks.append(ask)
        self.replies.by_id[connection.process, repr(message.id)] = ask

    def note_ask(self, ask: Ask) -> None:
        self.replies.asks.append(ask)
        if ask.method == REFRESH:
            self.view.refreshes.append(ask)
        if ask.turn is not None:
            call_id = str(ask.params.get("callId"))
            ask.turn.asks[call_id].append(ask)
            ask.call = ask.turn.turn.asked(
                ToolCall(
                    id=call_id,
                    tool=str(ask.params.get("tool")),
                    arguments=ask.params.get("arguments", ABSENT),
                )
            )
            self.view.calls.append(ask)


def _is_same(ask: Ask, message: Call) -> bool:
    """Whether a request is a pending one, sent again."""
    return (
        ask.closed is None and identical(ask.id, message.id) and identical(ask.params, fields(message.params))
    )


def _read_frame(entry: Frame) -> Message:
    if entry.binary:
        return Unreadable(kind="binary", reason="a binary message: only text is looked at")
    return read_message(entry.data)


def _named(message: Message) -> str:
    if isinstance(message, (Call, Notice)):
        return message.method[:_SHOWN]
    if isinstance(message, Unreadable):
        return "a message that can't be read"
    return f"answer to id {message.id!r:.{_SHOWN}}"
