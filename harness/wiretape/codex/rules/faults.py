"""Rules about what a client does after a fault; without one they are not observed."""

from __future__ import annotations

from typing import Final

from wiretape.codex.rules.source import rule
from wiretape.codex.view import After, Strike, TurnStart
from wiretape.contract import Answer, Fault, Rule, Unseen
from wiretape.jsonrpc import Call, Notice
from wiretape.strictjson import identical

_ONCE: Final = frozenset(("initialized", "thread/start", "thread/resume", "thread/fork", "turn/start"))
"""What a client does once, when it has an answer."""
_OVERTAKEN: Final = frozenset(("late-answer", "notification-first", "server-request-first"))
"""Kinds by which other messages come before an answer."""
_NOTICED: Final = 1.0
"""Seconds in which a client has noticed that a stream has ended."""
_PATIENCE: Final = 5.0
"""Seconds after which a client that still holds on waits for something else."""


def _other(kind: str) -> Unseen:
    return Unseen(f"no {kind} struck what this is about")


def _refused_initialize(strike: Strike) -> Answer:
    if strike.kind != "rpc-error" or strike.request is None or strike.request.method != "initialize":
        return _other("rpc-error")
    first = strike.sent[0] if strike.sent else None
    if first is None or (isinstance(first.message, Call) and first.message.method == "initialize"):
        return None
    got = getattr(first.message, "method", "an answer")
    return Fault("method", "initialize again, or nothing", got, at=first.at)


def _thread_known(start: TurnStart) -> Answer:
    if start.known:
        return None
    want = "a thread that the server gave on this connection: by an answer to thread/start, resume or fork"
    return Fault("params.threadId", want, start.thread)


def _not_asked_twice(strike: Strike) -> Answer:
    if strike.kind != "late-answer" or strike.request is None:
        return _other("late-answer")
    again = next((each for each in strike.sent[: strike.answered] if _same(each, strike.request)), None)
    if again is None:
        return None
    return Fault(
        "", f"nothing but patience: {strike.request.method} waits", "the same request again", at=again.at
    )


def _nothing_lost(strike: Strike) -> Answer:
    if strike.kind not in _OVERTAKEN:
        return _other("late-answer or the like")
    if strike.over is None or strike.answered is None:
        return Unseen("no turn was over after it")
    if strike.closed is None:
        return Unseen("the client may go on yet")
    waited = strike.closed - strike.told
    goes_on = strike.sent and strike.sent[-1].seconds > strike.told
    if goes_on or waited <= _PATIENCE:
        return None
    return Fault("", "the client knows that its turn is over", f"it did nothing more for {waited:.1f} s")


def _duplicate_ignored(strike: Strike) -> Answer:
    if strike.kind != "duplicate-answer":
        return _other("duplicate-answer")
    followed = [each for each in strike.sent[strike.answered : strike.over] if _method(each) in _ONCE]
    for index, each in enumerate(followed):
        if any(_same(each, before.message) for before in followed[:index]):
            return Fault("", "one of what follows an answer", f"{_method(each)} again", at=each.at)
    return None


def _eof_noticed(strike: Strike) -> Answer:
    if strike.kind != "eof":
        return _other("eof")
    late = next((each for each in strike.sent if each.seconds > _NOTICED), None)
    if late is not None:
        got = f"{_method(late) or 'a message'} {late.seconds:.1f} s after it"
        return Fault("", "nothing sent after the end of what the server says", got, at=late.at)
    if strike.closed is None:
        return Unseen("the client had not closed its side yet")
    if strike.closed > _PATIENCE:
        got = f"it was held open for {strike.closed:.1f} s"
        return Fault("", "the connection closed soon after the server's side", got, level="should")
    return None


def _malformed_skipped(strike: Strike) -> Answer:
    if strike.kind != "malformed-line":
        return _other("malformed-line")
    if not strike.gave_up:
        return None
    if any(each.ends for each in strike.connection.strikes):
        return Unseen("the client may have left because of another fault")
    if strike.closed is None:
        return Unseen("the client had said nothing more yet")
    return Fault("", "the line left out, and the next ones read", "the client left without another message")


def _method(after: After) -> str:
    return getattr(after.message, "method", "")


def _same(after: After, other: object) -> bool:
    """Whether two messages ask or tell the same, whatever their ids."""
    message = after.message
    if not isinstance(message, (Call, Notice)) or not isinstance(other, (Call, Notice)):
        return False
    return message.method == other.method and identical(message.params, other.params)


FAULT_RULES: Final[tuple[Rule, ...]] = (
    rule(
        "fault.refused-initialize",
        "A client that was refused does not go on as if it had been let in",
        _refused_initialize,
        scope="strikes",
        section="Faults",
        quote="After an error for initialize nothing but another initialize may follow on the connection.",
        evidence="wire",
        good="the error -32001, then initialize again, or the end",
        bad=("the error -32001, then initialized", "the error -32001, then thread/start"),
        hint="an answer with an error has no result: look which of the two came",
    ),
    rule(
        "fault.thread-known",
        "A turn is begun in a thread that the server gave",
        _thread_known,
        scope="turn_starts",
        section="Faults",
        quote="A turn/start names a thread that was started, resumed or forked on the same connection.",
        evidence="wire",
        good="the error -32001 for thread/start, thread/start again, and turn/start with what that gave",
        bad=(
            "the error -32001 for thread/start, then turn/start with a threadId of the client's own",
            "a notification before the answer is read as the answer, then turn/start without a threadId",
            "a reconnect, initialize, and turn/start without thread/resume before it",
        ),
        hint="find an answer by its id; after a reconnect ask for thread/resume first",
    ),
    rule(
        "fault.not-asked-twice",
        "A request whose answer is late is not sent again",
        _not_asked_twice,
        scope="strikes",
        level="should",
        section="Faults",
        quote="A second turn/start says the user's words twice: it joins the turn that runs.",
        evidence="wire",
        good="turn/start, a tool call and its answer, then the answer to turn/start",
        bad=("turn/start, a tool call, and the same turn/start again before its answer",),
        hint="wait: answers do not come in the order of the requests",
    ),
    rule(
        "fault.nothing-lost",
        "What comes before an answer is not lost",
        _nothing_lost,
        scope="strikes",
        level="should",
        section="Faults",
        quote="A client that waits for an answer takes what comes before it.",
        evidence="inferred",
        good="turn/completed, then the late answer to turn/start, and the client closes the connection",
        bad=("turn/completed, then the late answer to turn/start, and the client waits until it is ended",),
        hint="whatever is waited for, put answers where their id belongs, and all else into a queue",
    ),
    rule(
        "fault.duplicate-ignored",
        "An answer that comes twice has its consequences once",
        _duplicate_ignored,
        scope="strikes",
        section="Faults",
        quote="Nobody waits for a second answer to a request, so it changes nothing.",
        evidence="inferred",
        good="the answer to initialize twice, then one initialized",
        bad=(
            "the answer to initialize twice, then initialized twice",
            "the answer to thread/start twice, then the same turn/start twice",
        ),
        hint="forget a request when its answer has come",
    ),
    rule(
        "fault.eof-noticed",
        "A client takes the end of the server's messages for the end",
        _eof_noticed,
        scope="strikes",
        section="Faults",
        quote="When stdout has ended nobody answers any more: a second later the client sends nothing more.",
        evidence="inferred",
        good="stdout ends, and the client closes stdin",
        bad=(
            "stdout ends, and two seconds later the client sends turn/start",
            "it is held open for 30 seconds: a warning",
        ),
        hint="let every request that waits fail when the stream ends, and end the process",
    ),
    rule(
        "fault.malformed-skipped",
        "A line that is no JSON is left out",
        _malformed_skipped,
        scope="strikes",
        level="should",
        section="Faults",
        quote="A line that is no JSON is no message; the next one may be.",
        evidence="code",
        good="the line is logged, and the call behind it is answered",
        bad=("the client ends at the line, with a call open",),
        hint="wrappers and shells print on stdout too; some clients fail all requests at once instead",
    ),
)
