"""The app-server: each dynamic tool call, and the answers to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from wiretape.codex import VERIFIER
from wiretape.codex.messages import fields
from wiretape.codex.reader import read
from wiretape.codex.view import Ask, CodexView, Reply
from wiretape.comparison.side import Comparison, blamed, in_order, required
from wiretape.contract import Finding, Subject, judge
from wiretape.strictjson import ABSENT
from wiretape.transcript import Transcript


def comparisons(transcript: Transcript) -> list[Comparison]:
    """Compare every answer with the required one; one with a wrong id stands at the call that it means."""
    view = read(transcript)
    results = transcript.expect.get("results", {})
    return [each for ask in view.calls for each in _of_call(view, ask, results)]


def _of_call(view: CodexView, ask: Ask, results: Mapping[str, Any]) -> Iterator[Comparison]:
    tool = ask.call.tool if ask.call else ask.method
    about: dict[str, Any] = {
        "tool": tool,
        "call_id": str(ask.params.get("callId")),
        "asked": ask.at,
        "arguments": ask.params.get("arguments", ABSENT),
    }
    form = _form(ask, results.get(tool, ABSENT))
    asked = _asked("calls", ask)
    replies = [each for each in view.replies if ask in (each.ask, each.meant)]
    if not replies:
        yield Comparison(**about, want=form, findings=in_order(asked))
    for reply in replies:
        findings = [*asked, *_asked("replies", reply), *_of_what_counts(view, reply)]
        want = required(form, reply.value, blamed(findings))
        yield Comparison(**about, at=reply.at, got=reply.value, want=want, findings=in_order(findings))


def _of_what_counts(view: CodexView, reply: Reply) -> Iterator[Finding]:
    """What the rules say of the answer's content, if it is the one that the server took."""
    for each in view.tool_replies:
        if each.value is reply.value:
            yield from _asked("tool_replies", each)


def _asked(scope: str, subject: Subject) -> list[Finding]:
    return judge(VERIFIER.by_scope[scope], (subject,))


def _form(ask: Ask, expected: object) -> dict[str, Any]:
    """The required answer, with words in the place of what the tool has to say."""
    text = fields(ask.params.get("arguments")).get("text") if expected == "echo" else None
    item = {"type": "inputText", "text": text if isinstance(text, str) else "what the model reads"}
    return {"id": ask.id, "result": {"contentItems": [item], "success": True} | fields(expected)}
