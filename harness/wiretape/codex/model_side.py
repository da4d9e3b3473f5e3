"""What an app-server tells its model of calls: the outputs in its requests to the model's provider."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from wiretape import strictjson
from wiretape.codex.messages import fields
from wiretape.codex.view import ModelOutput
from wiretape.strictjson import ABSENT
from wiretape.transcript import Request

_PLACE = "/v1/responses"


def outputs(asked: Mapping[str, Any]) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    """The outputs in a request's ``input``: the place of each, and the id of its call."""
    given = asked.get("input")
    for index, item in enumerate(map(fields, given if isinstance(given, list) else [])):
        if item.get("type") == "function_call_output":
            yield index, str(item.get("call_id")), item


class ModelSide:
    """Finds what is new in each request: all of them hold the whole history."""

    def __init__(self, expected: Mapping[str, Any]) -> None:
        self._expected = expected
        """The output of a call, by its id."""
        self._seen: dict[tuple[str, str], object] = {}

    def new(self, entry: Request) -> Iterator[ModelOutput]:
        """The outputs that this request is the first to have, where it is known what they must be."""
        if not self._expected or entry.path.partition("?")[0] != _PLACE:
            return
        asked = fields(strictjson.loads_or(entry.body, {}))
        for index, call_id, item in outputs(asked):
            key, output = (str(asked.get("prompt_cache_key")), call_id), item.get("output", ABSENT)
            known = key in self._seen and strictjson.identical(self._seen[key], output)
            if call_id in self._expected and not known:
                self._seen[key] = output
                yield ModelOutput(
                    at=f"request {entry.number} to the model's provider, call {call_id}",
                    path=f"input[{index}].output",
                    output=output,
                    expected=self._expected[call_id],
                )
