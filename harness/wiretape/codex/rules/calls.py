"""Rules about the server's requests: that each gets one answer, in time, with its own id."""

from __future__ import annotations

from collections import Counter
from typing import Final

from wiretape.codex.messages import METHOD_NOT_FOUND, REFRESH, TOOL_CALL, fields
from wiretape.codex.rules.source import SEED, rule
from wiretape.codex.session import TurnState
from wiretape.codex.view import Ask, Connection, PlayedTurn, Reply
from wiretape.contract import Answer, Fault, Rule, Skip, Unseen

_OWED: Final = {TOOL_CALL: Skip("codex.call.answered"), REFRESH: Skip("codex.auth-refresh.answered")}
"""What the server waits for, and the rule that a client breaks that leaves without it."""
_SERVER_LEFT: Final = Skip("the server went away")
_INTERRUPTED: Final = Skip("the client interrupted the turn")


def unanswered(ask: Ask) -> Answer:
    """Whether a request of the server's got an answer that can be read."""
    if ask.replies:
        return None
    if ask.interrupted:
        return _INTERRUPTED
    if ask.spoilt:
        return Skip(ask.spoilt)
    if ask.connection.excuse:
        return excused(ask.connection)
    if ask.connection.closed_by == "server":
        return _SERVER_LEFT
    return Fault("", f"an answer to {ask}", f"none: {_until(ask)}")


def excused(connection: Connection) -> Skip:
    """What a fault makes impossible to keep."""
    return Skip(f"the fault {connection.excuse} struck")


def _until(ask: Ask) -> str:
    """What ended the wait for an answer that never came."""
    if ask.closed is not None:
        return "the server gave up waiting"
    if ask.connection.closed_by is None:
        return "it is still open"
    how = ask.connection.closed_how
    return "the client closed the connection" + (f" ({how})" if how else "")


def _nothing_to_judge(ask: Ask) -> Skip:
    """Why there is no answer to judge: the rule that is broken by that, or that explains it."""
    missing = unanswered(ask)
    return missing if isinstance(missing, Skip) else _OWED[ask.method]


def _answered_once(ask: Ask) -> Answer:
    if not ask.replies:
        return _nothing_to_judge(ask)
    answers: Counter[str] = Counter()
    for reply in ask.replies:
        name = reply.connection.name
        answers[name] += 1
        if answers[name] > max(ask.asked[name], 1):
            return Fault("", f"one answer to {ask}", f"{len(ask.replies)} answers", at=reply.at)
    return None


def _answered_in_time(ask: Ask) -> Answer:
    if not ask.replies:
        return _nothing_to_judge(ask)
    first = ask.replies[0]
    if ask.closed is None or first.order < ask.closed:
        return None
    if ask.interrupted:
        want, got = f"no answer to {ask} after the interrupt", "one after the call was over"
        return Fault("", want, got, at=first.at, level="should")
    return Fault("", f"an answer to {ask} before the server gave up", "one after that", at=first.at)


def _id_exact(reply: Reply) -> Answer:
    if reply.ask is not None:
        return None
    if reply.meant is None:
        return Skip("codex.call.known-id")
    return Fault("id", reply.meant.id, reply.value.get("id"))


def _known_id(reply: Reply) -> Answer:
    if reply.ask is not None:
        return None
    if reply.meant is not None:
        return Skip("codex.call.id-exact")
    return Fault("id", "the id of a request of the server's", reply.value.get("id"))


def _handled(reply: Reply) -> Answer:
    code = fields(reply.error).get("code")
    if reply.ask is None or type(code) is not int or code != METHOD_NOT_FOUND:
        return None
    return Fault("error.code", f"a handler for {reply.ask.method}", code)


def _keeps_reading(played: PlayedTurn) -> Answer:
    if played.turn.state is TurnState.ENDED:
        return None
    if played.turn.interrupted:
        return _INTERRUPTED
    excuse = next((each for each in played.followers.values() if each.excuse), None)
    if excuse is not None:
        return excused(excuse)
    closed_by = {connection.closed_by for connection in played.followers.values()}
    if None in closed_by or not closed_by:
        return Unseen("the turn had not ended yet")
    if "server" in closed_by:
        return _SERVER_LEFT
    asks = (ask for connection in played.followers.values() for ask in connection.asks)
    open_asks = (ask for ask in asks if ask.method in _OWED and ask.closed is None and not ask.replies)
    left = Fault("", "the turn's messages read to turn/completed", "the client closed the connection before")
    return next((_nothing_to_judge(ask) for ask in open_asks), left)


CALL_RULES: Final[tuple[Rule, ...]] = (
    rule(
        "call.answered",
        "Every tool call gets an answer",
        unanswered,
        scope="calls",
        document=SEED,
        section="Flow (high level)",
        quote="waits for the client’s response, then submits a `DynamicToolResponse` back to core",
        good='{"id": 0, "result": {"contentItems": [{"type": "inputText", "text": "hi"}], "success": true}}',
        bad=("no message with the call's id",),
        hint="0 is an id like any other: the first request of a process has it",
    ),
    rule(
        "call.answered-once",
        "A tool call gets one answer",
        _answered_once,
        scope="calls",
        section="The answer",
        quote="The first answer counts; every further one is ignored.",
        good="one message with the call's id",
        bad=("the same answer twice", "success false, and later a result"),
    ),
    rule(
        "call.answered-in-time",
        "A tool call is answered before its turn is over",
        _answered_in_time,
        scope="calls",
        section="The answer",
        quote="An answer that comes after the call's item was completed, or its turn, is ignored.",
        good="the answer, then item/completed, then turn/completed",
        bad=("turn/completed, then the answer", "an answer after the client's own interrupt: a warning"),
        hint="after an interrupt, drop what the tool gives",
    ),
    rule(
        "call.id-exact",
        "An answer has the request's id, of the same type",
        _id_exact,
        scope="replies",
        section="Ids",
        quote="An id comes back as it was sent: 0 is answered with 0, not with a text, a fraction or null.",
        good='{"id": 0}',
        bad=('{"id": "0"}', '{"id": 0.0}', '{"id": null}', '{"id": false}'),
        hint="keep the id as it was parsed, and write it back with the JSON library",
    ),
    rule(
        "call.known-id",
        "The client answers what the server asked",
        _known_id,
        scope="replies",
        section="Ids",
        quote="The server's requests are counted from 0 in each process; an answer to another id is ignored.",
        good="an answer with the id of an item/tool/call that was sent",
        bad=('{"id": 999}', "an answer with the callId as its id"),
        hint="the id of the request, not its callId",
    ),
    rule(
        "call.handled",
        "The client has a handler for what it is asked",
        _handled,
        scope="replies",
        level="should",
        section="The answer",
        quote="A stub that answers every request with -32601 does not fail the turn: only the model sees it.",
        evidence="inferred",
        good="an answer by the tool",
        bad=('{"error": {"code": -32601, "message": "No handler for item/tool/call"}}',),
        hint="register a handler for every request that the server may send",
    ),
)

BEHAVIOR_RULES: Final[tuple[Rule, ...]] = (
    rule(
        "behavior.keeps-reading",
        "The client reads on until the turn is over",
        _keeps_reading,
        scope="turns",
        section="The turn",
        quote="A turn is over with turn/completed; a client stays connected until then, or interrupts it.",
        evidence="inferred",
        good="the connection is closed after turn/completed",
        bad=("the connection is closed when the answer was sent",),
    ),
)
