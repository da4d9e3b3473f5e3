"""Flow A: each call to a client's tool, and the requests that return to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wiretape import strictjson
from wiretape.comparison.side import Comparison, blamed, in_order, required
from wiretape.contract import Finding, Subject, judge
from wiretape.flow_a import VERIFIER
from wiretape.flow_a.messages import HIDDEN_FLAG
from wiretape.flow_a.reader import read
from wiretape.flow_a.view import PlayedCall, Return
from wiretape.strictjson import ABSENT
from wiretape.transcript import Transcript

_SHOWN = ("conversation_id", "parent_message_id", "messages")
"""Members of a return's request that speak of the call."""


def comparisons(transcript: Transcript) -> list[Comparison]:
    """Compare every return with the required one, call by call; then those to the server's own tools."""
    view = read(transcript)
    results = transcript.expect.get("results", {})
    return [
        *(
            each
            for call in view.calls
            for each in _of_call(call, "calls", results.get(call.seen.tool, ABSENT))
        ),
        *(each for call in view.server_calls for each in _of_call(call, "server_calls", ABSENT)),
    ]


def _of_call(call: PlayedCall, scope: str, expected: object) -> Iterator[Comparison]:
    about: dict[str, Any] = {
        "tool": call.seen.recipient,
        "call_id": call.seen.id,
        "asked": call.at,
        "arguments": strictjson.loads_or(call.seen.text, call.seen.text),
    }
    asked = _asked(scope, call)
    if not call.returns:
        none = Return(at="", order=0, body={}, call=call.seen, conversation_id="", expected=expected)
        want = _form(none) if scope == "calls" else ABSENT
        yield Comparison(**about, want=want, findings=in_order(asked))
    for answer in call.returns:
        findings = [*asked, *_asked("returns", answer), *_asked("requests", answer.request)]
        yield Comparison(
            **about,
            at=answer.at,
            got=_shown(answer),
            want=_wanted(answer, blamed(findings)),
            findings=in_order(findings),
        )


def _wanted(answer: Return, wrong: frozenset[str]) -> Any:
    """The required return; of several messages it has the one alone that is taken for the return."""
    got = _shown(answer)
    messages = got.get("messages")
    if isinstance(messages, list) and len(messages) > 1:
        got["messages"] = [messages[answer.index]]
        own = answer.path()
        wrong = frozenset(each.replace(own, "messages[0]", 1) for each in wrong if each != "messages")
    return required(_form(answer), got, wrong)


def _asked(scope: str, subject: Subject | None) -> list[Finding]:
    return judge(VERIFIER.by_scope[scope], (subject,)) if subject is not None else []


def _shown(answer: Return) -> dict[str, Any]:
    """What of the request is compared; the JSON in the return's text is opened."""
    shown = {key: answer.body[key] for key in _SHOWN if key in answer.body}
    if answer.text is not None and answer.message is not None:
        content = {**(answer.content or {}), "text": answer.text}
        messages = list(shown["messages"])
        messages[answer.index] = {**answer.message, "content": content}
        shown["messages"] = messages
    return shown


def _form(answer: Return) -> dict[str, Any]:
    """The required return, with words in the place of values that are the client's to choose."""
    call = answer.call
    message = {
        "id": "a new UUID",
        "author": {"role": "tool", "name": call.tool, "metadata": {}},
        "create_time": "Unix seconds",
        "update_time": None,
        "content": {
            "content_type": "code",
            "text": {"call_id": call.id, "result": _result(answer), "tool": call.tool},
        },
        "status": "finished_successfully",
        "end_turn": None,
        "weight": 1,
        "metadata": {HIDDEN_FLAG: True} if answer.profile == "app" else {},
        "recipient": "all",
        "channel": "commentary",
    }
    form = {"conversation_id": answer.conversation_id, "parent_message_id": call.id, "messages": [message]}
    return form if answer.conversation_id else {key: form[key] for key in _SHOWN[1:]}


def _result(answer: Return) -> dict[str, Any]:
    if isinstance(answer.expected, dict):
        return answer.expected
    arguments = answer.arguments
    if arguments is not None and "message" in arguments:
        return {"message": arguments["message"]}
    if answer.call.tool == "handoff":
        return {"accepted": True, "thread_id": "the id of the thread"}
    return {"message": "the text that the model reads"}
