"""Rules for recorded conversations: answers decode and end, ids lead to what they name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from wiretape import strictjson
from wiretape.cassette.model import Interaction, RecordedResponse
from wiretape.contract import Fault
from wiretape.endpoints import is_conversation
from wiretape.flow_a.facts import read_stream
from wiretape.flow_a.messages import WEB_ROOT_PARENT, member, sent_ids
from wiretape.flow_a.stream import decode
from wiretape.lint.rule import LintRule, Tape
from wiretape.strictjson import ABSENT, StrictJSONError
from wiretape.transcript import header


def _decodes(tape: Tape) -> Iterator[Fault]:
    for place, interaction in _interactions(tape):
        response = interaction.response
        if _is_stream(interaction):
            for error in read_stream(response.body).errors:
                hint = "repair the body, or look at it: wiretape show, wiretape decode"
                yield Fault(f"{place}.response.body", "a stream that decodes", error, hint)
        elif _content_type(response).startswith("application/json"):
            yield from _json_faults(response.body, f"{place}.response.body")


def _json_faults(body: bytes, place: str) -> Iterator[Fault]:
    try:
        strictjson.loads(body)
    except StrictJSONError as error:
        yield Fault(
            place, "JSON, as its content type says", str(error), "repair the body, or its content type"
        )


def _ends(tape: Tape) -> Iterator[Fault]:
    for place, interaction in _interactions(tape):
        response = interaction.response
        if not _is_stream(interaction):
            continue
        if response.end != "complete":
            yield Fault(
                f"{place}.response.end",
                "an answer that came to its end",
                response.end,
                _BROKE,
                level="should",
            )
        elif decode(response.body)["unterminated_tail"]:
            yield Fault(
                f"{place}.response.body",
                "a blank line behind the last event",
                "an event that is not ended",
                _CUT,
            )
        elif read_stream(response.body).done_at is None:
            yield Fault(f"{place}.response.body", "[DONE] at the end", "a stream without it", _CUT)


_CUT: Final = "record it to its end, or say how it ended: end: reset"
_BROKE: Final = "fine for a recording of a failure; else record again"


def _ids(tape: Tape) -> Iterator[Fault]:
    """What requests name was there before; what a stream says is about one conversation."""
    conversations: set[str] = set()
    messages = {WEB_ROOT_PARENT}
    for number, (place, interaction) in enumerate(_interactions(tape)):
        body = strictjson.loads_or(interaction.request.body, ABSENT)
        at = f"{place}.request.body"
        if number and conversations:
            yield from _unknown(body, "conversation_id", conversations, at)
            yield from _unknown(body, "parent_message_id", messages, at)
        messages |= sent_ids(body)
        if not _is_stream(interaction):
            continue
        named = _named(decode(interaction.response.body))
        if len(named) > 1:
            hint = "one answer belongs to one conversation; an edit may have missed a place"
            yield Fault(
                f"{place}.response.body, conversation_id",
                "one conversation in one answer",
                sorted(named),
                hint,
            )
        conversations |= named
        messages |= {*read_stream(interaction.response.body).message_ids}


def _unknown(body: Any, key: str, known: set[str], at: str) -> Iterator[Fault]:
    value = member(body, key)
    if isinstance(value, str) and value not in known:
        hint = "ids have to lead to what was recorded before; an edit may have missed a place"
        yield Fault(
            f"{at}, {key}", f"one that the recording named before: {', '.join(sorted(known))}", value, hint
        )


def _named(decoded: dict[str, Any]) -> set[str]:
    """The conversations that an answer names."""
    holders = (*decoded["events"], *decoded["values"].values())
    return {
        each for each in (member(holder, "conversation_id") for holder in holders) if isinstance(each, str)
    }


def _interactions(tape: Tape) -> Iterator[tuple[str, Interaction]]:
    """Each interaction with its key path."""
    for index, interaction in enumerate(tape.cassette.interactions):
        yield f"interactions[{index}]", interaction


def _is_stream(interaction: Interaction) -> bool:
    """Whether it plays as a stream: also where the recording does not say what it is."""
    kind = _content_type(interaction.response)
    return kind.startswith("text/event-stream") or (not kind and is_conversation(interaction.request.path))


def _content_type(response: RecordedResponse) -> str:
    return (header(response.headers.items(), "content-type") or "").lower()


RULES: Final = (
    LintRule(
        id="lint.decodes",
        level="must",
        title="Every recorded answer decodes.",
        check=_decodes,
        protocol="flow_a",
    ),
    LintRule(
        id="lint.ends-properly",
        level="must",
        title="A stream that is complete ends with [DONE].",
        check=_ends,
        protocol="flow_a",
        after=("lint.decodes",),
    ),
    LintRule(
        id="lint.ids-correlate",
        level="must",
        title="An id that a request names is one that the recording had before.",
        check=_ids,
        protocol="flow_a",
        after=("lint.decodes",),
    ),
)
