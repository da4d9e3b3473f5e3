"""What a real app-server's model gets: all that is seen of a client that speaks to one."""

from __future__ import annotations

from typing import Final

from wiretape.codex.rules.source import rule
from wiretape.codex.view import ModelOutput
from wiretape.contract import Answer, Fault, Rule
from wiretape.strictjson import equal


def _as_expected(output: ModelOutput) -> Answer:
    if equal(output.output, output.expected):
        return None
    return Fault(output.path, output.expected, output.output)


MODEL_RULES: Final[tuple[Rule, ...]] = (
    rule(
        "response.reaches-model",
        "The model gets what the tool has to give",
        _as_expected,
        scope="model_outputs",
        section="The model",
        quote="What a call gave comes to the model as the output of a function_call_output.",
        good='{"call_id": "call_1", "output": "hi"}',
        bad=(
            '{"call_id": "call_1", "output": "dynamic tool response was invalid"}',
            '{"call_id": "call_1", "output": "something else"}',
            '{"call_id": "call_1"}',
        ),
        hint="the app-server says on its stderr what is wrong with an answer that it does not take",
    ),
)
