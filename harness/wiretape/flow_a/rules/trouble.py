"""Rules about what a client does when something goes wrong. Without a fault they are not observed."""

from __future__ import annotations

from typing import Final

from wiretape.contract import Answer, Fault, Rule, Skip, Unseen
from wiretape.flow_a.rules.source import NOTES, rule
from wiretape.flow_a.view import Deletion, PlayedCall, Resume, Retry
from wiretape.strictjson import equal

_SECTION: Final = "When something goes wrong"
_HTTP: Final = "RFC 9110"


def _cut_call(call: PlayedCall) -> Answer:
    if call.cut is None:
        return Unseen("no fault ended a stream before a call in it was complete")
    for answer in call.returns:
        if answer.order > call.cut and (call.closed is None or answer.order < call.closed):
            want = f"no return to the call {call.seen.id}: its stream ended before it was complete"
            return Fault("", want, "a return", at=answer.at)
    return None


def _repeated(call: PlayedCall) -> Answer:
    accepted = next((each for each in call.returns if not each.refused), None)
    stream = accepted.request.stream if accepted and accepted.request else None
    if accepted is None or stream is None or stream.cut is None:
        return Unseen("no fault ended the answer to a return that was accepted")
    again = next((each for each in call.returns if each.order > stream.cut), None)
    if again is None:
        return None
    return Fault("", "no second return: the first one was accepted", "another return", at=again.at)


def _failed_turn(call: PlayedCall) -> Answer:
    failed_at = call.stream.facts.failed_at
    if failed_at is None or call.stream.written < failed_at:
        return Unseen("no turn with a call failed")
    if not call.returns:
        return None
    want = f"no return to the call {call.seen.id}: its turn failed"
    return Fault("", want, "a return", at=call.returns[0].at)


def _fresh_challenge(retry: Retry) -> Answer:
    state = retry.request.challenge
    if state == "reused":
        return Fault("app_attest_challenge", "a fresh challenge", "one that an earlier request carried")
    return None if state == "fresh" else Skip("flow_a.request.challenge-issued")


def _retry_after(retry: Retry) -> Answer:
    if retry.wait is None:
        return Unseen("no refusal said how long to wait")
    if retry.waited >= retry.wait:
        return None
    want = f"a retry after {retry.wait:g} s, as Retry-After says"
    return Fault("", want, f"one after {retry.waited:.3f} s")


def _offset(resume: Resume) -> Answer:
    got, want = resume.offset, resume.delivered
    if equal(got, want) or equal(got, 0):
        return None
    if resume.lossy and isinstance(got, int) and not isinstance(got, bool) and 0 < got < want:
        return None  # what was written last may have been lost with the connection
    return Fault("offset", want, got)


def _left_alone(deletion: Deletion) -> Answer:
    if not deletion.later:
        return None
    want = f"nothing more to the conversation {deletion.conversation_id}, which is deleted"
    return Fault("", want, f"{len(deletion.later)} more requests", at=deletion.later[0])


FAULT_RULES: Final[tuple[Rule, ...]] = (
    rule(
        "fault.no-return-to-cut-call",
        "No return goes to a call whose stream ended before it was complete",
        _cut_call,
        scope="calls",
        document=NOTES,
        section="Call",
        quote="A client acts on a call when its status is no longer in_progress.",
        evidence="code",
        good="the client resumes the stream, and returns when the call is complete",
        bad=("the connection breaks after the call's opening frame, and the client returns a result",),
        hint="the end of the body is not the end of the turn: look for [DONE], and at the call's status",
    ),
    rule(
        "fault.accepted-return-not-repeated",
        "A return that was accepted is not sent again when its answer breaks off",
        _repeated,
        scope="calls",
        document=NOTES,
        section="Return",
        quote="A call without a return leaves the turn hanging; an answered call is not answered again.",
        evidence="code",
        good="the client resumes the stream that answers its return",
        bad=("the answer to the return breaks off, and the client sends the return once more",),
        hint="resume the stream, or read the conversation",
    ),
    rule(
        "fault.failed-turn-unanswered",
        "A call in a turn that failed gets no return",
        _failed_turn,
        level="should",
        scope="calls",
        document=NOTES,
        section=_SECTION,
        quote="An error in an event means that the turn has failed, whatever follows and under whatever "
        "status.",
        evidence="code",
        good='{"error": "Something went wrong", …} comes, and the client tells its user',
        bad=("an event with an error comes before the call is complete, and the client returns a result",),
    ),
    rule(
        "fault.retry-fresh-challenge",
        "A request that was refused is sent again with a fresh challenge",
        _fresh_challenge,
        level="should",
        scope="retries",
        document=NOTES,
        section=_SECTION,
        quote="A request that was refused has spent its challenge: whoever sends it again fetches another "
        "one.",
        evidence="inferred",
        good="429, a new challenge, a new prepare, the request again",
        bad=("the request is sent again as it was",),
    ),
    rule(
        "fault.retry-after-kept",
        "A retry waits as long as Retry-After says",
        _retry_after,
        level="should",
        scope="retries",
        document=_HTTP,
        section="§10.2.3",
        quote='Servers send the "Retry-After" header field to indicate how long the user agent ought to '
        "wait before making a follow-up request.",
        evidence="doc",
        good="429 with Retry-After: 1, and a second later the request again",
        bad=("429 with Retry-After: 1, and at once the request again",),
    ),
    rule(
        "fault.resume-offset",
        "A resume names the number of events that came",
        _offset,
        level="should",
        scope="resumes",
        document=NOTES,
        section=_SECTION,
        quote="The offset of a resume is the number of events that came whole: pings, events without data "
        "and [DONE] don't count.",
        evidence="code",
        good='three events came, then the connection broke: {"conversation_id": …, "offset": 3}',
        bad=('{"offset": 2}, which brings the third event again', '{"offset": 4}, which loses one'),
        hint="0 is right too, with a decoder that starts anew",
    ),
    rule(
        "fault.deleted-left-alone",
        "Nothing more is sent to a conversation that is deleted",
        _left_alone,
        level="should",
        scope="deletions",
        document=NOTES,
        section=_SECTION,
        quote="A conversation that was deleted stays so: nothing more is sent to it.",
        evidence="inferred",
        good="404 conversation_deleted, and the client says so to its user",
        bad=("404 conversation_deleted, and the client sends its return once more",),
    ),
)
