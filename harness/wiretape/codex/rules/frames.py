"""Rules about what the client puts on the wire: one JSON-RPC message at a time."""

from __future__ import annotations

from typing import Final

from wiretape.codex.rules.source import rule
from wiretape.codex.unreadable import ONE_MESSAGE, VALID_JSON, rule_about
from wiretape.codex.view import Sent
from wiretape.contract import Answer, Fault, Rule, Skip
from wiretape.jsonrpc import Call, Notice, Unreadable
from wiretape.redaction import excerpt


def _valid_json(sent: Sent) -> Answer:
    message = sent.message
    if not isinstance(message, Unreadable) or rule_about(message) != VALID_JSON:
        return None
    return Fault("", "a JSON text in UTF-8", _shown(sent.data), hint=message.reason)


def _one_message(sent: Sent) -> Answer:
    message = sent.message
    if isinstance(message, (Call, Notice)) and message.value.keys() & {"result", "error"}:
        hint = "a message with a method is a request: leave the method out of an answer"
        return Fault("method", "no method in an answer", message.method, hint)
    if isinstance(message, Notice) and "id" in message.value:
        return Fault("id", "a string or a whole number, or no id at all", message.value["id"])
    if not isinstance(message, Unreadable):
        return None
    if rule_about(message) != ONE_MESSAGE:
        return Skip(rule_about(message))
    got = _shown(sent.data) if message.kind == "several" else message.value
    return Fault("", "one request, notification or answer", got, hint=message.reason)


def _shown(raw: bytes) -> str:
    return excerpt(raw) if raw.strip() else "an empty line"


FRAME_RULES: Final[tuple[Rule, ...]] = (
    rule(
        "frame.valid-json",
        "Every line or websocket message is JSON",
        _valid_json,
        scope="frames",
        section="Wire",
        quote="What is no JSON text gets no answer at all, and neither does a binary websocket message.",
        good='{"method": "initialized"}',
        bad=("not json", "{'method': 'initialized'}", '{"id": 1, "method": "initialized", "method": "exit"}'),
        hint="write each message with a JSON library, on one line, in UTF-8",
    ),
    rule(
        "frame.one-message",
        "Every line or websocket message is one JSON-RPC message",
        _one_message,
        scope="frames",
        section="Wire",
        quote="A line or websocket message holds one request, notification or answer, and no list of them.",
        good='{"id": 1, "method": "model/list", "params": {}}',
        bad=(
            '[{"id": 1, "method": "model/list", "params": {}}]',
            '{"foo": 1}',
            '{"id": null, "method": "model/list", "params": {}}',
            '{"id": 0, "method": "item/tool/call", "result": {}}',
        ),
    ),
)
