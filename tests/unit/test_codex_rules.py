"""The catalogue itself: every rule is complete, sourced, and its own examples prove it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.codex_wire import OMIT, Wire, answered, called, started
from wiretape.codex import VERIFIER
from wiretape.codex.rules import RULES
from wiretape.contract import Rule
from wiretape.strictjson import StrictJSONError, loads

FROZEN = """
initialize.first initialize.client-info initialize.experimental-api initialize.initialized-sent(should)
thread-start.tool-spec-valid thread-start.no-removed-fields(observed) frame.valid-json frame.one-message
call.answered call.answered-once call.answered-in-time call.id-exact call.known-id
response.result-xor-error response.content-items-list response.item-type response.text-is-string
response.image-url-string response.image-inline response.image-decodable(should) response.success-boolean
response.no-legacy-output response.no-snake-case response.result-as-expected call.handled(should)
error.code-integer error.message-string auth-refresh.answered auth-refresh.result-shape
behavior.keeps-reading
"""
AFTER_FAULTS = {rule.id.removeprefix("codex.") for rule in RULES if ".fault." in rule.id}
"""Judged in a session with faults only, and told in words: tests/unit/test_codex_fault*.py try them."""


def test_every_frozen_rule_is_in_the_catalogue_at_its_level() -> None:
    levels = {rule.id: rule.level for rule in RULES}
    for word in FROZEN.split():
        name, _, level = word.rstrip(")").partition("(")
        assert levels[f"codex.{name}"] == (level or "must"), name


def test_rule_ids_are_unique_and_every_scope_says_why_it_was_not_seen() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES)
    assert all(VERIFIER.unseen[rule.scope] for rule in RULES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_says_where_it_comes_from_and_gives_examples(rule: Rule) -> None:
    assert all((rule.title, rule.spec.document, rule.spec.section, rule.spec.quote, rule.good, rule.bad))
    assert not {"@", "http", "github"} & set(rule.spec.quote.split("/")), "a quote names nobody"


def example(rule: Rule, text: str) -> Wire | None:
    """A session with an example of the catalogue in its place; None for examples in words."""
    name = rule.id.removeprefix("codex.")
    if name.startswith("frame."):
        wire = started()
        wire.client(text.encode())
        return wire
    try:
        value = loads(text)
    except StrictJSONError:
        return None
    return PLACES[rule.scope](name, value)


def in_an_answer(name: str, value: Any) -> Wire:
    if name.startswith("response.") and name != "response.result-xor-error":
        return answered(value)
    wire = called()
    body = {"result": {"contentItems": [], "success": True}} if name == "call.id-exact" else {}
    wire.client({"id": 0} | body | value)
    return wire


def in_initialize(_name: str, value: Any) -> Wire:
    wire = Wire()
    wire.request("initialize", value)
    return wire


def in_thread_start(name: str, value: Any) -> Wire:
    wire = Wire()
    wire.initialize(capabilities=value.get("capabilities", OMIT) if "experimental" in name else None)
    if name == "thread-start.no-removed-fields":
        wire.request("thread/start", value)
    else:
        wire.thread([value] if "name" in value else OMIT)
    return wire


def in_a_refresh(_name: str, value: Any) -> Wire:
    wire = started()
    wire.ask_for_tokens()
    wire.answer(value)
    return wire


def in_a_notification(_name: str, value: Any) -> Wire:
    wire = Wire()
    wire.initialize(initialized=False)
    wire.client(value)
    wire.thread()
    return wire


def in_what_the_model_is_told(_name: str, value: Any) -> Wire:
    wire = Wire(expect={"outputs": {"call_1": "hi"}})
    wire.told({"type": "function_call_output"} | value)
    return wire


PLACES = {
    "model_outputs": in_what_the_model_is_told,
    "replies": in_an_answer,
    "calls": in_an_answer,
    "tool_replies": in_an_answer,
    "initializes": in_initialize,
    "thread_starts": in_thread_start,
    "refresh_replies": in_a_refresh,
    "connections": in_a_notification,
}
BAD = [(rule, bad) for rule in RULES for bad in rule.bad if example(rule, bad) is not None]


def judged(wire: Wire, rule: Rule) -> set[str]:
    return {f.outcome for f in wire.report().findings if f.rule == rule.id}


@pytest.mark.parametrize(("rule", "bad"), BAD, ids=lambda value: getattr(value, "id", value))
def test_a_bad_example_fails_its_own_rule(rule: Rule, bad: str) -> None:
    wire = example(rule, bad)
    assert wire is not None
    if rule.id == "codex.response.result-as-expected":
        wire.transcript.expect = {"results": {"demo_echo": "echo"}}
    assert judged(wire, rule) == {"fail"}


GOOD = [rule for rule in RULES if example(rule, rule.good) is not None]


@pytest.mark.parametrize("rule", GOOD, ids=lambda rule: rule.id)
def test_a_good_example_passes_its_own_rule(rule: Rule) -> None:
    wire = example(rule, rule.good)
    assert wire is not None
    assert judged(wire, rule) == {"pass"}


def test_most_rules_have_examples_that_were_tried() -> None:
    tried = {rule.id for rule, _ in BAD} & {rule.id for rule in GOOD}
    in_words = {rule.id.removeprefix("codex.") for rule in RULES if rule.id not in tried}
    assert in_words == {
        "initialize.first",
        "initialize.initialized-sent",
        "call.answered",
        "call.answered-once",
        "call.answered-in-time",
        "call.known-id",
        "call.handled",
        "response.result-as-expected",
        "auth-refresh.answered",
        "behavior.keeps-reading",
        *AFTER_FAULTS,
    }


def test_a_session_that_is_right_breaks_no_rule_and_shows_most_of_them() -> None:
    wire = answered(expect={"results": {"demo_echo": {"success": True}}})
    outcomes = {f.rule.removeprefix("codex."): f.outcome for f in wire.report().findings}
    assert {name for name, outcome in outcomes.items() if outcome != "pass"} == {
        "response.image-url-string",
        "response.image-inline",
        "response.image-decodable",
        "error.code-integer",
        "error.message-string",
        "auth-refresh.answered",
        "auth-refresh.result-shape",
        "response.reaches-model",
        *AFTER_FAULTS,
    }
    assert set(outcomes.values()) == {"pass", "not_observed"}


def test_an_empty_transcript_shows_nothing() -> None:
    assert {f.outcome for f in Wire().report().findings} == {"not_observed"}


def test_findings_are_json() -> None:
    wire = called()
    wire.client({"id": 0, "error": {"code": 1}})
    assert [json.dumps(f.want) for f in wire.report().findings if f.failed]
