"""What the judge makes of first turns and declarations."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.flow_a_wire import (
    CONVERSATION,
    Wire,
    answer_stream,
    call_stream,
    signature,
    tool_return,
    user_turn,
)
from wiretape.strictjson import ABSENT


@pytest.mark.parametrize(
    "ids", [{"conversation_id": None}, {"conversation_id": CONVERSATION}, {"parent_message_id": "x"}]
)
@pytest.mark.parametrize("prepare_too", [True, False])
def test_a_first_turn_with_an_id_warns(ids: dict[str, Any], *, prepare_too: bool) -> None:
    wire = Wire()
    challenge = wire.challenge()
    wire.prepare(**(ids if prepare_too else {}))
    wire.stream(wire.send(user_turn(app_attest_challenge=challenge, **ids)), answer_stream())
    assert wire.failed().keys() == {"request.first-turn-omits-ids"}
    assert wire.report().ok


def test_the_web_clients_root_parent_passes_with_a_note() -> None:
    wire = Wire()
    wire.turn(user_turn(parent_message_id="client-created-root"), answer_stream())
    finding = wire.outcome("request.first-turn-omits-ids")
    assert finding.outcome == "pass"
    assert "web client" in finding.because


def test_a_log_that_begins_in_the_middle_is_not_judged_on_first_turns() -> None:
    wire = Wire(live=False)
    wire.prepare(conversation_id=CONVERSATION)
    body = user_turn(conversation_id=CONVERSATION, app_attest_challenge="<challenge>")
    wire.stream(wire.send(body), answer_stream())
    assert wire.outcome("request.first-turn-omits-ids").outcome == "not_applicable"
    assert not wire.failed()


def test_a_second_turn_in_a_conversation_may_name_it() -> None:
    wire = Wire()
    wire.turn(user_turn(), answer_stream())
    wire.turn(user_turn(conversation_id=CONVERSATION, parent_message_id="x"), answer_stream())
    assert not wire.failed()


def test_the_web_clients_way_to_declare_counts() -> None:
    wire = Wire()
    wire.turn(
        user_turn(local_function_signatures=[], local_function_names=["local.alefita_way"]), call_stream()
    )
    assert wire.outcome("request.tool-declared").outcome == "pass"


def test_an_undeclared_tool_is_found_at_the_request_that_brought_the_call() -> None:
    wire = Wire()
    wire.turn(user_turn(local_function_signatures=[signature("handoff")]), call_stream())
    wire.turn(tool_return(), answer_stream())
    failed = wire.failed()
    assert failed.keys() == {"request.tool-declared"}
    assert failed["request.tool-declared"].at == "POST …/f/conversation (request 3)"
    assert failed["request.tool-declared"].got == ["handoff"]


def test_declarations_that_were_left_out_are_shown_as_absent() -> None:
    body = user_turn()
    del body["local_function_signatures"]
    wire = Wire()
    wire.turn(body, call_stream())
    wire.turn(tool_return(), answer_stream())
    assert wire.failed().keys() == {"request.tool-declared"}
    assert wire.failed()["request.tool-declared"].got is ABSENT


@pytest.mark.parametrize(
    "value",
    [
        '[{"name": "alefita_way"}]',
        {"name": "alefita_way"},
        None,
        ["alefita_way"],
        [{"type": "function", "function": signature("alefita_way")}],
    ],
)
def test_declarations_that_do_not_say_which_tools_there_are_break_one_rule(value: object) -> None:
    wire = Wire()
    wire.turn(user_turn(local_function_signatures=value), call_stream())
    wire.turn(tool_return(local_function_signatures=value), answer_stream())
    assert wire.failed().keys() == {"signature.shape"}


def test_one_bad_signature_that_every_request_repeats_is_one_finding() -> None:
    bad = [signature("handoff"), signature("alefita_way") | {"type": "positional"}]
    wire = Wire()
    wire.turn(user_turn(local_function_signatures=bad), call_stream())
    wire.turn(tool_return(local_function_signatures=bad), answer_stream())
    report = wire.report()
    assert [f.path for f in report.violations] == ["local_function_signatures[1].type"]
