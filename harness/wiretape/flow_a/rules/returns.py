"""Rules about the request that carries a return: what it names, and what goes before it."""

from __future__ import annotations

from typing import Final

from wiretape.contract import Answer, Fault, Rule, Skip
from wiretape.flow_a.rules.source import NOTES, rule
from wiretape.flow_a.view import PlayedCall, Return
from wiretape.strictjson import ABSENT

_NO_PREPARES: Final = Skip("the log shows no prepares")


def _exactly_once(call: PlayedCall) -> Answer:
    what = f"one return to the call {call.seen.id} of {call.seen.recipient}"
    # One that was refused may be followed by a better one; alone it is what the client had to say.
    returns = [each for each in call.returns if not each.refused] or call.returns[:1]
    if len(returns) == 1:
        return None
    if returns:
        if _broken_off(returns[0]):
            return Skip("flow_a.fault.accepted-return-not-repeated")
        return Fault("", what, f"{len(returns)} returns", at=returns[1].at)
    if call.excused:
        return Skip(call.excused)
    if call.stream.stopped:
        return Skip("the client stopped the turn")
    if call.unreadable_after:
        return Skip("flow_a.request.valid-json")
    return Fault("", what, "none: the call is still open")


def _broken_off(answer: Return) -> bool:
    """Whether a fault ended the answer to a return."""
    stream = answer.request.stream if answer.request else None
    return stream is not None and stream.cut is not None


def _fresh_challenge(answer: Return) -> Answer:
    state = answer.request.challenge if answer.request else "unknown"
    if answer.request and answer.request.retries:
        return Skip("flow_a.fault.retry-fresh-challenge")
    if state == "reused":
        want, got = "a fresh challenge", "one that an earlier conversation request carried"
        return Fault("app_attest_challenge", want, got)
    return None if state == "fresh" else Skip("flow_a.request.challenge-issued")


def _fresh_prepare(answer: Return) -> Answer:
    request, played = answer.request, answer.played
    if request is None or played is None:
        return _NO_PREPARES
    if any(prepare.order > played.opened for prepare in request.prepares):
        return None
    if not request.live and not request.prepares:
        return _NO_PREPARES
    return Fault("", "a prepare request between the call and the return", "none")


def _single_message(answer: Return) -> Answer:
    messages = answer.body.get("messages", ABSENT)
    if isinstance(messages, list) and len(messages) == 1 and answer.message is not None:
        return None
    got = f"{len(messages)} messages" if isinstance(messages, list) else messages
    if isinstance(messages, list) and len(messages) == 1:
        return Fault("messages[0]", "a message object", messages[0])
    return Fault("messages", "a list with the return alone", got)


def _conversation_id(answer: Return) -> Answer:
    got = answer.body.get("conversation_id", ABSENT)
    want = answer.conversation_id
    return None if got == want else Fault("conversation_id", want, got)


def _parent(answer: Return) -> Answer:
    got = answer.body.get("parent_message_id", ABSENT)
    return None if got == answer.call.id else Fault("parent_message_id", answer.call.id, got)


SESSION_RULES: Final[tuple[Rule, ...]] = (
    rule(
        "return.exactly-once",
        "Every call gets exactly one return",
        _exactly_once,
        scope="calls",
        document=NOTES,
        section="Return",
        quote="A call without a return leaves the turn hanging; an answered call is not answered again.",
        evidence="code",
        good="one return after the call's stream",
        bad=("no return", "the same return sent twice"),
        hint="answer every message to local.<tool> or functions.<tool> whose tool was declared; once, also "
        "where a later stream shows it again",
    ),
    rule(
        "return.fresh-challenge",
        "The return has a fresh challenge",
        _fresh_challenge,
        scope="returns",
        section="§3",
        quote="A NEW conversation request — fresh challenge (4.1) + prepare (4.2) — same transport, "
        "same conversation",
        evidence="doc",
        good="a challenge fetched for the return",
        bad=("the challenge of the request that brought the call",),
    ),
    rule(
        "return.fresh-prepare",
        "The return has a prepare of its own",
        _fresh_prepare,
        scope="returns",
        section="§3",
        quote="A NEW conversation request — fresh challenge (4.1) + prepare (4.2) — same transport, "
        "same conversation",
        evidence="doc",
        good="POST …/f/conversation/prepare between the call and the return",
        bad=("the return is sent without a prepare",),
    ),
)
"""Those that need the whole session."""

ENVELOPE_RULES: Final[tuple[Rule, ...]] = (
    rule(
        "return.single-message",
        "The request holds the return alone",
        _single_message,
        scope="returns",
        section="§3",
        quote="messages: [ the tool record ]:",
        evidence="wire",
        good='{"messages": [<the return>]}',
        bad=('{"messages": []}', "the return and a user message in one request"),
        hint="the return's request has one message: the record of the tool",
    ),
    rule(
        "return.conversation-id",
        "The return is sent in the call's conversation",
        _conversation_id,
        scope="returns",
        section="§3",
        quote="conversation_id — the current one",
        evidence="wire",
        good="the conversation_id of the stream that brought the call",
        bad=("no conversation_id", "another conversation's"),
    ),
    rule(
        "return.parent-is-call-message",
        "The return's parent is the call's message",
        _parent,
        scope="returns",
        section="§3",
        quote="parent_message_id — the tool-call message.id (2.)",
        evidence="wire",
        good="parent_message_id is the id of the message to local.<tool>",
        bad=("the id of the user's message", "no parent_message_id"),
        hint="a return under another message is written on a dead branch",
    ),
)
"""Those that need the body alone."""
