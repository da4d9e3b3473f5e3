"""What the client did in a recorded session: its steps, the tools that it declared, and what they gave."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from wiretape import strictjson
from wiretape.cassette.model import ClientStep
from wiretape.codex.messages import TOOL_CALL, fields
from wiretape.codex.model_steps import ModelSteps
from wiretape.codex.said import Said
from wiretape.codex.turn_steps import TurnSteps
from wiretape.jsonrpc import Answer
from wiretape.strictjson import ABSENT

_UNNAMED: Final = "account"
"""The account of a login that names it in a token only, which is hidden in a recording."""
_LOGIN: Final = "chatgptAuthTokens"
_LATE: Final = "interrupted a turn elsewhere than at its first call"


@dataclass(slots=True, kw_only=True)
class _Deed:
    """A step as it was done: in which thread and turn, a login in none."""

    step: ClientStep
    thread: str = ""
    turn: TurnSteps | None = None


@dataclass(slots=True, kw_only=True)
class _Call:
    tool: str
    given: Any
    """The whole answer, or ``"echo"``; ABSENT where it was none."""


@dataclass(slots=True)
class ClientSteps:
    """Takes the messages of a session in order, each one when ``model`` has taken it."""

    model: ModelSteps
    tools: dict[str, list[Any]] = field(default_factory=dict)
    """What was declared, by thread."""
    agents: list[str] = field(default_factory=list)
    """How the server named itself, on each connection."""
    _deeds: list[_Deed] = field(default_factory=list)
    _homes: dict[str, str] = field(default_factory=dict)
    """The connection on which each thread was begun or resumed last."""
    _calls: dict[str, list[_Call]] = field(default_factory=dict)
    """By thread."""
    _stopped: list[TurnSteps] = field(default_factory=list)
    """Turns that the client interrupted."""
    _untold: dict[str, set[str]] = field(default_factory=dict)

    def take(self, said: Said) -> None:
        """Take the next message, which ModelSteps has taken."""
        if said.method in _ACCEPTED and isinstance(said.message, Answer) and said.request is not None:
            _ACCEPTED[said.method](self, said, said.params)

    def steps(self, thread: str) -> tuple[ClientStep, ...]:
        """What was done in a thread, in order, and the logins."""
        return tuple(self._done(deed) for deed in self._deeds if deed.thread in ("", thread))

    def results(self, thread: str) -> dict[str, Any]:
        """What each tool gives: ``"echo"``, or the whole answer. One that gave different ones is left out."""
        given: dict[str, list[Any]] = {}
        for call in self._calls.get(thread, []):
            given.setdefault(call.tool, []).append(call.given)
        return {
            tool: results[0]
            for tool, results in given.items()
            if results[0] is not ABSENT and all(strictjson.equal(each, results[0]) for each in results)
        }

    def untold(self, thread: str) -> list[str]:
        """What the client did in a thread that no step can hold."""
        turns = [deed.turn for deed in self._deeds if deed.thread == thread and deed.turn in self._stopped]
        late = any(list(turn.calls.values())[:1] != [False] for turn in turns if turn is not None)
        return sorted(self._untold.get(thread, set()) | ({_LATE} if late else set()))

    def _done(self, deed: _Deed) -> ClientStep:
        return ClientStep(do="interrupt", value=deed.step.value) if deed.turn in self._stopped else deed.step

    def _tell(self, thread: str, what: str) -> None:
        self._untold.setdefault(thread, set()).add(what)

    # --- what was accepted

    def _initialized(self, said: Said, _params: dict[str, Any]) -> None:
        self.agents.append(str(said.result.get("userAgent")))

    def _logged_in(self, _said: Said, params: dict[str, Any]) -> None:
        if params.get("type") == _LOGIN:
            account = params.get("chatgptAccountId")
            value = account if isinstance(account, str) else _UNNAMED
            self._deeds.append(_Deed(step=ClientStep(do="login", value=value)))

    def _thread_started(self, said: Said, params: dict[str, Any]) -> None:
        thread = str(fields(said.result.get("thread")).get("id"))
        tools = params.get("dynamicTools")
        self.tools[thread] = tools if isinstance(tools, list) else []
        self._homes[thread] = said.connection

    def _resumed(self, said: Said, params: dict[str, Any]) -> None:
        thread = str(params.get("threadId"))
        if thread not in self.tools:
            self._tell(
                thread, "went on with a thread that is older than the recording: its tools are not known"
            )
        if self._homes.get(thread, said.connection) != said.connection:
            self._deeds.append(_Deed(step=ClientStep(do="resume", value="process"), thread=thread))
            if self.model.is_running(thread):
                self._tell(thread, "resumed the thread while a turn ran")
        self._homes[thread] = said.connection

    def _turn_begun(self, said: Said, params: dict[str, Any]) -> None:
        thread = str(params.get("threadId"))
        turn = self.model.turns[thread, str(fields(said.result.get("turn")).get("id"))]
        said_so = params.get("input")
        parts = said_so if isinstance(said_so, list) else []
        texts = [each["text"] for each in map(fields, parts) if isinstance(each.get("text"), str)]
        if len(texts) < len(parts):
            self._tell(thread, "said more than texts")
        if any(deed.turn is turn for deed in self._deeds):
            self._tell(thread, "said more while a turn ran")
            return
        step = ClientStep(do="turn", value="\n".join(texts))
        self._deeds.append(_Deed(step=step, thread=thread, turn=turn))

    def _steered(self, _said: Said, params: dict[str, Any]) -> None:
        self._tell(str(params.get("threadId")), "said more while a turn ran")

    def _interrupted(self, _said: Said, params: dict[str, Any]) -> None:
        turn = self.model.turns.get((str(params.get("threadId")), str(params.get("turnId"))))
        self._stopped += [turn] if turn is not None else []

    def _called(self, said: Said, params: dict[str, Any]) -> None:
        result, text = said.result, fields(params.get("arguments")).get("text")
        given: Any = result if {"contentItems", "success"} <= result.keys() else ABSENT
        echo = {"contentItems": [{"type": "inputText", "text": text}], "success": True}
        call = _Call(tool=str(params.get("tool")), given="echo" if strictjson.equal(given, echo) else given)
        self._calls.setdefault(str(params.get("threadId")), []).append(call)


_ACCEPTED: Final[Mapping[str, Callable[[ClientSteps, Said, dict[str, Any]], None]]] = {
    "initialize": ClientSteps._initialized,
    "account/login/start": ClientSteps._logged_in,
    "thread/start": ClientSteps._thread_started,
    "thread/resume": ClientSteps._resumed,
    "turn/start": ClientSteps._turn_begun,
    "turn/steer": ClientSteps._steered,
    "turn/interrupt": ClientSteps._interrupted,
    TOOL_CALL: ClientSteps._called,
}
"""By method: what follows from a request that was answered with a result."""
