"""Recordings of the real app-server: which of them show a client that does wrong, and by which rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from wiretape.codex.foreign import read
from wiretape.codex.rules import RULES
from wiretape.contract import Report
from wiretape.verdict import verify

TRANSCRIPTS = Path(__file__).parents[1] / "vectors" / "codex" / "transcripts"

VIOLATED: dict[str, set[str]] = {
    "0.171.0-stdio-old_shape": {"response.no-legacy-output"},
    "0.171.0-stdio-missing_success": {"response.success-boolean"},
    "0.171.0-stdio-wrong_ids": {"call.id-exact", "call.known-id", "call.answered-once"},
    "0.171.0-stdio-invalid_specs": {"thread-start.tool-spec-valid"},
    "0.171.0-stdio-no_experimental_api": {"initialize.experimental-api"},
    "0.171.0-stdio-handshake_and_errors": {
        "initialize.first",
        "initialize.client-info",
        "frame.valid-json",
        "frame.one-message",
    },
}
"""The must rules that a recording's client breaks; every other recording is of a client that does right."""

REMARKED: dict[str, set[str]] = {
    "0.171.0-stdio-interrupt_during_call": {"call.answered-in-time"},
    "0.171.0-stdio-handshake_and_errors": {"thread-start.no-removed-fields"},
}
"""Warnings and notes."""

PASSED: dict[str, set[str]] = {
    "0.171.0-stdio-success_text": {"call.answered", "call.id-exact", "response.text-is-string"},
    "0.171.0-ws-success_text": {"call.answered", "behavior.keeps-reading"},
    "0.171.0-stdio-success_image": {"response.image-inline", "response.image-decodable"},
    "0.171.0-stdio-success_false": {"response.success-boolean"},
    "0.171.0-stdio-jsonrpc_error": {"error.code-integer", "error.message-string", "call.handled"},
    "0.171.0-stdio-parallel_calls": {"call.answered", "call.answered-once", "call.answered-in-time"},
    "0.171.0-ws-ws_reconnect_pending_call": {"call.answered", "call.answered-once", "behavior.keeps-reading"},
    "0.171.0-stdio-auth_refresh_success": {"auth-refresh.answered", "auth-refresh.result-shape"},
    "0.171.0-stdio-auth_refresh_error": {"auth-refresh.answered", "error.code-integer"},
    "0.110.0-stdio-auth_refresh_error": {"auth-refresh.answered", "error.message-string"},
    "0.110.0-stdio-history_persist_extended": {"thread-start.no-removed-fields"},
    "0.171.0-stdio-wrong_ids": {"call.answered", "call.answered-in-time"},
}
"""Rules that a recording shows at work."""

RECORDED = sorted(path.stem for path in TRANSCRIPTS.glob("*.jsonl"))


def judged(name: str) -> Report:
    return verify(read((TRANSCRIPTS / f"{name}.jsonl").read_bytes(), name))


def short(rules: set[str]) -> set[str]:
    return {rule.removeprefix("codex.") for rule in rules}


def test_the_tables_speak_of_recordings_and_rules_that_exist() -> None:
    assert len(RECORDED) == 25
    assert (VIOLATED.keys() | REMARKED.keys() | PASSED.keys()) <= set(RECORDED)
    ids = short({rule.id for rule in RULES})
    assert set.union(*VIOLATED.values(), *REMARKED.values(), *PASSED.values()) <= ids


@pytest.mark.parametrize("name", RECORDED)
def test_a_recording_draws_the_verdict_of_the_table(name: str) -> None:
    report = judged(name)
    assert short({finding.rule for finding in report.violations}) == VIOLATED.get(name, set())
    remarked = {finding.rule for finding in (*report.warnings, *report.notes)}
    assert short(remarked) == REMARKED.get(name, set())


@pytest.mark.parametrize("name", PASSED)
def test_a_recording_shows_the_rules_that_it_is_about(name: str) -> None:
    passed = {finding.rule for finding in judged(name).findings if finding.outcome == "pass"}
    assert PASSED[name] <= short(passed)


def test_every_refused_declaration_is_found_and_no_other() -> None:
    """The recording has twenty declarations; its server refused all but three."""
    findings = [f for f in judged("0.171.0-stdio-invalid_specs").findings if f.failed]
    refused = (TRANSCRIPTS / "0.171.0-stdio-invalid_specs.jsonl").read_text("utf-8").count('"code": -32600')
    assert len({finding.at for finding in findings}) == len(findings) == refused == 17
