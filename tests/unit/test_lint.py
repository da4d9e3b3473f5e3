"""Each lint rule notices what it is there for, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from wiretape import load_cassette
from wiretape.cassette import (
    Cassette,
    ModelCall,
    ModelError,
    ModelText,
    Provenance,
    RecordedFrame,
    Step,
    bundled,
    dumps,
)
from wiretape.contract import Finding
from wiretape.lint import RULES, Tape, lint
from wiretape_cli.linting import EVERY

TAPE = load_cassette("alefita_way")
CODEX = load_cassette("codex/dynamic_tool_text")
CONVERSATION = b"1c76d812-5afb-4c6f-8c6c-b5e82dd7d0bf"
OTHER = b"99999999-5afb-4c6f-8c6c-b5e82dd7d0bf"


def failed(cassette: Cassette) -> list[Finding]:
    report = lint(Tape(cassette=cassette, data=dumps(cassette)), EVERY)
    return [finding for finding in report.findings if finding.failed]


def answering(number: int, edit: Callable[[bytes], bytes], **more: Any) -> Cassette:
    """The cassette with one answer edited."""
    interactions = [*TAPE.interactions]
    response = interactions[number].response
    edited = replace(response, body=edit(response.body), chunks=None, **more)
    interactions[number] = replace(interactions[number], response=edited)
    return replace(TAPE, interactions=tuple(interactions))


def asking(number: int, edit: Callable[[bytes], bytes]) -> Cassette:
    """The cassette with one request edited."""
    interactions = [*TAPE.interactions]
    request = interactions[number].request
    interactions[number] = replace(interactions[number], request=replace(request, body=edit(request.body)))
    return replace(TAPE, interactions=tuple(interactions))


def from_where(**fields: Any) -> Cassette:
    return replace(TAPE, provenance=Provenance(**fields))


def framed(edit: Callable[[dict[str, Any]], object], method: str) -> Cassette:
    """The codex cassette with the messages of a method edited, or left out where the edit gives None."""

    def one(frame: RecordedFrame) -> RecordedFrame | None:
        message = json.loads(frame.data)
        if message.get("method") != method:
            return frame
        edited = edit(message)
        return None if edited is None else replace(frame, data=json.dumps(edited).encode())

    return replace(CODEX, frames=tuple(filter(None, map(one, CODEX.frames))))


def playing(*steps: Step) -> Cassette:
    return replace(CODEX, model=steps)


@pytest.mark.parametrize("name", [f"{each}/{name}" for each in ("flow_a", "codex") for name in bundled(each)])
def test_every_bundled_cassette_breaks_no_rule(name: str) -> None:
    assert failed(load_cassette(name)) == []


NO_DONE = TAPE.interactions[1].response.body.replace(b"data: [DONE]\n\n", b"")
CALL, SAID = CODEX.model[0].items[0], CODEX.model[1].items[0]
assert isinstance(CALL, ModelCall)
assert isinstance(SAID, ModelText)


CASES: list[tuple[Cassette, str, str, str]] = [
    (
        answering(0, lambda b: b.replace(b'"v1"', b'"v7"')),
        "decodes",
        "must",
        "interactions[0].response.body",
    ),
    (
        answering(1, lambda _: b"{", headers={"Content-Type": "application/json"}),
        "decodes",
        "must",
        "interactions[1].response.body",
    ),
    (answering(1, lambda _: NO_DONE), "ends-properly", "must", "interactions[1].response.body"),
    (answering(1, lambda b: b[:-1]), "ends-properly", "must", "interactions[1].response.body"),
    (
        answering(1, lambda _: NO_DONE, end="reset"),
        "ends-properly",
        "should",
        "interactions[1].response.end",
    ),
    (answering(1, lambda b: b, end="hang"), "ends-properly", "should", "interactions[1].response.end"),
    (
        asking(1, lambda b: b.replace(CONVERSATION, OTHER)),
        "ids-correlate",
        "must",
        "interactions[1].request.body, conversation_id",
    ),
    (
        asking(1, lambda b: b.replace(b'parent_message_id":"b6d6', b'parent_message_id":"9999')),
        "ids-correlate",
        "must",
        "interactions[1].request.body, parent_message_id",
    ),
    (
        answering(1, lambda b: b.replace(CONVERSATION, OTHER, 1)),
        "ids-correlate",
        "must",
        "interactions[1].response.body, conversation_id",
    ),
    (
        asking(1, lambda b: b.replace(b'"recipient":"all"', b'"recipient":"x"')),
        "return-conforms",
        "must",
        "messages[0].recipient",
    ),
    (
        asking(1, lambda b: b.replace(b'"metadata":{},"recipient"', b'"metadata":{"x":1},"recipient"')),
        "return-conforms",
        "should",
        "messages[0].metadata",
    ),
    (from_where(kind="recorded", basis=("x",)), "provenance-complete", "must", "provenance.tool"),
    (
        from_where(kind="recorded", tool="x", gaps=("x",)),
        "provenance-complete",
        "must",
        "provenance.basis",
    ),
    (
        from_where(kind="recorded", tool="x", basis=("x",)),
        "provenance-complete",
        "must",
        "provenance.captured_at",
    ),
    (from_where(kind="reconstructed", basis=("x",)), "provenance-complete", "must", "provenance.gaps"),
    (from_where(kind="reconstructed", gaps=("x",)), "provenance-complete", "must", "provenance.basis"),
    (from_where(kind="synthetic"), "provenance-complete", "must", "provenance.gaps"),
    (
        from_where(kind="synthetic", gaps=("x",), captured_at="yesterday"),
        "provenance-complete",
        "must",
        "provenance.captured_at",
    ),
    (
        replace(CODEX, frames=(*CODEX.frames, RecordedFrame(direction="server", delay=0, data=b"[1]"))),
        "frames-valid",
        "must",
        f"frames, its line {len(CODEX.frames) + 1}",
    ),
    (framed(lambda _: None, "turn/completed"), "ends-properly", "should", "frames, its line 13"),
    (
        framed(lambda m: m | {"id": 77}, "initialize"),
        "ids-correlate",
        "must",
        "frames, its line 2, id",
    ),
    (
        framed(lambda m: m | {"params": m["params"] | {"turnId": "x"}}, "item/tool/call"),
        "ids-correlate",
        "must",
        "frames, its line 17, params.turnId",
    ),
    (
        framed(lambda m: m | {"params": m["params"] | {"threadId": "x"}}, "item/tool/call"),
        "ids-correlate",
        "must",
        "frames, its line 17, params.threadId",
    ),
    (playing(CODEX.model[0]), "model-matches-frames", "must", "model[1]"),
    (playing(*CODEX.model, CODEX.model[1]), "model-matches-frames", "must", "model[2]"),
    (
        playing(Step(items=(replace(CALL, arguments='{"text": "ho"}'),)), CODEX.model[1]),
        "model-matches-frames",
        "must",
        "model[0]",
    ),
    (
        playing(Step(items=(replace(CALL, tool="x"),)), CODEX.model[1]),
        "model-matches-frames",
        "must",
        "model[0]",
    ),
    (
        playing(Step(items=(replace(CALL, arguments="no JSON"),)), CODEX.model[1]),
        "model-matches-frames",
        "must",
        "model[0]",
    ),
    (
        playing(CODEX.model[0], Step(items=(replace(SAID, text="x"),))),
        "model-matches-frames",
        "must",
        "model[1]",
    ),
    (playing(CODEX.model[0], Step(wait="until_interrupt")), "model-matches-frames", "must", "model[1]"),
    (
        playing(CODEX.model[0], Step(error=ModelError(status=500))),
        "model-matches-frames",
        "must",
        "model[1]",
    ),
]


@pytest.mark.parametrize(("cassette", "rule", "level", "path"), CASES)
def test_each_rule_notices_its_fault(cassette: Cassette, rule: str, level: str, path: str) -> None:
    found = [(each.rule, each.level, each.path) for each in failed(cassette)]
    assert (f"lint.{rule}", level, path) in found


def test_every_rule_is_shown_a_fault() -> None:
    assert {rule.id for rule in RULES} == {f"lint.{rule}" for _, rule, _, _ in CASES} | {"lint.no-secrets"}


@pytest.mark.parametrize("secret", [b"sk-proj-0123456789abcdefghij", b"Bearer 0123456789abcdefghij0123"])
def test_a_secret_is_noticed_and_not_told(secret: bytes) -> None:
    cassette = answering(1, lambda body: body.replace(b"I executed", b"I executed " + secret))
    found = [each for each in failed(cassette) if each.rule == "lint.no-secrets"]
    assert found
    assert all(secret.decode()[-10:] not in repr(each) for each in found)


def test_a_file_that_does_not_fit_the_schema_is_noticed() -> None:
    report = lint(Tape(cassette=TAPE, data=b"format: 1\nprotocol: flow_a\n"), EVERY)
    assert {each.rule for each in report.violations} == {"lint.schema"}


def test_a_pace_and_pieces_of_a_text_are_no_difference_of_the_model() -> None:
    pieces = replace(SAID, deltas=("do", "ne"), id="")
    assert failed(playing(CODEX.model[0], Step(items=(pieces,)))) == []


def test_a_cassette_without_frames_has_nothing_that_the_model_must_match() -> None:
    assert failed(replace(CODEX, frames=())) == []


def test_a_recording_may_begin_in_the_middle_of_a_conversation() -> None:
    later = replace(TAPE, interactions=TAPE.interactions[1:])
    assert [each.rule for each in failed(later) if each.rule == "lint.ids-correlate"] == []


def test_the_web_clients_root_is_no_parent_that_has_to_be_there() -> None:
    rooted = asking(
        1, lambda body: json.dumps(json.loads(body) | {"parent_message_id": "client-created-root"}).encode()
    )
    assert "lint.ids-correlate" not in {each.rule for each in failed(rooted)}


def test_an_unreadable_request_is_judged_once() -> None:
    assert {each.rule for each in failed(asking(1, lambda _: b"{"))} == {"lint.return-conforms"}


def test_a_page_in_the_place_of_a_stream_is_no_fault_of_the_cassette() -> None:
    page = answering(1, lambda _: b"<html>", headers={"content-type": "text/html"}, status=403)
    assert {each.rule for each in failed(page)} <= {"lint.return-conforms"}


@pytest.mark.parametrize("headers", [{}, {"Content-Type": "Text/Event-Stream"}])
def test_an_answer_that_plays_as_a_stream_has_to_decode(headers: dict[str, str]) -> None:
    broken = answering(1, lambda body: body.replace(b'"o": "patch"', b'"o": "patches"'), headers=headers)
    assert "lint.decodes" in {each.rule for each in failed(broken)}


def test_rules_of_the_other_protocol_are_not_asked() -> None:
    report = lint(Tape(cassette=TAPE, data=dumps(TAPE)))
    assert "lint.frames-valid" not in {each.rule for each in report.findings}
    assert report.ok
