"""Rules about what goes before a conversation request: the challenge and the prepare."""

from __future__ import annotations

from typing import Final

from wiretape.contract import Answer, Fault, Rule, Skip, Unseen
from wiretape.flow_a.messages import member
from wiretape.flow_a.rules.source import NOTES, rule
from wiretape.flow_a.view import ConversationRequest, Prepare
from wiretape.strictjson import ABSENT, equal

_NO_TOKEN: Final = Unseen("no prepare gave a conduit token")
_NO_PREPARE: Final = Skip("flow_a.return.fresh-prepare")
_UNKNOWN: Final = Skip("the log does not show any prepare of this request")


def _prepare_state(request: ConversationRequest) -> Answer:
    got = request.json.value.get("client_prepare_state", ABSENT)
    if got not in ("success", "failure"):
        return Fault("client_prepare_state", "success or failure", got)
    if not request.live and not request.prepares:
        return _UNKNOWN
    if request.match is not None and not request.prepares:
        return _NO_PREPARE
    # Of several prepares an earlier one may have gone well: then a client may go by that one or by the last.
    answered = any(prepare.answered is not None for prepare in request.prepares)
    if got == ("success" if answered else "failure") or (got == "failure" and request.unprepared):
        return None
    return Fault("client_prepare_state", "success" if answered else "failure", got)


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
    if request.retries:
        return Skip("flow_a.fault.retry-fresh-challenge")
    if request.challenge == "reused":
        return Fault(
            "app_attest_challenge",
            "a challenge of its own",
            "one that an earlier conversation request carried",
        )
    return None if request.challenge == "fresh" else Skip("flow_a.request.challenge-issued")


def _conduit_token(request: ConversationRequest) -> Answer:
    granted = request.granted
    if not granted or (request.conduit_token is None and request.unprepared):
        return _NO_TOKEN
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
    got = member(prepare.json.value, "conversation_id")
    if match is not None and match.conversation is not None:
        want = match.conversation.id
    elif request.first_turn and not equal(got, want):
        want = ABSENT  # whether the request may name one is another rule's: request.first-turn-omits-ids
    if equal(got, want):
        return None
    # null names no other conversation: as bad as it is in the request itself (request.first-turn-omits-ids)
    return Fault("conversation_id", want, got, level="should" if got is None and want is ABSENT else None)


PREPARATION_RULES: Final[tuple[Rule, ...]] = (
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
