"""Drawn sessions with an app-server: right by every rule, whole, and really mixed."""

from __future__ import annotations

import json
from collections import Counter, defaultdict

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.schemas import complaint
from tests.selftest.mutants import Mutant, fate
from wiretape import verify
from wiretape.codex import VERIFIER
from wiretape.testing import broken_codex_answers
from wiretape.testing.interleavings import (
    CodexSession,
    codex_interleavings,
    tool_arguments,
    tool_specs,
)

PARAMS = {
    "initialize": "initialize-params",
    "thread/start": "thread-start-params",
    "turn/start": "turn-start-params",
    "item/tool/call": "tool-call-params",
}


@given(codex_interleavings())
def test_no_rule_complains_of_a_drawn_session(session: CodexSession) -> None:
    report = verify(session.transcript())
    assert [finding for finding in report.findings if finding.failed] == []
    passed = {finding.rule for finding in report.findings if finding.outcome == "pass"}
    assert {"codex.initialize.first", "codex.behavior.keeps-reading"} <= passed
    assert ("codex.call.answered" in passed) == (session.calls > 0)


@given(codex_interleavings())
def test_every_message_fits_its_schema(session: CodexSession) -> None:
    for frame in session.frames:
        assert complaint("jsonrpc-message", frame.message) is None
        schema = PARAMS.get(frame.message.get("method", ""))
        assert schema is None or complaint(schema, frame.message["params"]) is None


@given(codex_interleavings())
def test_requests_are_answered_once_and_counted_by_each_side(session: CodexSession) -> None:
    asked, answered = defaultdict(list), defaultdict(list)
    for frame in session.frames:
        by_client = frame.direction == "client"
        if "method" not in frame.message:
            answered[frame.connection, not by_client].append(frame.message["id"])
        elif "id" in frame.message:
            asked[frame.connection, by_client].append(frame.message["id"])
    for (connection, by_client), numbers in asked.items():
        assert numbers == [*range(by_client, by_client + len(numbers))]
        assert sorted(answered[connection, by_client]) == numbers


@given(codex_interleavings())
def test_what_belongs_to_a_turn_is_told_while_it_runs(session: CodexSession) -> None:
    running: set[str] = set()
    for frame in session.frames:
        params = frame.message.get("params", {})
        if frame.message.get("method") == "turn/started":
            running.add(params["turn"]["id"])
        elif frame.message.get("method") == "turn/completed":
            running.remove(params["turn"]["id"])
        elif "turnId" in params:
            assert params["turnId"] in running
    assert not running


def overlaps(session: CodexSession) -> bool:
    """Whether two calls are open at once, and the later one is answered first."""
    open_: list[object] = []
    for frame in session.frames:
        if frame.message.get("method") == "item/tool/call":
            open_.append((frame.connection, frame.message["id"]))
        elif frame.direction == "client" and "method" not in frame.message:
            if open_ and (frame.connection, frame.message["id"]) == open_[-1] and len(open_) > 1:
                return True
            open_.remove((frame.connection, frame.message["id"]))
    return False


def threads_at_once(session: CodexSession) -> bool:
    threads = Counter(
        frame.message["params"]["threadId"]
        for frame in session.frames
        if frame.message.get("method") in ("turn/started", "turn/completed")
    )
    first = next(iter(threads), None)
    order = [
        frame.message["params"]["threadId"] == first
        for frame in session.frames
        if frame.message.get("method") == "turn/completed"
    ]
    return len(threads) > 1 and order[:1] == [False]


@pytest.mark.parametrize("happens", [overlaps, threads_at_once])
def test_sessions_are_really_mixed(happens: object) -> None:
    quick = settings(max_examples=500, database=None, derandomize=True, phases=[Phase.generate])
    found = find(codex_interleavings(), happens, settings=quick)  # type: ignore[arg-type]
    assert happens(found)  # type: ignore[operator]


@given(tool_specs().flatmap(lambda spec: st.tuples(st.just(spec), tool_arguments(spec))))
def test_arguments_fit_the_tool_that_is_called(drawn: tuple[dict[str, object], dict[str, object]]) -> None:
    spec, arguments = drawn
    Draft202012Validator(spec["inputSchema"]).validate(arguments)  # type: ignore[arg-type]
    assert complaint("dynamic-tools", [spec]) is None
    assert json.loads(json.dumps(arguments)) == arguments


@given(st.data())
def test_one_broken_answer_in_the_midst_of_it_is_found(data: st.DataObject) -> None:
    broken = data.draw(broken_codex_answers(rules=("response.content-items-list",)))
    session = data.draw(
        codex_interleavings(
            max_connections=1, answers=st.just({"result": {"contentItems": [], "success": True}})
        )
    )
    places = [
        index
        for index, frame in enumerate(session.frames)
        if frame.direction == "client" and "method" not in frame.message
    ]
    if not places:
        return
    place = data.draw(st.sampled_from(places))
    frames = [*session.frames]
    spoilt = frames[place].message
    kept = {"id": spoilt["id"]}
    spoilt.clear()
    spoilt.update(kept | broken.members)
    mutant = Mutant(name="", rules=(broken.rule.removeprefix("codex."),), play=session.transcript)
    assert fate(mutant, VERIFIER).clean
