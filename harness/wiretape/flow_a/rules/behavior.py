"""Rules about what a client does, and when."""

from __future__ import annotations

from typing import Final

from wiretape.contract import Answer, Fault, Rule, Skip, Unseen
from wiretape.flow_a.rules.source import NOTES, SEED, rule
from wiretape.flow_a.view import ConversationRequest, PlayedCall, Stream


def _waits(call: PlayedCall) -> Answer:
    if not call.returns:
        return Unseen("no return was seen")
    first = call.returns[0]
    if call.cut is not None and first.order > call.cut and (call.closed is None or first.order < call.closed):
        return Skip(call.stream.fault)
    if call.closed is None or first.order < call.closed:
        want = "a return after the call's message was finished"
        return Fault("", want, "a return while its status was in_progress", at=first.at)
    if call.stream.instant or call.closed == call.opened:
        return Unseen("the call was played in one piece, so nobody can have been early")
    return None


def _reads_to_end(stream: Stream) -> Answer:
    if stream.stopped:
        return Skip("the client stopped the turn")
    if stream.broken or (stream.left and stream.may_end):
        return Skip(stream.fault)
    if stream.left and not stream.done:
        got = f"the client left after {stream.written} bytes"
        return Fault("", "the stream read to its [DONE]", got)
    if stream.ended in ("reset", "hang"):
        return Skip("the recorded stream has no end")
    if stream.instant:
        return Unseen("the stream was written in one piece")
    return None if stream.done else Unseen("the stream was not written to its end")


def _only_local(call: PlayedCall) -> Answer:
    if not call.returns:
        return None
    want = f"no return: the server runs {call.seen.recipient} itself"
    return Fault("", want, "a return", at=call.returns[0].at)


def _unsolicited(request: ConversationRequest) -> Answer:
    if request.match is None or request.match.kind != "nothing":
        return None
    if request.excuse:
        return Skip(request.excuse)
    return Fault("messages", "a user's message: no call is there to return to", "a return")


BEHAVIOR_RULES: Final[tuple[Rule, ...]] = (
    rule(
        "behavior.waits-for-complete-call",
        "The client waits until the call is complete",
        _waits,
        scope="calls",
        document=NOTES,
        section="Call",
        quote="A client acts on a call when its status is no longer in_progress.",
        evidence="code",
        good="the return is sent after the patch that closes the call, or after the stream's end",
        bad=("the return is sent when the call's opening frame arrives",),
        hint="arguments may still grow until the status changes",
    ),
    rule(
        "behavior.only-local-recipients",
        "The client answers only calls that are addressed to it",
        _only_local,
        scope="server_calls",
        document=SEED,
        section="§6",
        quote="'web.run' (server-executed web tool)",
        evidence="doc",
        good="a message to web.run is left alone",
        bad=("a return to a message to web.run",),
        hint="only local.<tool>, and functions.<tool> of a declared tool, are the client's",
    ),
    rule(
        "behavior.no-unsolicited-return",
        "The client returns nothing that was not asked for",
        _unsolicited,
        scope="requests",
        document=NOTES,
        section="Return",
        quote="A return answers a call; without one there is nothing to send.",
        evidence="inferred",
        good="a plain answer is followed by the user's next message",
        bad=("a role: tool message in a conversation without a call",),
    ),
    rule(
        "behavior.reads-to-end",
        "The client reads a stream to its end",
        _reads_to_end,
        scope="streams",
        document=NOTES,
        section="End of turn",
        quote="The turn is over at [DONE]; a title or metadata may come after the call or the answer.",
        evidence="code",
        good="the client reads on to [DONE], then sends the return",
        bad=("the client closes the connection when the call is complete",),
    ),
)
