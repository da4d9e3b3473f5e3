"""Rules about conversation requests, their challenge, and the prepare before them."""

from __future__ import annotations

from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from wiretape.contract import Answer, Fault, Note, Rule, Skip, Unseen
from wiretape.flow_a.messages import member
from wiretape.flow_a.rules.source import NOTES, STANDARDS, rule
from wiretape.flow_a.view import ConversationRequest, Json, Prepare
from wiretape.strictjson import ABSENT, equal

WEB_ROOT_PARENT: Final = "client-created-root"
"""What the web client sends as the parent of a first turn. [client code]"""


def _valid_json(body: Json) -> Answer:
    if body.readable:
        return None
    reason = str(body.error) if body.error else f"it is a JSON {type(body.got).__name__}"
    return Fault("", "a JSON object", body.got, hint=f"the body can't be read: {reason}")


def _no_duplicate_keys(body: Json) -> Answer:
    if body.error is None:
        return None
    if body.error.kind != "duplicate_key":
        return Skip("flow_a.request.valid-json")
    return Fault("", "every key once in its object", str(body.error))


def _action(request: ConversationRequest) -> Answer:
    return _is(request, "action", "next")


def _supported_encodings(request: ConversationRequest) -> Answer:
    return _is(request, "supported_encodings", ["v1"])


def _is(request: ConversationRequest, key: str, want: object) -> Answer:
    got = request.json.value.get(key, ABSENT)
    return None if equal(got, want) else Fault(key, want, got)


def _model(request: ConversationRequest) -> Answer:
    got = request.json.value.get("model", ABSENT)
    return None if isinstance(got, str) and got.strip() else Fault("model", "a model's name", got)


@lru_cache(maxsize=512)
def _is_timezone(name: str) -> bool:
    try:
        return ZoneInfo(name).key == name
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
        return Unseen("no first turn of a conversation was seen")
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


def _prepare_state(request: ConversationRequest) -> Answer:
    got = request.json.value.get("client_prepare_state", ABSENT)
    if got not in ("success", "failure"):
        return Fault("client_prepare_state", "success or failure", got)
    if not request.live and not request.prepares:
        return Skip("the log does not show any prepare of this request")
    if request.match is not None and not request.prepares:
        return Skip("flow_a.return.fresh-prepare")
    want = "success" if request.granted else "failure"
    return None if got == want else Fault("client_prepare_state", want, got)


def _challenge_issued(request: ConversationRequest) -> Answer:
    state = request.challenge
    if state == "absent":
        return Fault("app_attest_challenge", "a challenge that this server issued", ABSENT)
    if state == "not issued":
        return Fault(
            "app_attest_challenge", "a challenge that this server issued", "one that it never issued"
        )
    return Skip("the log does not show which challenges were issued") if state == "unknown" else None


def _challenge_unused(request: ConversationRequest) -> Answer:
    if request.match is not None:
        return Unseen("no user turn was seen")
    if request.challenge == "reused":
        return Fault(
            "app_attest_challenge",
            "a challenge of its own",
            "one that an earlier conversation request carried",
        )
    return None if request.challenge == "fresh" else Skip("flow_a.request.challenge-issued")


def _conduit_token(request: ConversationRequest) -> Answer:
    granted = request.granted
    if not granted:
        return Unseen("no prepare gave a conduit token")
    if request.conduit_token in granted:
        return None
    got = ABSENT if request.conduit_token is None else "another one"
    return Fault("header x-conduit-token", "the token that prepare gave", got)


def _prepare_sent(prepare: Prepare) -> Answer:
    got = prepare.json.value.get("client_prepare_state", ABSENT)
    return None if got == "sent" else Fault("client_prepare_state", "sent", got)


def _prepare_conversation(prepare: Prepare) -> Answer:
    request = prepare.serves
    if request is None:
        return Unseen("no conversation request followed the prepare")
    match = request.match
    want: object = request.body.get("conversation_id", ABSENT)
    if match is not None and match.conversation is not None:
        want = match.conversation.id
    elif request.first_turn:
        want = ABSENT
    got = member(prepare.json.value, "conversation_id")
    return None if equal(got, want) else Fault("conversation_id", want, got)


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
        _action,
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
        _supported_encodings,
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
    rule(
        "request.prepare-state-truthful",
        "client_prepare_state says how the prepare went",
        _prepare_state,
        scope="requests",
        section="§6",
        quote="client_prepare_state enum from the builder: 'sent' (prepare), and for the conversation "
        "l.prepareResponse == null ? 'failure' : 'success'.",
        evidence="code",
        good="success after a prepare that was answered",
        bad=("failure after a prepare that was answered", "success without any prepare", "sent"),
    ),
    rule(
        "request.challenge-issued",
        "The challenge is one that the server issued",
        _challenge_issued,
        scope="requests",
        section="§6",
        quote="app_attest_challenge: string // one-time",
        evidence="code",
        good="the value that GET …/ios/attestation_challenge gave",
        bad=("no app_attest_challenge", "a random string"),
        hint="ask GET /backend-api/ios/attestation_challenge and send what it gives",
    ),
    rule(
        "request.challenge-unused",
        "A challenge is used for one request",
        _challenge_unused,
        scope="requests",
        section="§6",
        quote="app_attest_challenge: string // one-time",
        evidence="code",
        good="a new challenge for every turn",
        bad=("the second turn carries the first turn's challenge",),
        hint="fetch a challenge for each conversation request",
    ),
    rule(
        "request.conduit-token-carried",
        "The conduit token of the prepare is carried on",
        _conduit_token,
        scope="requests",
        level="should",
        document=NOTES,
        section="Prepare",
        quote="The conversation request carries the token that its prepare gave, in x-conduit-token.",
        evidence="code",
        good="x-conduit-token: <the token of the prepare's answer>",
        bad=("no x-conduit-token after a prepare that gave one",),
    ),
)

PREPARE_RULES: Final[tuple[Rule, ...]] = (
    rule(
        "prepare.state-sent",
        "A prepare says sent",
        _prepare_sent,
        scope="prepares",
        section="§6",
        quote="client_prepare_state — prepare: 'sent'; conversation: 'success' | 'failure'.",
        evidence="code",
        good='{"client_prepare_state": "sent"}',
        bad=('{"client_prepare_state": "success"}', "the key is missing"),
    ),
    rule(
        "prepare.same-conversation",
        "A prepare names the conversation of the request that follows",
        _prepare_conversation,
        scope="prepares",
        section="§3",
        quote="A NEW conversation request — fresh challenge (4.1) + prepare (4.2) — same transport, "
        "same conversation",
        evidence="doc",
        good="conversation_id of the call's conversation; none before a first turn",
        bad=("the prepare before a return has no conversation_id", "it has that of another conversation"),
    ),
)
