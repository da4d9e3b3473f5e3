"""The kinds of faults of Flow A, as one table: what happens, and what the right client does then."""

from __future__ import annotations

from typing import Final

from wiretape.contract import Evidence
from wiretape.faults.model import Kind, Unit

_STREAM: Final[tuple[Unit, ...]] = ("event", "type")
_PLACE: Final[tuple[Unit, ...]] = ("event", "type", "byte")
_REQUEST: Final[tuple[Unit, ...]] = ("request",)

_TROUBLE: Final = "docs/flow-a.md, When something goes wrong"
_TURN_END: Final = "docs/flow-a.md, End of turn"
_DELTAS: Final = "docs/flow-a.md, Delta encoding"
_PREPARE: Final = "docs/flow-a.md, Prepare"

_RESUMES: Final = (
    "takes the answer for unfinished: no return to a call that was not complete; resumes with the number of "
    "events that it got, or gives up"
)
_CANNOT_KNOW: Final = "cannot know; makes nothing up"
_FAILS: Final = "says that the stream does not decode; no return made of what it could not read"
_ASKS_AGAIN: Final = "may try again after a while, as a new request with a fresh challenge; or gives up"
_GIVES_UP: Final = "gives up and says so; the same request would draw the same answer"

_CUT_RULES: Final = (
    "flow_a.fault.no-return-to-cut-call",
    "flow_a.fault.accepted-return-not-repeated",
    "flow_a.fault.resume-offset",
)
_AGAIN_RULES: Final = ("flow_a.fault.retry-fresh-challenge",)
_ONCE: Final = ("flow_a.return.exactly-once",)


def _kind(
    name: str,
    title: str,
    right_client: str,
    units: tuple[Unit, ...] = _STREAM,
    evidence: Evidence = "inferred",
    source: str = "",
    rules: tuple[str, ...] = (),
    *,
    may_end: bool = True,
    fails_turn: bool = False,
    hides: bool = False,
) -> Kind:
    return Kind(
        name=name,
        protocol="flow_a",
        title=title,
        units=units,
        right_client=right_client,
        evidence=evidence,
        source=source,
        may_end=may_end,
        fails_turn=fails_turn,
        hides=hides,
        rules=rules,
    )


FLOW_A_KINDS: Final = (
    # --- time
    _kind(
        "stall",
        "nothing more comes from this place on, and the connection stays open",
        f"waits a minute or so, then {_RESUMES}",
        _PLACE,
        "code",
        _TROUBLE,
        _CUT_RULES,
    ),
    _kind(
        "delay",
        "a second of silence before it",
        "waits: silence is normal",
        _PLACE,
        "code",
        _TROUBLE,
        _ONCE,
        may_end=False,
    ),
    _kind(
        "jitter",
        "a pause of up to a tenth of a second before it, another one each time",
        "does what it always does",
        _PLACE,
        "inferred",
        "",
        _ONCE,
        may_end=False,
    ),
    # --- the stream ends early
    _kind("cut", "the connection is closed before it", _RESUMES, _PLACE, "code", _TURN_END, _CUT_RULES),
    _kind(
        "cut-inside",
        "the connection is closed in the middle of the event",
        f"drops the unfinished event, and {_RESUMES}",
        _STREAM,
        "code",
        _TURN_END,
        _CUT_RULES,
    ),
    _kind(
        "cut-character",
        "the connection is closed inside the event's first character of several bytes, or inside its first "
        "\\u escape",
        f"drops the unfinished event, and {_RESUMES}",
        _STREAM,
        "code",
        _TURN_END,
        _CUT_RULES,
    ),
    _kind("reset", "the connection is reset before it", _RESUMES, _PLACE, "code", _TURN_END, _CUT_RULES),
    _kind(
        "early-end",
        "the body ends before it in good order, without [DONE]",
        f"does not take the end of the body for the end of the turn: {_RESUMES}",
        _PLACE,
        "code",
        _TURN_END,
        _CUT_RULES,
    ),
    _kind(
        "bad-chunk",
        "in place of the next chunk's size stands what is no number, and the connection is closed",
        f"as after a cut: {_RESUMES}",
        _PLACE,
        "inferred",
        "",
        _CUT_RULES,
    ),
    # --- other events than were recorded
    _kind(
        "duplicate",
        "the event comes twice",
        "applies both: nothing marks the second one; answers a call once all the same",
        _STREAM,
        "code",
        _DELTAS,
        _ONCE,
    ),
    _kind("drop", "the event does not come", _CANNOT_KNOW, hides=True),
    _kind("reorder", "the event comes after the next one", _CANNOT_KNOW, hides=True),
    _kind("unknown-op", "the delta has an op that nobody defined", _FAILS, _STREAM, "code", _TROUBLE),
    _kind(
        "unknown-field",
        "the event's object has one more member",
        "ignores the member",
        _STREAM,
        "code",
        _TROUBLE,
        _ONCE,
        may_end=False,
    ),
    _kind(
        "unknown-event",
        "an event of a type that nobody defined comes before it",
        "ignores the event, and counts it in a resume's offset",
        _STREAM,
        "code",
        _TROUBLE,
        _ONCE,
        may_end=False,
    ),
    _kind("invalid-json", "the event's JSON ends too early", _FAILS, _STREAM),
    _kind(
        "invalid-utf8",
        "the event's last byte is none of UTF-8",
        f"reads U+FFFD there, which is no JSON: {_FAILS}",
        _STREAM,
        "doc",
        "WHATWG HTML, 9.2.6",
    ),
    _kind(
        "error-event",
        "an event with an error comes before it, under status 200",
        "takes the turn for failed, even if [DONE] follows",
        _STREAM,
        "code",
        _TROUBLE,
        ("flow_a.fault.failed-turn-unanswered",),
        fails_turn=True,
    ),
    _kind(
        "content-type",
        "the stream is announced as text/html",
        "says that this is no event stream",
        _REQUEST,
        fails_turn=True,
    ),
    # --- refusals
    _kind(
        "401", "the request is refused: not logged in", _ASKS_AGAIN, _REQUEST, "inferred", "", _AGAIN_RULES
    ),
    _kind(
        "403",
        "the request is refused: unusual activity (JSON)",
        _ASKS_AGAIN,
        _REQUEST,
        "inferred",
        "",
        _AGAIN_RULES,
    ),
    _kind(
        "403-html",
        "the request is refused with a challenge page of HTML and the header cf-mitigated",
        f"does not read the page as JSON; {_ASKS_AGAIN}",
        _REQUEST,
        "inferred",
        "",
        _AGAIN_RULES,
    ),
    _kind("404", "the request is refused: conversation_not_found", _GIVES_UP, _REQUEST),
    _kind("409", "the request is refused: a conflict", _ASKS_AGAIN, _REQUEST, "inferred", "", _AGAIN_RULES),
    _kind("413", "the request is refused: too long", _GIVES_UP, _REQUEST),
    _kind("422", "the request is refused: not valid", _GIVES_UP, _REQUEST),
    _kind(
        "429",
        "the request is refused: too many, with Retry-After: 1",
        "waits as long as Retry-After says; then a new request with a fresh challenge; or gives up",
        _REQUEST,
        "doc",
        "RFC 9110, 10.2.3",
        (*_AGAIN_RULES, "flow_a.fault.retry-after-kept"),
    ),
    _kind("500", "the server fails", _ASKS_AGAIN, _REQUEST, "inferred", "", _AGAIN_RULES),
    _kind("502", "a gateway fails, with a page of HTML", _ASKS_AGAIN, _REQUEST, "inferred", "", _AGAIN_RULES),
    _kind(
        "challenge-used",
        "the conversation request is refused: its challenge was used before",
        "fetches a fresh challenge and sends the request once more",
        _REQUEST,
        "inferred",
        "",
        _AGAIN_RULES,
    ),
    _kind(
        "prepare-refused",
        "the prepare request is refused",
        "goes on: client_prepare_state is failure, and there is no conduit token to carry",
        _REQUEST,
        "code",
        _PREPARE,
        ("flow_a.request.prepare-state-truthful", "flow_a.return.fresh-prepare"),
        may_end=False,
    ),
    _kind(
        "conduit-changed",
        "the conversation or resume request is refused: its conduit token is another one by now",
        "prepares anew and sends the request with the new token and a fresh challenge",
        _REQUEST,
        "inferred",
        "",
        (*_AGAIN_RULES, "flow_a.request.conduit-token-carried"),
    ),
    # --- the turn goes on elsewhere
    _kind(
        "handoff",
        "the answer is only handed off: announcement, token, stream_handoff, [DONE]; a resume gives the rest",
        "resumes with the number of events that it got",
        _REQUEST,
        "code",
        _TROUBLE,
        _CUT_RULES,
    ),
    _kind(
        "resume",
        "before the event the stream is handed off and says [DONE]; a resume gives the rest",
        "resumes with the number of events that it got, and goes on decoding in the same state",
        _STREAM,
        "code",
        _TROUBLE,
        _CUT_RULES,
    ),
    _kind(
        "conversation-deleted",
        "the conversation was deleted: this request to it and all later ones are refused",
        "sends nothing more to it",
        _REQUEST,
        "inferred",
        "",
        ("flow_a.fault.deleted-left-alone",),
    ),
)
