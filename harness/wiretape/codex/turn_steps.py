"""What one turn shows of the model: a step for each request that the server made to its provider.

The provider's side is not in a recording of the client's, so steps are what the client was told. Newer
servers count tokens behind each of the provider's answers, which parts the steps. Without that, items that
came before the client had answered all calls so far are one step, and what comes after that is the next one.
Requests that the client was told nothing of (a call of an unknown tool, say) have no step.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

from wiretape import strictjson
from wiretape.cassette.model import ModelCall, ModelError, ModelText, Step
from wiretape.codex.messages import fields

_MESSAGE: Final = "agentMessage"
_CALL: Final = "dynamicToolCall"
_USER: Final = "userMessage"
_UNAUTHORIZED: Final = Step(error=ModelError(status=401, body='{"error": {"message": "token expired"}}'))
_UNTIL_INTERRUPT: Final = Step(wait="until_interrupt")
_BUSY: Final = "internalServerError"
_LAST_STATUS: Final = re.compile(r"exceeded retry limit, last status: (\d{3})\b")
_STATUS: Final = re.compile(r"unexpected status (\d{3})\b[^:]*: (.*), url: \S+(?:, .*)?", re.DOTALL)
_NO_BODY: Final = "Unknown error"


@dataclass(slots=True, kw_only=True)
class _Message:
    """A text of the model as it grows on the connection that heard of it first."""

    id: str
    connection: str
    text: str = ""
    deltas: list[str] = field(default_factory=list)
    whole: bool = False

    def item(self) -> ModelText:
        grown = "".join(self.deltas)
        text = self.text if self.whole else self.text or grown
        return ModelText(text=text, deltas=tuple(self.deltas) if grown == text else (), id=self.id)


class TurnSteps:
    """A running turn. ``steps`` are those that are known by now; ``counted``: the server counts tokens."""

    def __init__(self, turn_id: str, connection: str, *, counted: bool = False) -> None:
        self.id = turn_id
        self._counted = counted
        self.connection = connection
        """The one that began it."""
        self.steps: list[Step] = []
        self.untold: Counter[str] = Counter()
        """Sorts of items that no step can hold, and texts that were broken off."""
        self.calls: dict[str, bool] = {}
        """Whether each call was answered, in order."""
        self._items: dict[str, _Message | ModelCall] = {}
        """Those of the step at hand."""
        self._seen: set[str] = set()
        """Items that were told of: several connections hear of each."""
        self._asked = True
        """The model was asked, and what it did is in no step yet."""
        self._refreshing = False
        """The last that came was a request for new tokens."""

    def started(self, item: dict[str, Any], connection: str) -> None:
        """The server announced an item."""
        kind, item_id = item.get("type"), str(item.get("id"))
        if kind == _CALL:
            self.called({**item, "callId": item_id})
        elif kind == _USER:
            self._go_on()
        elif self._is_new(item_id):
            if kind == _MESSAGE:
                message = _Message(id=item_id, connection=connection, text=str(item.get("text") or ""))
                self._items[item_id] = message
            else:
                self.untold[str(kind)] += 1

    def grew(self, item_id: str, delta: str, connection: str) -> None:
        """A piece of a text came."""
        message = self._items.get(item_id)
        if isinstance(message, _Message) and message.connection == connection:
            message.deltas.append(delta)

    def completed(self, item: dict[str, Any]) -> None:
        """The server said what an item is in the end."""
        message = self._items.get(str(item.get("id")))
        if isinstance(message, _Message):
            message.text, message.whole = str(item.get("text") or ""), True

    def called(self, call: dict[str, Any]) -> None:
        """The model called a tool of the client's."""
        call_id, namespace = str(call.get("callId")), call.get("namespace")
        if self._is_new(call_id):
            self.calls[call_id] = False
            self._items[call_id] = ModelCall(
                id=call_id,
                tool=str(call.get("tool")),
                arguments=strictjson.dumps(call.get("arguments"), spaced=True),
                namespace=namespace if isinstance(namespace, str) else None,
            )

    def answered(self, call_id: str) -> None:
        """The client answered a call. After the last open one the model is asked again."""
        if self.calls.get(call_id) is False:
            self.calls[call_id] = True
            if not self._counted:
                self._settle()

    def spent(self) -> None:
        """The server counted the tokens of an answer of the provider."""
        self._settle()

    def refused(self) -> None:
        """The provider wants another token: the client was asked for one."""
        self.steps.append(_UNAUTHORIZED)
        self._asked, self._refreshing = False, True

    def refreshed(self) -> None:
        """The client gave a token: the model is asked again."""
        self._asked = True

    def ended(self, status: object, error: object) -> None:
        """The turn is over."""
        if status == "failed":
            self._failed(fields(error))
        elif status == "interrupted" and self._asked and all(self.calls.values()):
            self._break_off(_UNTIL_INTERRUPT)
        self._close(Step())

    def cut(self) -> None:
        """Nothing more was told of the turn."""
        self._close(_UNTIL_INTERRUPT)

    def _is_new(self, item_id: str) -> bool:
        new = item_id not in self._seen
        self._seen.add(item_id)
        self._refreshing = self._refreshing and not new
        return new

    def _settle(self) -> None:
        if all(self.calls.values()) and any(isinstance(each, ModelCall) for each in self._items.values()):
            self._go_on()

    def _go_on(self) -> None:
        """The model is asked again. A text that still grows goes on with what it says next."""
        growing = [each for each in self._items.values() if isinstance(each, _Message) and not each.whole]
        for message in growing:
            del self._items[message.id]
        if self._items:
            self._close(Step())
        self._items |= {message.id: message for message in growing}
        self._asked = True

    def _close(self, without_items: Step) -> None:
        """Write the step of the request that is going on."""
        items = [each.item() if isinstance(each, _Message) else each for each in self._items.values()]
        if self._asked:
            self.steps.append(Step(items=tuple(items)) if items else without_items)
        self._items, self._asked = {}, False

    def _failed(self, error: dict[str, Any]) -> None:
        found = http_error(error)
        if found is None and self._refreshing:  # the token that the client gave, or did not, is the reason
            self._asked = False
        else:
            self._break_off(Step(error=found or ModelError(status=400, body=str(error.get("message") or ""))))

    def _break_off(self, step: Step) -> None:
        """End with a step that holds no items: texts that came with it have no place."""
        self._settle()
        if self._items:
            self.untold["a text that was broken off"] += len(self._items)
        self._items = {}
        self._close(step)


def http_error(error: dict[str, Any]) -> ModelError | None:
    """The provider's answer that a turn's error tells of; None where it tells of none, or of status 400.

    The body is not told in full: it is one that gives the same error again.
    """
    message, info = str(error.get("message")), error.get("codexErrorInfo")
    if info == _BUSY:
        return ModelError(status=500)
    if found := _LAST_STATUS.search(message):
        return ModelError(status=int(found[1]))
    if found := _STATUS.fullmatch(message):
        return ModelError(status=int(found[1]), body="" if found[2] == _NO_BODY else found[2])
    return None
