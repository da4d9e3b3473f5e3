"""Rules about the JSON text inside a return: ``{"call_id", "result", "tool"}``."""

from __future__ import annotations

from typing import Any, Final

from wiretape.contract import Answer, Fault, Rule, Skip, Unseen
from wiretape.flow_a.damage import damage
from wiretape.flow_a.rules.field_checks import no_content
from wiretape.flow_a.rules.source import NOTES, rule
from wiretape.flow_a.view import Return
from wiretape.strictjson import ABSENT, equal

_RESULT: Final = "content.text.result"
_KEYS: Final = frozenset(("call_id", "result", "tool"))
_NO_TEXT: Final = Skip("flow_a.return.text-is-json-object")
_NO_KEY: Final = Skip("flow_a.return.text-keys")
_NO_ARGUMENT: Final = Skip("the call has no argument message that could be echoed")
_NO_RESULT: Final = Skip("flow_a.return.result-is-object")
_DAMAGED: Final = Skip("flow_a.behavior.arguments-intact")


def _text(answer: Return) -> Answer:
    if answer.text is not None:
        return None
    content = answer.content
    if content is None or (content.get("content_type") != "code" and "text" not in content):
        return no_content(answer)
    want = "a string: the JSON text of an object, encoded once"
    return Fault(answer.path("content.text"), want, answer.text_fault)


def _no_text(answer: Return) -> Skip:
    """Why there is no text to look into."""
    why = _text(answer)
    return why if isinstance(why, Skip) else _NO_TEXT


def _keys(answer: Return) -> Answer:
    text = answer.text
    if text is None:
        return _no_text(answer)
    if text.keys() == _KEYS:
        return None
    for key in ("call_id", "result"):
        if key not in text:
            return Fault(answer.path(f"content.text.{key}"), f"the keys {sorted(_KEYS)}", ABSENT)
    for key in text:
        if key not in _KEYS:
            return Fault(answer.path(f"content.text.{key}"), ABSENT, text[key])
    return Skip("flow_a.return.tool-at-root")


def _call_id(answer: Return) -> Answer:
    if answer.text is None:
        return _no_text(answer)
    got = answer.text.get("call_id", ABSENT)
    if got is ABSENT:
        return _NO_KEY
    return None if got == answer.call.id else Fault(answer.path("content.text.call_id"), answer.call.id, got)


def _tool(answer: Return) -> Answer:
    if answer.text is None:
        return _no_text(answer)
    got = answer.text.get("tool", ABSENT)
    return None if got == answer.call.tool else Fault(answer.path("content.text.tool"), answer.call.tool, got)


def _result_object(answer: Return) -> Answer:
    if answer.text is None:
        return _no_text(answer)
    if answer.result is ABSENT:
        return _NO_KEY
    if isinstance(answer.result, dict):
        return None
    return Fault(answer.path(_RESULT), "an object", answer.result)


def _no_result(answer: Return) -> Skip:
    """Why there is no result to look into."""
    why = _result_object(answer)
    return why if isinstance(why, Skip) else _NO_RESULT


def _result_shape(answer: Return) -> Answer:
    result = answer.result
    if not isinstance(result, dict):
        return _no_result(answer)
    accepted = result.get("accepted", ABSENT)
    if answer.call.tool != "handoff" and accepted is ABSENT:
        got = result.get("message", ABSENT)
        if isinstance(got, str):
            return None
        if answer.expected == "echo" or _is_expected(answer, "message"):
            return Skip("flow_a.return.result-as-expected")
        return Fault(answer.path(f"{_RESULT}.message"), "the text that the model reads", got)
    if _is_expected(answer, "accepted"):
        return None  # the cassette says what it must be
    if accepted is not True:
        hint = "with accepted false the model takes the tool as refused"
        return Fault(answer.path(f"{_RESULT}.accepted"), "true, unless the user refused", accepted, hint)
    got = result.get("thread_id", ABSENT)
    if isinstance(got, str):
        return None
    return Fault(answer.path(f"{_RESULT}.thread_id"), "the id of the thread", got)


def _is_expected(answer: Return, key: str) -> bool:
    return isinstance(answer.expected, dict) and key in answer.expected


def _wanted(answer: Return) -> dict[str, Any] | Skip | Unseen:
    """The result that the tool must give, with an echo worked out."""
    if answer.expected is ABSENT:
        return Unseen(f"the cassette does not say what {answer.call.tool} gives")
    if answer.expected != "echo":
        return dict(answer.expected)  # type: ignore[call-overload,no-any-return]
    if answer.played is not None and answer.played.stream.hidden:
        return Skip(answer.played.stream.fault)
    arguments = answer.arguments
    if arguments is None or "message" not in arguments:
        return _NO_ARGUMENT
    return {"message": arguments["message"]}


def _damage(answer: Return, wanted: dict[str, Any]) -> str:
    """How the echoed argument was damaged on its way through the client; empty when it was not."""
    if answer.expected != "echo" or not isinstance(answer.result, dict):
        return ""
    return damage(wanted["message"], answer.result.get("message"), answer.call.text)


def _as_expected(answer: Return) -> Answer:
    wanted = _wanted(answer)
    if not isinstance(wanted, dict):
        return wanted
    result = answer.result
    if not isinstance(result, dict):
        return _no_result(answer)
    for key, want in wanted.items():
        got = result.get(key, ABSENT)
        if not equal(got, want):
            fault = Fault(answer.path(f"{_RESULT}.{key}"), want, got)
            return _DAMAGED if _damage(answer, wanted) else fault
    return None


def _intact(answer: Return) -> Answer:
    if answer.expected != "echo":
        return Unseen("no tool that echoes its argument was called")
    wanted = _wanted(answer)
    if not isinstance(wanted, dict):
        return wanted
    if not isinstance(answer.result, dict):
        return _no_result(answer)
    how = _damage(answer, wanted)
    if not how:
        return None
    path = answer.path(f"{_RESULT}.message")
    return Fault(path, wanted["message"], answer.result["message"], hint=how)


TEXT_RULES: Final[tuple[Rule, ...]] = (
    rule(
        "return.text-is-json-object",
        "The content's text is the JSON text of an object",
        _text,
        scope="returns",
        section="§6",
        quote="constructs the return text with JSON.stringify({call_id: e, result: n, tool: r})",
        evidence="wire",
        good='{"content": {"text": "{\\"call_id\\": …, \\"result\\": {…}, \\"tool\\": …}"}}',
        bad=('{"content": {"text": {"call_id": "…"}}}', '{"content": {"text": "not json"}}'),
        hint="encode the object once, with a JSON library",
    ),
    rule(
        "return.text-keys",
        "The text has call_id, result and tool, and nothing else",
        _keys,
        scope="returns",
        section="§6",
        quote="constructs the return text with JSON.stringify({call_id: e, result: n, tool: r})",
        evidence="code",
        good='{"call_id": "…", "result": {}, "tool": "alefita_way"}',
        bad=(
            '{"callId": "…", "result": {}, "tool": "alefita_way"}',
            '{"call_id": "…", "tool": "alefita_way"}',
        ),
    ),
    rule(
        "return.call-id-equals-message-id",
        "call_id is the id of the call's message",
        _call_id,
        scope="returns",
        section="§3",
        quote="call_id = the tool-call message.id — NOT invented.",
        evidence="wire",
        good="call_id equals message.id of the message to local.<tool>",
        bad=("a uuid that the client made up", "the return's own id"),
        hint="the stream carries no other call id than message.id",
    ),
    rule(
        "return.tool-at-root",
        "The tool's bare name stands beside call_id and result",
        _tool,
        scope="returns",
        section="§3",
        quote='"tool": "<tool_name>" at the JSON root, alongside call_id and result',
        evidence="wire",
        good='{"tool": "alefita_way"}',
        bad=('{"tool": "local.alefita_way"}', "tool stands inside result"),
    ),
    rule(
        "return.result-is-object",
        "The result is an object",
        _result_object,
        scope="returns",
        section="§6",
        quote="message?: string // the value the model reads verbatim",
        evidence="wire",
        good='{"result": {"message": "segundo eco do caminho"}}',
        bad=('{"result": "segundo eco do caminho"}', '{"result": null}'),
    ),
    rule(
        "return.result-shape",
        "The result has what the model reads",
        _result_shape,
        scope="returns",
        level="should",
        section="§3",
        quote="the model reads result.message",
        evidence="doc",
        good='{"result": {"message": "done"}}',
        bad=('{"result": {}}', '{"result": {"accepted": false, "message": "done"}}'),
    ),
    rule(
        "return.result-as-expected",
        "The tool gave what the cassette says it must give",
        _as_expected,
        scope="returns",
        document=NOTES,
        section="Return",
        quote="Every key of the expected result is in the client's, with the same value; more keys are fine.",
        evidence="inferred",
        good="the echoed message, equal to the argument",
        bad=("another text", "the result of another tool"),
    ),
)

INTACT: Final = rule(
    "behavior.arguments-intact",
    "The arguments reach the tool as the model wrote them",
    _intact,
    scope="returns",
    document=NOTES,
    section="Delta encoding",
    quote="Appended text is joined as it is: UTF-16 halves meet, nothing is dropped or decoded twice.",
    evidence="code",
    good="coração 🌍 comes back as coração 🌍",
    bad=("cora", "coraÃ§Ã£o", "cora\\u00e7\\u00e3o"),
    hint="decode the stream incrementally and join pieces before reading them as JSON",
)
