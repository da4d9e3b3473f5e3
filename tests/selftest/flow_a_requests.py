"""Clients of Flow A that are wrong before any call: in their requests, declarations and prepares."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from tests.conformance.broken import NEW_ID
from tests.selftest.flow_a_sessions import TWICE, Mutation, put, shown
from tests.selftest.surgery import Change, body_of, edited, numbers_of, replaced, request, rewritten
from wiretape.strictjson import ABSENT
from wiretape.transcript import Transcript

BOTH: Final = ("turn", "return")
PREPARES: Final = ("prepare turn", "prepare return")
_TOOLS: Final = "local_function_signatures"
_TOOL: Final = f"{_TOOLS}.1"
_PARAM: Final = f"{_TOOL}.params.0"
_NO_TEXT: Final = (ABSENT, None, 5, True, [], {})

MEMBERS: Final[tuple[tuple[str, tuple[str, ...], str, Sequence[object]], ...]] = (
    ("request.action-is-next", BOTH, "action", (*_NO_TEXT, "", "variant", "NEXT", ["next"])),
    (
        "request.supported-encodings-v1",
        BOTH,
        "supported_encodings",
        (*_NO_TEXT, "v1", ["v2"], ["v1", "v2"], ["V1"], [None]),
    ),
    ("request.model-present", BOTH, "model", (*_NO_TEXT, "", "  ", ["auto"])),
    (
        "request.timezone-iana",
        BOTH,
        "timezone",
        (*_NO_TEXT, "", "E. South America Standard Time", "america/sao_paulo", "UTC-3", "../etc", "-03:00"),
    ),
    (
        "request.timezone-offset-integer",
        BOTH,
        "timezone_offset_min",
        (ABSENT, None, True, "180", 180.5, [180], {}, "UTC-3"),
    ),
    (
        "request.prepare-state-truthful",
        BOTH,
        "client_prepare_state",
        (*_NO_TEXT, "failure", "sent", "none", "SUCCESS", ["success"]),
    ),
    ("request.challenge-issued", BOTH, "app_attest_challenge", (*_NO_TEXT, "", "guess", NEW_ID, ["x"])),
    ("request.first-turn-omits-ids", ("turn",), "conversation_id", (None, NEW_ID, "", 5, [], {})),
    ("request.first-turn-omits-ids", ("turn",), "parent_message_id", (None, NEW_ID, "", 5, [], {})),
    ("request.tool-declared", ("turn",), f"{_TOOL}.name", ("x", "local.alefita_way", "ALEFITA_WAY")),
    ("request.tool-declared", ("turn",), _TOOLS, (ABSENT, [])),
    ("request.handoff-declared", BOTH, f"{_TOOLS}.0.name", ("hand_off", "local.handoff", "Handoff")),
    ("signature.shape", BOTH, f"{_TOOL}.description", _NO_TEXT),
    ("signature.shape", BOTH, f"{_TOOL}.type", (*_NO_TEXT, "function", "KWARGS", ["kwargs"])),
    ("signature.shape", BOTH, f"{_TOOL}.params", (ABSENT, None, {}, "message", 5)),
    ("signature.param-shape", BOTH, _PARAM, (None, "message", [], 5)),
    ("signature.param-shape", BOTH, f"{_PARAM}.name", (*_NO_TEXT, "", "  ")),
    ("signature.param-shape", BOTH, f"{_PARAM}.required", (ABSENT, None, 1, "yes", "true", [])),
    ("signature.param-shape", BOTH, f"{_PARAM}.type", (ABSENT, None, "string", [], 5)),
    ("signature.param-shape", BOTH, f"{_PARAM}.type.type", (*_NO_TEXT, "integer", "String")),
    ("signature.param-shape", BOTH, f"{_PARAM}.type.description", _NO_TEXT),
    (
        "prepare.state-sent",
        PREPARES,
        "client_prepare_state",
        (*_NO_TEXT, "", "success", "failure", "none", "SENT", ["sent"]),
    ),
    (
        "prepare.same-conversation",
        PREPARES,
        "conversation_id",
        (None, NEW_ID, "", "null", "new", 5, [], {}, True),
    ),
    ("prepare.same-conversation", PREPARES[1:], "conversation_id", (ABSENT,)),
    ("return.tools-still-declared", ("return",), _TOOLS, (ABSENT, [])),
    ("return.tools-still-declared", ("return",), f"{_TOOL}.name", ("x", "local.alefita_way")),
)
"""The rule; the requests that break it; the member of their bodies; what is wrong there."""

UNREADABLE: Final[dict[str, Callable[[bytes], bytes]]] = {
    "empty": lambda _: b"",
    "a list": lambda data: b"[" + data + b"]",
    "a text": lambda data: json.dumps(data.decode()).encode(),
    "null": lambda _: b"null",
    "a number": lambda _: b"1",
    "without its last brace": lambda data: data[:-1],
    "cut in the middle": lambda data: data[: len(data) // 2],
    "with a comma too much": lambda data: data[:-1] + b",}",
    "with a trailing line": lambda data: data + b"\n{}",
    "as Python writes it": lambda data: repr(json.loads(data)).encode(),
    "with a comment": lambda data: data + b"// x",
    "behind a byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "in UTF-16": lambda data: data.decode().encode("utf-16"),
    "with half a character": lambda data: data[:-1] + b', "x": "\xc3"}',
    "with NaN": lambda data: data[:-1] + b', "x": NaN}',
    "with Infinity": lambda data: data[:-1] + b', "x": -Infinity}',
    "with a raw line end in a text": lambda data: data[:-1] + b', "x": "\n"}',
    "with a number as C writes it": lambda data: data[:-1] + b', "x": 0x10}',
    "with a leading zero": lambda data: data[:-1] + b', "x": 007}',
    "as a form": lambda data: b"body=" + data,
}
"""Ways to write what should be a JSON object."""


def request_mutations() -> Iterator[Mutation]:
    for rule, kinds, path, values in MEMBERS:
        for kind in kinds:
            for value in values:
                name = f"{kind}: {path} {shown(value)}"
                yield Mutation(rule=rule, name=name, change=edited(kind, put(path, value)))
    for kind in PREPARES:
        for name, write in UNREADABLE.items():
            yield Mutation(rule="request.valid-json", name=f"{kind} {name}", change=rewritten(kind, write))
    for kind in (*BOTH, *PREPARES):
        for key in ("action", "model", "timezone", _TOOLS):
            yield Mutation(
                rule="request.no-duplicate-keys", name=f"{kind}: {key}", change=rewritten(kind, _twice(key))
            )
    yield from _headers()
    yield from _declarations()
    yield Mutation(
        rule="request.challenge-unused", name="that of the turn before", change=_again, session=TWICE
    )


def _twice(key: str) -> Callable[[bytes], bytes]:
    """Write a member a second time, at the end."""
    return lambda data: data[:-1] + b", %b}" % json.dumps({key: json.loads(data)[key]}).encode()[1:-1]


def _headers() -> Iterator[Mutation]:
    for kind in BOTH:
        for value in (ABSENT, "", "no-token", NEW_ID):
            yield Mutation(
                rule="request.conduit-token-carried",
                name=f"{kind}: {shown(value)}",
                change=_with_token(kind, value),
            )


def _with_token(kind: str, value: object) -> Change:
    def change(transcript: Transcript) -> Transcript:
        number = numbers_of(transcript, kind)[0]
        kept = tuple(
            each for each in request(transcript, number).headers if each[0].lower() != "x-conduit-token"
        )
        more = () if value is ABSENT else (("x-conduit-token", str(value)),)
        return replaced(transcript, number, headers=(*kept, *more))

    return change


def _declarations() -> Iterator[Mutation]:
    changes: dict[str, Callable[[list[Any]], list[Any]]] = {
        "the last one twice": lambda tools: [*tools, tools[-1]],
        "all twice": lambda tools: tools + tools,
        "the last one again, described otherwise": lambda tools: [*tools, tools[-1] | {"description": "x"}],
        "the first one again": lambda tools: [tools[0], *tools],
    }
    for kind in BOTH:
        for name, change in changes.items():
            yield Mutation(
                rule="signature.unique-names",
                name=f"{kind}: {name}",
                change=edited(kind, lambda body, change=change: body.update({_TOOLS: change(body[_TOOLS])})),
            )


def _again(transcript: Transcript) -> Transcript:
    first, second = numbers_of(transcript, "turn")
    body = body_of(transcript, second) | {
        "app_attest_challenge": body_of(transcript, first)["app_attest_challenge"]
    }
    return replaced(transcript, second, body=json.dumps(body).encode())
