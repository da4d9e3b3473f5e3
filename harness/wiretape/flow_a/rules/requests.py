"""Rules about the body of a conversation request."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from wiretape.contract import Answer, Fault, Note, Rule, Skip, Unseen
from wiretape.flow_a.json_body import JsonBody
from wiretape.flow_a.messages import WEB_ROOT_PARENT
from wiretape.flow_a.rules.source import STANDARDS, rule
from wiretape.flow_a.view import ConversationRequest
from wiretape.strictjson import ABSENT


def _valid_json(body: JsonBody) -> Answer:
    if body.readable:
        return None
    reason = str(body.error) if body.error else f"it is a JSON {type(body.got).__name__}"
    return Fault("", "a JSON object", body.got, hint=f"the body can't be read: {reason}")


def _no_duplicate_keys(body: JsonBody) -> Answer:
    if body.error is None:
        return None
    if body.error.kind != "duplicate_key":
        return Skip("flow_a.request.valid-json")
    return Fault("", "every key once in its object", str(body.error))


def _member_is(key: str, want: str | list[str]) -> Callable[[ConversationRequest], Answer]:
    def check(request: ConversationRequest) -> Answer:
        # Python's == is exact where texts are wanted: nothing else equals them.
        got = request.json.value.get(key, ABSENT)
        return None if got == want else Fault(key, want, got)

    return check


def _model(request: ConversationRequest) -> Answer:
    got = request.json.value.get("model", ABSENT)
    return None if isinstance(got, str) and got.strip() else Fault("model", "a model's name", got)


_NO_FIRST_TURN: Final = Unseen("no first turn of a conversation was seen")


_OF_THE_MACHINE: Final = ("posix", "right", "posixrules", "localtime")
"""What some machines keep beside the zones: other copies of them, and the machine's own."""


@lru_cache(maxsize=512)
def _is_timezone(name: str) -> bool:
    try:
        return ZoneInfo(name).key == name and name.partition("/")[0] not in _OF_THE_MACHINE
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False


def _timezone(request: ConversationRequest) -> Answer:
    got = request.json.value.get("timezone", ABSENT)
    if isinstance(got, str) and _is_timezone(got):
        return None
    return Fault("timezone", "an IANA time zone, such as America/Sao_Paulo", got)


def _timezone_offset(request: ConversationRequest) -> Answer:
    got = request.json.value.get("timezone_offset_min", ABSENT)
    if type(got) is int or (isinstance(got, float) and got.is_integer()):
        return None
    return Fault("timezone_offset_min", "a whole number of minutes", got)


def _first_turn(request: ConversationRequest) -> Answer:
    if not request.first_turn:
        return _NO_FIRST_TURN
    for key in ("conversation_id", "parent_message_id"):
        got = request.body.get(key, ABSENT)
        if got is ABSENT:
            continue
        if got == WEB_ROOT_PARENT and key == "parent_message_id":
            return Note(f"parent_message_id is {WEB_ROOT_PARENT!r}, as the web client sends it")
        if not request.live and key == "conversation_id":
            return Skip("the log may begin in the middle of a conversation")
        return Fault(key, ABSENT, got)
    return None


REQUEST_RULES: Final[tuple[Rule, ...]] = (
    rule(
        "request.valid-json",
        "The body is a JSON object",
        _valid_json,
        scope="bodies",
        document=STANDARDS,
        section="§2",
        quote="A JSON text is a serialized value.",
        evidence="doc",
        good='{"action": "next"}',
        bad=("{'action': 'next'}", "[]"),
        hint="write the body with a JSON library, encoded as UTF-8",
    ),
    rule(
        "request.no-duplicate-keys",
        "No object in the body has a key twice",
        _no_duplicate_keys,
        scope="bodies",
        document=STANDARDS,
        section="§4",
        quote="The names within an object SHOULD be unique.",
        evidence="doc",
        good='{"action": "next"}',
        bad=('{"action": "next", "action": "next"}',),
        hint="which of the two a reader takes is not defined",
    ),
    rule(
        "request.action-is-next",
        "The action is next",
        _member_is("action", "next"),
        scope="requests",
        section="§6",
        quote="f/* request action — only 'next' observed in the builder.",
        evidence="code",
        good='{"action": "next"}',
        bad=('{"action": "continue"}',),
    ),
    rule(
        "request.supported-encodings-v1",
        "The request asks for delta encoding v1",
        _member_is("supported_encodings", ["v1"]),
        scope="requests",
        section="§6",
        quote="supported_encodings: SupportedEncoding[] // ['v1']",
        evidence="code",
        good='{"supported_encodings": ["v1"]}',
        bad=('{"supported_encodings": []}', '{"supported_encodings": "v1"}'),
    ),
    rule(
        "request.model-present",
        "The request names a model",
        _model,
        scope="requests",
        section="§6",
        quote="model: string // 'gpt-5-6-thinking' (chat scale)",
        evidence="code",
        good='{"model": "gpt-5-6-thinking"}',
        bad=('{"model": ""}', '{"model": null}'),
    ),
    rule(
        "request.timezone-iana",
        "The time zone is an IANA name",
        _timezone,
        scope="requests",
        section="§6",
        quote="timezone: string // Intl.DateTimeFormat().resolvedOptions().timeZone",
        evidence="code",
        good='{"timezone": "America/Sao_Paulo"}',
        bad=('{"timezone": "UTC-3"}', '{"timezone": "Brasilia Standard Time"}'),
        hint="Intl gives IANA names; so does Python's tzlocal, and /etc/localtime links to one",
    ),
    rule(
        "request.timezone-offset-integer",
        "The time zone offset is a whole number of minutes",
        _timezone_offset,
        scope="requests",
        section="§6",
        quote="timezone_offset_min: number // 180",
        evidence="code",
        good='{"timezone_offset_min": 180}',
        bad=('{"timezone_offset_min": "180"}', '{"timezone_offset_min": 5.5}'),
    ),
    rule(
        "request.first-turn-omits-ids",
        "A first turn has no conversation and no parent",
        _first_turn,
        scope="requests",
        level="should",
        section="§6",
        quote="conversation_id?: string // omitted on the first turn",
        evidence="code",
        good="the first request of a conversation leaves both keys out",
        bad=("the first request has conversation_id null", "the client invents a conversation_id"),
        hint="leave the key out; null is not the same",
    ),
)
