"""The checks behind the rules about a return's message, one a field."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from wiretape.contract import Answer, Fault, Note, Skip
from wiretape.flow_a.messages import HIDDEN_FLAG
from wiretape.flow_a.view import Return
from wiretape.strictjson import ABSENT

_NO_MESSAGE: Final = Skip("flow_a.return.single-message")
_NO_AUTHOR: Final = Skip("flow_a.return.author-role-tool")
_NO_CONTENT: Final = Skip("flow_a.return.content-type-code")
_NO_METADATA: Final = Skip("flow_a.return.metadata-object")
_HEX: Final = "[0-9a-fA-F]"
_UUID: Final = re.compile(f"{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}")
_SECONDS: Final = (1e9, 1e11)
"""Unix time in seconds lies between these from 2001 on; in milliseconds it is beyond."""

_MESSAGE_KEYS: Final = frozenset(
    [
        "id",
        "author",
        "create_time",
        "update_time",
        "content",
        "status",
        "end_turn",
        "weight",
        "metadata",
        "recipient",
        "channel",
    ]
)
_AUTHOR_KEYS: Final = frozenset(("role", "name", "metadata"))
_CONTENT_KEYS: Final = frozenset(("content_type", "text", "language"))
"""``language`` has a rule of its own."""


def role(answer: Return) -> Answer:
    if answer.message is None:
        return _NO_MESSAGE
    if answer.author is None:
        return Fault(answer.path("author"), "an object", answer.message.get("author", ABSENT))
    got = answer.author.get("role", ABSENT)
    return None if got == "tool" else Fault(answer.path("author.role"), "tool", got)


def _no_author(answer: Return) -> Skip:
    """Why there is no author to look at."""
    return _NO_MESSAGE if answer.message is None else _NO_AUTHOR


def author_name(answer: Return) -> Answer:
    if answer.author is None:
        return _no_author(answer)
    got = answer.author.get("name", ABSENT)
    return None if got == answer.call.tool else Fault(answer.path("author.name"), answer.call.tool, got)


def author_metadata(answer: Return) -> Answer:
    if answer.author is None:
        return _no_author(answer)
    got = answer.author.get("metadata", ABSENT)
    return None if isinstance(got, dict) else Fault(answer.path("author.metadata"), "an object", got)


def content_type(answer: Return) -> Answer:
    if answer.message is None:
        return _NO_MESSAGE
    content = answer.content
    if content is None or (content.get("content_type") != "code" and "text" not in content):
        got = answer.message.get("content", ABSENT)
        return Fault(answer.path("content"), {"content_type": "code", "text": "…"}, got)
    got = content.get("content_type", ABSENT)
    return None if got == "code" else Fault(answer.path("content.content_type"), "code", got)


def no_content(answer: Return) -> Skip:
    """Why there is no content to look at."""
    return _NO_MESSAGE if answer.message is None else _NO_CONTENT


def no_language(answer: Return) -> Answer:
    if answer.content is None:
        return no_content(answer)
    if "language" not in answer.content:
        return None
    return Fault(answer.path("content.language"), ABSENT, answer.content["language"])


def member_is(key: str, want: str | None) -> Callable[[Return], Answer]:
    """Make the check that a member of the message is ``want``."""

    def check(answer: Return) -> Answer:
        # Python's == is exact where a text or null is wanted: nothing else equals them.
        if answer.message is None:
            return _NO_MESSAGE
        got = answer.message.get(key, ABSENT)
        return None if got == want else Fault(answer.path(key), want, got)

    return check


def weight(answer: Return) -> Answer:
    if answer.message is None:
        return _NO_MESSAGE
    got = answer.message.get("weight", ABSENT)
    return None if type(got) in (int, float) and got == 1 else Fault(answer.path("weight"), 1, got)


def create_time(answer: Return) -> Answer:
    if answer.message is None:
        return _NO_MESSAGE
    got = answer.message.get("create_time", ABSENT)
    low, high = _SECONDS
    if type(got) in (int, float) and low <= got < high:
        return None
    hint = "divide by 1000" if type(got) in (int, float) and low <= got / 1000 < high else ""
    return Fault(answer.path("create_time"), "unix time in seconds", got, hint)


def fresh_id(answer: Return) -> Answer:
    if answer.message is None:
        return _NO_MESSAGE
    got = answer.message.get("id", ABSENT)
    if not isinstance(got, str) or not _UUID.fullmatch(got):
        return Fault(answer.path("id"), "a new uuid", got)
    if got.lower() == answer.call.id.lower():  # letters of both cases are the same uuid
        return Fault(answer.path("id"), "a new uuid, not the call's", got)
    if got in answer.known_ids:
        return Fault(answer.path("id"), "a new uuid, not one seen before", got)
    return None


def metadata(answer: Return) -> Answer:
    if answer.message is None:
        return _NO_MESSAGE
    got = answer.message.get("metadata", ABSENT)
    return None if isinstance(got, dict) else Fault(answer.path("metadata"), "an object", got)


_PROFILES: Final[dict[str, dict[str, Any]]] = {"seed-capture": {}, "app": {HIDDEN_FLAG: True}}
_IS_PROFILE: Final = {name: Note(f"metadata is that of the profile {name}") for name in _PROFILES}


def metadata_profile(answer: Return) -> Answer:
    got = (answer.message or {}).get("metadata", ABSENT)
    if not isinstance(got, dict):
        return _NO_MESSAGE if answer.message is None else _NO_METADATA
    flag = got.get(HIDDEN_FLAG, ABSENT)
    alone = len(got) == (flag is not ABSENT)
    came = "app" if flag is True else "seed-capture" if flag is ABSENT else ""
    if alone and came and answer.profile in ("", came):
        return _IS_PROFILE[came]
    if answer.profile:
        return Fault(answer.path("metadata"), _PROFILES[answer.profile], got)
    if alone:
        return Fault(answer.path(f"metadata.{HIDDEN_FLAG}"), "true or absent", flag)
    return Fault(answer.path("metadata"), "{} or the hidden flag alone", got)


def no_extra_fields(answer: Return) -> Answer:
    if answer.message is None:
        return _NO_MESSAGE
    return (
        _extra(answer, "", answer.message, _MESSAGE_KEYS)
        or _extra(answer, "author.", answer.author or {}, _AUTHOR_KEYS)
        or _extra(answer, "content.", answer.content or {}, _CONTENT_KEYS)
    )


def _extra(answer: Return, prefix: str, fields: dict[str, Any], known: frozenset[str]) -> Answer:
    if known.issuperset(fields):
        return None
    extra = next(key for key in fields if key not in known)
    if extra == "parts" and fields.get("content_type") != "code":
        return _NO_CONTENT  # a return in the shape of text has its parts; its content_type is what is wrong
    return Fault(answer.path(prefix + extra), ABSENT, fields[extra])
