"""What the model and the client of a codex cassette do: lists of steps, read and written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wiretape import strictjson
from wiretape.cassette.fields import (
    Key,
    http_status,
    list_of,
    mapping,
    of,
    one_key,
    one_of,
    record,
    text,
    wrong,
)
from wiretape.cassette.model import ClientStep, ModelCall, ModelError, ModelItem, ModelText, Step
from wiretape.strictjson import StrictJSONError

_MOST_LEVELS = 40
"""Of lists and objects in a call's arguments as a value; deeper ones are written as text."""


def read_model(value: Any, at: str) -> tuple[Step, ...]:
    """Read the model's steps. Raises CassetteError."""
    return _MODEL(value, at)  # type: ignore[no-any-return]


def read_client(value: Any, at: str) -> tuple[ClientStep, ...]:
    """Read the client's steps. Raises CassetteError."""
    return _CLIENT(value, at)  # type: ignore[no-any-return]


def write_model(steps: Sequence[Step]) -> list[dict[str, Any]]:
    """The model's steps as plain data."""
    return [_plain_step(step) for step in steps]


def write_client(steps: Sequence[ClientStep]) -> list[dict[str, Any]]:
    """The client's steps as plain data."""
    return [{step.do: step.value} for step in steps]


def _step(value: Any, at: str) -> Step:
    key, read = one_key(value, at, _STEP)
    return Step(**{key: read})


def _client_step(value: Any, at: str) -> ClientStep:
    do, said = one_key(value, at, _CLIENT_STEP)
    return ClientStep(do=do, value=said)  # type: ignore[arg-type]


def _item(value: Any, at: str) -> ModelItem:
    if "call" in mapping(value, at):
        return one_key(value, at, _CALL_ITEM)[1]  # type: ignore[no-any-return]
    said = ModelText(**record(value, at, _TEXT_ITEM))
    if said.deltas and "".join(said.deltas) != said.text:
        raise wrong(f"{at}.deltas", f"pieces of the text {said.text!r}", said.deltas, "cut the text anew")
    return said


def _call(value: Any, at: str) -> ModelCall:
    fields = record(value, at, _CALL)
    written = {name: fields.pop(name) for name in ("arguments", "arguments_text") if name in fields}
    if len(written) != 1:
        raise wrong(at, "arguments or arguments_text, one of the two", value, "write what the model wrote")
    return ModelCall(arguments=written.popitem()[1], **fields)


def _arguments(value: Any, _at: str) -> str:
    """The text that a model writes for a JSON value."""
    return strictjson.dumps(value, spaced=True)


def _plain_step(step: Step) -> dict[str, Any]:
    if step.error is not None:
        body = {"body": step.error.body} if step.error.body else {}
        return {"error": {"status": step.error.status} | body}
    if step.wait:
        return {"wait": step.wait}
    return {"items": [_plain_item(item) for item in step.items]}


def _plain_item(item: ModelItem) -> dict[str, Any]:
    if isinstance(item, ModelText):
        deltas = {"deltas": list(item.deltas)} if item.deltas else {}
        return {"text": item.text} | deltas | ({"id": item.id} if item.id else {})
    namespace = {} if item.namespace is None else {"namespace": item.namespace}
    return {"call": {"id": item.id, "tool": item.tool} | namespace | _plain_arguments(item.arguments)}


def _plain_arguments(written: str) -> dict[str, Any]:
    """As a value where that gives the same text again, else as the text itself."""
    try:
        value = strictjson.loads(written)
    except StrictJSONError:
        return {"arguments_text": written}
    same = strictjson.dumps(value, spaced=True) == written and _is_writable(value)
    return {"arguments": value} if same else {"arguments_text": written}


def _is_writable(value: Any) -> bool:
    """Whether YAML can hold a JSON value: no half of a character, and not too many levels."""
    return strictjson.is_unicode(value) and strictjson.depth(value) <= _MOST_LEVELS


_TEXT_ITEM = {"text": Key(text, required=True), "deltas": Key(list_of(text)), "id": Key(text)}
_CALL = {
    "id": Key(text, required=True),
    "tool": Key(text, required=True),
    "namespace": Key(text),
    "arguments": Key(_arguments),
    "arguments_text": Key(text),
}
_CALL_ITEM = {"call": Key(_call)}
_ERROR = {"status": Key(http_status, required=True), "body": Key(text)}
_STEP = {
    "items": Key(list_of(_item)),
    "wait": Key(one_of("until_interrupt")),
    "error": Key(of(ModelError, _ERROR)),
}
_CLIENT_STEP = {
    "login": Key(text),
    "turn": Key(text),
    "interrupt": Key(text),
    "resume": Key(one_of("process")),
}
_MODEL = list_of(_step, least=1)
_CLIENT = list_of(_client_step, least=1)
