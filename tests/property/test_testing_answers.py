"""The public strategies for calls and answers: right ones pass every rule, wrong ones fail theirs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit import codex_wire
from wiretape import testing
from wiretape.contract import Finding
from wiretape.flow_a import check_return
from wiretape.flow_a.messages import called_tool
from wiretape.strictjson import loads

CONVERSATION = "00000000-0000-4000-8000-0000000000a1"
CALLS = testing.declarations().flatmap(testing.calls)


def failed(findings: list[Finding]) -> set[str]:
    return {finding.rule for finding in findings if finding.failed}


@given(testing.declarations().flatmap(lambda tool: st.tuples(st.just(tool), testing.calls(tool))))
def test_a_call_has_what_its_declaration_requires_and_nothing_else(drawn: tuple[dict, dict]) -> None:
    tool, call = drawn
    arguments = loads(call["content"]["text"])
    params = {each["name"]: each["required"] for each in tool["params"]}
    assert {name for name, required in params.items() if required} <= arguments.keys() <= params.keys()
    assert called_tool(call["recipient"]) == tool["name"]
    assert all(isinstance(argument, str) for argument in arguments.values())


@given(st.data())
def test_a_drawn_return_fails_no_rule(data: st.DataObject) -> None:
    call = data.draw(CALLS)
    body = data.draw(testing.returns(call, conversation_id=CONVERSATION))
    assert failed(check_return(body, call, conversation_id=CONVERSATION)) == set()


@given(testing.results("handoff"), testing.results("other"))
def test_a_result_is_one_that_the_model_takes_as_done(handoff: dict, other: dict) -> None:
    assert handoff["accepted"] is True
    assert isinstance(handoff["thread_id"], str)
    assert isinstance(other["message"], str)
    assert "accepted" not in other


@pytest.mark.parametrize("rule", testing.DAMAGE)
def test_a_broken_return_fails_the_rule_that_it_names_alone(rule: str) -> None:
    @given(st.data())
    def breaks(data: st.DataObject) -> None:
        call = data.draw(CALLS)
        broken = data.draw(testing.broken_returns(call, conversation_id=CONVERSATION, rules=(rule,)))
        assert broken.rule == f"flow_a.return.{rule}"
        assert failed(check_return(broken.body, call, conversation_id=CONVERSATION)) == {broken.rule}

    breaks()


def judged(members: dict) -> set[str]:
    wire = codex_wire.called()
    wire.client({"id": 0} | members)
    return failed(codex_wire.ended(wire).report().findings)


@given(testing.codex_answers())
def test_a_drawn_codex_answer_fails_no_rule(members: dict) -> None:
    assert judged(members) == set()


@pytest.mark.parametrize("rule", testing.CODEX_FAULTS)
def test_a_broken_codex_answer_fails_the_rule_that_it_names_alone(rule: str) -> None:
    @given(testing.broken_codex_answers(rules=(rule,)))
    def breaks(broken: testing.BrokenAnswer) -> None:
        assert broken.rule == f"codex.{rule}"
        assert judged(broken.members) == {broken.rule}

    breaks()
