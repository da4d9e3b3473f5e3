"""What a real app-server tells its model of calls is compared with what the tools have to give."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.codex_wire import Wire
from wiretape.strictjson import ABSENT
from wiretape.transcript_file import dump, load
from wiretape.verdict import verify

RULE = "response.reaches-model"
EXPECTED = {"outputs": {"call_1": "hi", "call_2": [{"type": "input_text", "text": "a"}]}}


def output(value: object, call_id: object = "call_1") -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call_id, "output": value}


def told(*requests: list[Any], **about: Any) -> Wire:
    wire = Wire(expect=EXPECTED)
    for given in requests:
        wire.told(*given, **about)
    return wire


def test_the_right_outputs_pass_and_are_told_again_with_each_request() -> None:
    history = [output("hi"), output([{"type": "input_text", "text": "a"}], "call_2")]
    assert told([output("hi")], history, history).outcome(RULE).outcome == "pass"


def test_a_wrong_output_is_found_once() -> None:
    wire = told([output("hi")], [output("hi"), output("a", "call_2")], [output("hi"), output("a", "call_2")])
    finding = wire.outcome(RULE)
    assert (finding.outcome, finding.path) == ("fail", "input[1].output")
    assert finding.at == "request 2 to the model's provider, call call_2"
    assert (finding.want, finding.got) == (EXPECTED["outputs"]["call_2"], "a")


def test_an_output_that_is_left_out_or_changes_later_is_wrong_too() -> None:
    assert told([{"type": "function_call_output", "call_id": "call_1"}]).outcome(RULE).got is ABSENT
    assert told([output("hi")], [output("ho")]).outcome(RULE).got == "ho"


def test_each_thread_has_calls_of_its_own() -> None:
    wire = told([output("hi")])
    wire.told(output("ho"), thread="u")
    assert wire.outcome(RULE).outcome == "fail"


@pytest.mark.parametrize(
    "given", [[output("x", "call_9")], [output("x", 5)], ["odd", None, {"type": "function_call"}], []]
)
def test_where_nothing_is_expected_nothing_is_judged(given: list[Any]) -> None:
    assert told(given).outcome(RULE).outcome == "not_observed"


def test_only_what_goes_to_the_models_endpoint_is_looked_at() -> None:
    assert told([output("x")], path="/v1/models").outcome(RULE).outcome == "not_observed"
    assert told([output("x")], path="/v1/responses?a=b").outcome(RULE).outcome == "fail"
    nothing = Wire()
    nothing.told(output("x"))
    assert nothing.outcome(RULE).outcome == "not_observed"


def test_a_body_that_is_no_json_has_no_outputs() -> None:
    wire = told([output("x")])
    (entry,) = wire.transcript.entries
    object.__setattr__(entry, "body", b"{")
    assert wire.outcome(RULE).outcome == "not_observed"


def test_a_saved_transcript_draws_the_same_verdict() -> None:
    wire = told([output("ho")])
    assert [f.rule for f in verify(load(dump(wire.transcript))).violations] == [f"codex.{RULE}"]
