"""The catalogue itself: every rule is complete, sourced, and its own examples prove it."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from tests.unit.flow_a_wire import (
    CONVERSATION,
    Wire,
    answer_stream,
    call_message,
    call_stream,
    signature,
    tool_return,
    user_turn,
)
from wiretape.contract import Finding, Rule
from wiretape.flow_a.check import VERIFIER, check_return
from wiretape.flow_a.rules import BODY_RULES, RULES
from wiretape.strictjson import ABSENT, StrictJSONError, loads

FROZEN = """
request.action-is-next request.supported-encodings-v1 request.model-present request.timezone-iana
request.timezone-offset-integer request.first-turn-omits-ids(should) request.prepare-state-truthful
request.challenge-issued request.challenge-unused request.tool-declared request.handoff-declared(should)
signature.shape signature.param-shape signature.unique-names prepare.state-sent prepare.same-conversation
return.exactly-once return.single-message return.conversation-id return.parent-is-call-message
return.fresh-challenge return.fresh-prepare return.call-id-equals-message-id return.recipient-is-all
return.end-turn-null return.no-language return.channel-commentary return.status-finished
return.author-role-tool return.author-name-is-tool return.author-metadata-object return.content-type-code
return.text-is-json-object return.text-keys return.tool-at-root return.result-is-object
return.result-shape(should) return.result-as-expected return.id-is-fresh-uuid return.weight-is-one
return.create-time-seconds return.update-time-null return.metadata-profile(should)
return.no-extra-fields(should) return.tools-still-declared(should) behavior.waits-for-complete-call
behavior.only-local-recipients behavior.no-unsolicited-return behavior.reads-to-end
behavior.arguments-intact request.valid-json request.no-duplicate-keys
request.conduit-token-carried(should) return.metadata-object
"""


def test_every_frozen_rule_is_in_the_catalogue_at_its_level() -> None:
    levels = {rule.id: rule.level for rule in RULES}
    for word in FROZEN.split():
        name, _, level = word.rstrip(")").partition("(")
        assert levels[f"flow_a.{name}"] == (level or "must"), name


def test_rule_ids_are_unique_and_every_scope_says_why_it_was_not_seen() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES)
    assert all(VERIFIER.unseen[rule.scope] for rule in RULES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_says_where_it_comes_from_and_gives_examples(rule: Rule) -> None:
    assert rule.title
    assert rule.spec.document
    assert rule.spec.section
    assert rule.spec.quote
    assert rule.good
    assert rule.bad
    assert "/" not in rule.spec.quote.replace("f/*", "").replace("Date.now()/1000", "").replace(
        "(message/prompt/reason)", ""
    ).replace("// ", ""), "a quote holds no path"


CALL = call_message('{"message": "eco"}') | {"status": "finished_successfully"}


def judge(body: dict[str, Any]) -> list[Finding]:
    return [f for f in check_return(body, CALL, conversation_id=CONVERSATION) if f.failed]


def with_fragment(fragment: str) -> dict[str, Any] | None:
    """A conforming return with an example of the catalogue merged into it; None for examples in words."""
    try:
        patch = loads(fragment.replace("…", "x"))
    except StrictJSONError:
        return None
    body = copy.deepcopy(tool_return())
    target = body if "messages" in patch else body["messages"][0]
    if patch.keys() & {"call_id", "callId", "result", "tool"}:
        text = json.loads(target["content"]["text"])
        kept = {} if "callId" in patch or len(patch) > 1 else text
        target["content"]["text"] = json.dumps(kept | patch)
        return body
    for key, value in patch.items():
        if isinstance(value, dict) and isinstance(target[key], dict) and key != "metadata":
            target[key].update(value)
        else:
            target[key] = value
    return body


BAD = [(rule, bad) for rule in BODY_RULES for bad in rule.bad if with_fragment(bad) is not None]


@pytest.mark.parametrize(("rule", "bad"), BAD, ids=lambda value: getattr(value, "id", value))
def test_a_bad_example_fails_its_own_rule(rule: Rule, bad: str) -> None:
    body = with_fragment(bad)
    assert body is not None
    assert rule.id in {finding.rule for finding in judge(body)}


def test_most_body_rules_have_an_example_that_was_tried() -> None:
    tried = {rule.id for rule, _ in BAD}
    in_words = {rule.id.removeprefix("flow_a.return.") for rule in BODY_RULES if rule.id not in tried}
    assert in_words == {
        "conversation-id",
        "parent-is-call-message",
        "call-id-equals-message-id",
        "result-as-expected",
    }


@pytest.mark.parametrize("rule", BODY_RULES, ids=lambda rule: rule.id)
def test_a_good_example_fails_nothing(rule: Rule) -> None:
    body = tool_return() if "<" in rule.good or "…" in rule.good else with_fragment(rule.good)
    assert judge(body or tool_return()) == []


def test_check_return_gives_one_finding_a_rule() -> None:
    findings = check_return(tool_return(), CALL, conversation_id=CONVERSATION)
    assert [finding.rule for finding in findings] == [rule.id for rule in BODY_RULES]


@pytest.mark.parametrize("call", [{}, {"id": "x", "recipient": "all"}, {"recipient": "local.x", "id": 3}])
def test_check_return_refuses_what_is_no_call(call: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must be a message with an id and a recipient local"):
        check_return(tool_return(), call, conversation_id=CONVERSATION)


def test_a_call_without_text_can_be_returned_to() -> None:
    assert [
        f
        for f in check_return(tool_return(), CALL | {"content": None}, conversation_id=CONVERSATION)
        if f.failed
    ] == []


@pytest.mark.parametrize("messages", [ABSENT, None, [], [3], {"0": {}}, "text"])
def test_without_a_message_only_single_message_fails(messages: object) -> None:
    body = tool_return()
    if messages is ABSENT:
        del body["messages"]
    else:
        body["messages"] = messages
    assert [f.rule for f in judge(body)] == ["flow_a.return.single-message"]


@pytest.mark.parametrize("author", [None, "tool", ABSENT])
def test_an_author_that_is_no_object_fails_one_rule(author: object) -> None:
    body = tool_return()
    body["messages"][0]["author"] = author
    if author is ABSENT:
        del body["messages"][0]["author"]
    (finding,) = judge(body)
    assert (finding.rule, finding.path) == ("flow_a.return.author-role-tool", "messages[0].author")


@pytest.mark.parametrize("content", [None, [], "text"])
def test_content_that_is_no_object_fails_one_rule(content: object) -> None:
    body = tool_return()
    body["messages"][0]["content"] = content
    (finding,) = judge(body)
    assert (finding.rule, finding.path) == ("flow_a.return.content-type-code", "messages[0].content")


def test_a_duplicate_key_inside_the_text_is_a_fault() -> None:
    body = tool_return()
    text = body["messages"][0]["content"]["text"]
    body["messages"][0]["content"]["text"] = text[:-1] + ', "tool": "alefita_way"}'
    (finding,) = judge(body)
    assert finding.rule == "flow_a.return.text-is-json-object"
    assert "twice" in str(finding.got)


def test_milliseconds_are_recognised_and_the_hint_says_what_to_do() -> None:
    body = tool_return()
    body["messages"][0]["create_time"] = 1787848294650
    (finding,) = judge(body)
    assert finding.hint == "divide by 1000"


def test_an_id_that_was_seen_before_is_not_fresh() -> None:
    wire = Wire()
    first = user_turn()
    wire.turn(first, call_stream())
    body = tool_return()
    body["messages"][0]["id"] = first["messages"][0]["id"]
    wire.turn(body, answer_stream())
    failed = wire.failed()
    assert failed.keys() == {"return.id-is-fresh-uuid"}
    assert failed["return.id-is-fresh-uuid"].want == "a new uuid, not one seen before"


def test_the_return_is_found_behind_other_messages_and_paths_say_where() -> None:
    body = tool_return()
    user = {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["x"]}}
    body["messages"].insert(0, user)
    body["messages"][1]["recipient"] = "alefita_way"
    assert {f.path for f in judge(body)} == {"messages", "messages[1].recipient"}


def test_a_return_that_plays_another_role_is_found_too() -> None:
    body = tool_return()
    user = {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["x"]}}
    body["messages"].insert(0, user)
    body["messages"][1]["author"]["role"] = "assistant"
    assert "messages[1].author.role" in {f.path for f in judge(body)}


@pytest.mark.parametrize(
    ("result", "path"),
    [
        ({}, "messages[0].content.text.result.accepted"),
        ({"accepted": False}, "messages[0].content.text.result.accepted"),
        ({"accepted": True}, "messages[0].content.text.result.thread_id"),
        ({"accepted": True, "thread_id": 7}, "messages[0].content.text.result.thread_id"),
    ],
)
def test_a_handoff_result_has_its_own_shape(result: dict[str, Any], path: str) -> None:
    call = CALL | {"recipient": "local.handoff"}
    body = tool_return(result or {"x": 1}, tool="handoff")
    (finding,) = [f for f in check_return(body, call, conversation_id=CONVERSATION) if f.failed]
    assert (finding.rule, finding.path) == ("flow_a.return.result-shape", path)


def test_an_accepted_handoff_has_a_thread() -> None:
    call = CALL | {"recipient": "local.handoff"}
    body = tool_return({"accepted": True, "thread_id": "th_1"}, tool="handoff")
    assert not [f for f in check_return(body, call, conversation_id=CONVERSATION) if f.failed]


@pytest.mark.parametrize(
    ("signatures", "rule", "path"),
    [
        ({}, "signature.shape", "local_function_signatures"),
        (["x"], "signature.shape", "local_function_signatures[0]"),
        ([{"name": ""}], "signature.shape", "local_function_signatures[0].name"),
        (
            [{"name": "handoff", "description": "", "params": [3], "type": "kwargs"}],
            "signature.param-shape",
            "local_function_signatures[0].params[0]",
        ),
        (
            [
                {
                    "name": "handoff",
                    "description": "",
                    "params": [
                        {"name": "p", "required": True, "type": {"type": "number", "description": ""}}
                    ],
                    "type": "kwargs",
                }
            ],
            "signature.param-shape",
            "local_function_signatures[0].params[0].type.type",
        ),
    ],
)
def test_a_misshapen_declaration_is_found_where_it_is(signatures: object, rule: str, path: str) -> None:

    wire = Wire()
    wire.turn(user_turn(local_function_signatures=signatures), answer_stream())
    failed = wire.failed()
    assert failed[rule].path == path
    assert len([f for f in failed if f.startswith("signature.")]) == 1


def test_two_tools_of_one_name_fail_unique_names() -> None:

    wire = Wire()
    twice = [signature("handoff"), signature("a"), signature("a")]
    wire.turn(user_turn(local_function_signatures=twice), answer_stream())
    failed = wire.failed()
    assert failed.keys() == {"signature.unique-names"}
    assert failed["signature.unique-names"].path == "local_function_signatures[2].name"
