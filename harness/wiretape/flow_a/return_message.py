"""What a client's return says: the message in its request, and the JSON inside that message's text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wiretape import strictjson
from wiretape.flow_a.messages import member, sent_messages
from wiretape.strictjson import ABSENT, StrictJSONError


@dataclass(slots=True, kw_only=True)
class ReturnMessage:
    """A return's parts as they came, each None where it is no object."""

    body: Mapping[str, Any]
    """Of the conversation request that carries it."""
    index: int = field(init=False)
    """Which of the request's messages it is, from 0."""
    message: dict[str, Any] | None = field(init=False)
    content: dict[str, Any] | None = field(init=False)
    author: dict[str, Any] | None = field(init=False)
    text: dict[str, Any] | None = field(init=False)
    """The object inside ``content.text``."""
    text_fault: object = field(init=False, default=ABSENT)
    """What came in its place."""
    result: object = field(init=False)

    def __post_init__(self) -> None:
        self.index, message = _pick(sent_messages(self.body))
        self.message = _as_object(message)
        fields = self.message or {}
        self.content = _as_object(fields.get("content"))
        self.author = _as_object(fields.get("author"))
        self.text = self._read_text((self.content or {}).get("text", ABSENT))
        self.result = ABSENT if self.text is None else self.text.get("result", ABSENT)

    def _read_text(self, raw: object) -> dict[str, Any] | None:
        try:
            value = strictjson.loads(raw) if isinstance(raw, str) else ABSENT
        except StrictJSONError as error:
            self.text_fault = f"{raw!s:.120} ({error})"
            return None
        if not isinstance(value, dict):
            self.text_fault = raw
            return None
        return value

    def path(self, rest: str = "") -> str:
        """The path of a member of the message: ``messages[0].content.text.call_id``.

        It begins at the request's body; what comes after ``text`` is inside the JSON text.
        """
        return f"messages[{self.index}]" + (f".{rest}" if rest else "")


def _pick(messages: list[Any]) -> tuple[int, object]:
    """The message that is the return: by its role, else the first that is not the user's, else the first."""
    if len(messages) <= 1:
        return 0, messages[0] if messages else ABSENT
    roles = [member(message, "author", "role") for message in messages]
    others = (index for index, role in enumerate(roles) if role != "user")
    index = roles.index("tool") if "tool" in roles else next(others, 0)
    return index, messages[index]


def _as_object(value: object) -> dict[str, Any] | None:
    return value if isinstance(value, dict) else None
