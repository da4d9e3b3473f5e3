"""Whole sessions with an app-server: threads, turns and calls at once, their messages in any valid order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from wiretape.codex.messages import TOOL_CALL
from wiretape.strictjson import dumps
from wiretape.testing.changes import Draw
from wiretape.testing.codex import Members, codex_answers
from wiretape.testing.values import ids, texts
from wiretape.transcript import Entry, Frame, Link, Side, Transcript

Message: TypeAlias = dict[str, Any]
_NAMES: Final = st.text("abcdefghijklmnopqrstuvwxyz_", min_size=1, max_size=8).map("x_".__add__)
_ME: Final = {"name": "a_client", "title": "A client", "version": "1.0.0"}
_SERVER: Final = {"userAgent": "a_client/0.171.0 (Linux; x86_64) (a_client; 1.0.0)"}
_TYPES: Final[dict[str, SearchStrategy[Any]]] = {
    "string": texts(),
    "integer": st.integers(-9, 99),
    "boolean": st.booleans(),
}
_PARAMETERS: Final = st.dictionaries(_NAMES, st.sampled_from(sorted(_TYPES)), max_size=3)


@dataclass(frozen=True, slots=True)
class Said:
    """One message of a session. ``key`` pairs a request with its answer; None for a notification."""

    by: Side
    members: Message
    key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CodexFrame:
    """A message as it goes over the wire, and on which connection."""

    direction: Side
    connection: str
    message: Message


@dataclass(frozen=True, slots=True, kw_only=True)
class CodexSession:
    """The messages of a session in order. Each connection is a server process of its own, as over stdio."""

    frames: tuple[CodexFrame, ...]
    calls: int
    """How many tool calls there are in it; all of them are answered."""

    def transcript(self) -> Transcript:
        """The session as the judge reads it: each connection is closed by the client in the end."""
        names = dict.fromkeys(frame.connection for frame in self.frames)
        entries: list[Entry] = [_link(name, "opened") for name in names]
        entries += (
            Frame(
                direction=each.direction,
                data=dumps(each.message).encode(),
                connection=each.connection,
                at=0.0,
            )
            for each in self.frames
        )
        entries += (_link(name, "closed") for name in names)
        return Transcript(protocol="codex", name="drawn", entries=entries, profile="0.171")


def _link(name: str, what: Literal["opened", "closed"]) -> Link:
    return Link(connection=name, what=what, transport="stdio", at=0.0)


@st.composite
def tool_specs(draw: Draw) -> Message:
    """Tools as a client declares them in ``dynamicTools``: up to three parameters, required or not."""
    parameters = draw(_PARAMETERS)
    return {
        "type": "function",
        "name": draw(_NAMES),
        "description": draw(texts()),
        "inputSchema": {
            "type": "object",
            "properties": {name: {"type": kind} for name, kind in parameters.items()},
            "required": [name for name in parameters if draw(st.booleans())],
            "additionalProperties": False,
        },
    }


@st.composite
def tool_arguments(draw: Draw, spec: Message) -> Message:
    """Arguments that fit a tool of ``tool_specs``: what is required, nothing that is not declared."""
    schema = spec["inputSchema"]
    return {
        name: draw(_TYPES[property_["type"]])
        for name, property_ in schema["properties"].items()
        if name in schema["required"] or draw(st.booleans())
    }


@st.composite
def codex_interleavings(
    draw: Draw,
    *,
    max_connections: int = 2,
    max_threads: int = 2,
    max_turns: int = 2,
    max_calls: int = 2,
    answers: SearchStrategy[Members] | None = None,
) -> CodexSession:
    """Sessions in which threads, their turns and the calls of a turn go on at once, up to so many of each.

    Every order that the protocol allows can come: a connection begins with its handshake; a thread's turns
    follow one another; a turn holds its calls; a call is announced, asked, answered, and done. What belongs
    to different threads, calls or connections comes in any order, so answers may come in another order than
    their requests. ``answers`` are those of the client to calls, well-formed ones of any sort when not given.
    """
    replies = codex_answers() if answers is None else answers
    connections = []
    for number in range(1, draw(st.integers(1, max_connections)) + 1):
        specs = draw(st.lists(tool_specs(), min_size=1, max_size=2, unique_by=lambda spec: spec["name"]))
        threads = [
            _thread(draw, specs, replies, draw(st.integers(1, max_turns)), max_calls)
            for _ in range(draw(st.integers(1, max_threads)))
        ]
        said = [*_handshake(), *_merged(draw, threads)]
        connections.append([*_written(f"c{number}", said)])
    frames = _merged(draw, connections)
    asked = sum(frame.message.get("method") == TOOL_CALL for frame in frames)
    return CodexSession(frames=tuple(frames), calls=asked)


def _merged(draw: Draw, sequences: Sequence[list[Any]]) -> list[Any]:
    """All of these, each in its own order."""
    waiting = [iter(sequence) for sequence in sequences]
    turns = [number for number, sequence in enumerate(sequences) for _ in sequence]
    if len(sequences) > 1:
        turns = draw(st.permutations(turns))
    return [next(waiting[number]) for number in turns]


def _handshake() -> Iterator[Said]:
    me = {"clientInfo": _ME, "capabilities": {"experimentalApi": True}}
    yield Said("client", {"method": "initialize", "params": me}, "initialize")
    yield Said("server", {"result": _SERVER}, "initialize")
    yield Said("client", {"method": "initialized"})


def _thread(
    draw: Draw, specs: list[Message], replies: SearchStrategy[Members], turns: int, max_calls: int
) -> list[Said]:
    """A thread is started and told of; in its turns nobody has to wait for the news."""
    thread = draw(ids())
    started = {"thread": {"id": thread}}
    own = [each for _ in range(turns) for each in _turn(draw, thread, specs, replies, max_calls)]
    return [
        Said("client", {"method": "thread/start", "params": {"dynamicTools": specs}}, thread),
        Said("server", {"result": started}, thread),
        *_merged(draw, [[_told("thread/started", started)], own]),
    ]


def _turn(
    draw: Draw, thread: str, specs: list[Message], replies: SearchStrategy[Members], max_calls: int
) -> list[Said]:
    turn = draw(ids())
    running: Message = {"id": turn, "items": [], "status": "inProgress", "error": None}
    params = {"threadId": thread, "input": [{"type": "text", "text": draw(texts())}]}
    calls = [_call(draw, thread, turn, specs, replies) for _ in range(draw(st.integers(0, max_calls)))]
    message = {"type": "agentMessage", "id": draw(ids()), "text": draw(texts())}
    return [
        Said("client", {"method": "turn/start", "params": params}, turn),
        Said("server", {"result": {"turn": running}}, turn),
        _told("turn/started", {"threadId": thread, "turn": running}),
        *_merged(draw, calls),
        _item("started", thread, turn, message),
        _item("completed", thread, turn, message),
        _told("turn/completed", {"threadId": thread, "turn": running | {"status": "completed"}}),
    ]


def _call(
    draw: Draw, thread: str, turn: str, specs: list[Message], replies: SearchStrategy[Members]
) -> list[Said]:
    spec, call = draw(st.sampled_from(specs)), draw(ids())
    what = {"tool": spec["name"], "arguments": draw(tool_arguments(spec))}
    answer = draw(replies)
    result = answer.get("result", {"contentItems": None, "success": False})
    item = {"type": "dynamicToolCall", "id": call, **what}
    begun = item | {"status": "inProgress", "contentItems": None, "success": None, "durationMs": None}
    done = {"status": "completed" if result["success"] else "failed", "durationMs": 1}
    asked = {"threadId": thread, "turnId": turn, "callId": call, **what}
    return [
        _item("started", thread, turn, begun),
        Said("server", {"method": TOOL_CALL, "params": asked}, call),
        Said("client", answer, call),
        _item("completed", thread, turn, item | result | done),
    ]


def _item(what: str, thread: str, turn: str, item: Message) -> Said:
    return _told(f"item/{what}", {"threadId": thread, "turnId": turn, "item": item})


def _told(method: str, params: Message) -> Said:
    return Said("server", {"method": method, "params": params})


def _written(connection: str, said: list[Said]) -> Iterator[CodexFrame]:
    """Number the requests in the order in which they go out: each side for itself, the server from 0."""
    numbers: dict[Side, int] = {"client": 1, "server": 0}
    open_: dict[str, int] = {}
    for each in said:
        message = each.members
        if each.key is not None and "method" in message:
            open_[each.key] = numbers[each.by]
            numbers[each.by] += 1
        if each.key is not None:
            message = {"id": open_[each.key], **message}
        yield CodexFrame(direction=each.by, connection=connection, message=message)
