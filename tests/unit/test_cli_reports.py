"""Reports as files: valid in their format, whatever a client has sent."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from wiretape.contract import Finding, Report
from wiretape_cli.reports.files import KINDS, Target, write

RUN = {"version": "1", "command": ["python", "client.py"], "seconds": 1.5}
HOSTILE = '</pre><script>alert(1)</script> ``` | \x00\x1b[31m\ud83d & "quoted" ]]>'


def finding(rule: str, level: Any = "must", outcome: Any = "fail", **fields: Any) -> Finding:
    return Finding(
        rule=f"flow_a.{rule}", level=level, outcome=outcome, evidence="wire", spec="§3 «all»", **fields
    )


WRONG = Report(
    name="alefita_way",
    protocol="flow_a",
    findings=(
        finding(
            "a.wrong", path="messages[0].recipient", at="request 6", want="all", got=HOSTILE, hint=HOSTILE
        ),
        finding("a.wrong", path="messages[1].recipient", at="request 9", want="all", got="x"),
        finding("b.warned", "should", path="messages[0].metadata"),
        finding("c.fine", outcome="pass"),
        finding("d.unseen", outcome="not_observed", because="no return was seen"),
    ),
    unplayed=(f"interaction 2 {HOSTILE}",),
)
FINE = Report(name="plain_answer", protocol="flow_a", findings=(finding("c.fine", outcome="pass"),))


@pytest.fixture
def written(tmp_path: Path) -> dict[str, str]:
    targets = [Target(kind, tmp_path / kind) for kind in KINDS]
    write(targets, [WRONG, FINE], RUN)
    return {target.kind: target.file.read_text("utf-8") for target in targets}


def test_json_is_one_ascii_line(written: dict[str, str]) -> None:
    assert written["json"].isascii()
    assert written["json"].count("\n") == 1
    report = json.loads(written["json"])
    assert (report["ok"], report["played"], report["run"]) == (False, False, RUN)
    assert [each["name"] for each in report["cassettes"]] == ["alefita_way", "plain_answer"]


def test_junit_has_a_case_for_each_rule_and_one_for_the_session(written: dict[str, str]) -> None:
    root = ElementTree.fromstring(written["junit"])
    wrong, fine = root
    cases = {case.get("name"): [child.tag for child in case] for case in wrong.iter("testcase")}
    assert cases == {
        "flow_a.a.wrong": ["failure"],
        "flow_a.b.warned": ["system-out"],
        "flow_a.c.fine": [],
        "flow_a.d.unseen": ["skipped"],
        "played": ["error"],
    }
    numbers = {key: wrong.get(key) for key in ("tests", "failures", "errors", "skipped")}
    assert numbers == {"tests": "5", "failures": "1", "errors": "1", "skipped": "1"}
    assert (fine.get("tests"), fine.get("failures"), fine.get("errors")) == ("2", "0", "0")


def test_junit_shows_every_failure_of_a_rule(written: dict[str, str]) -> None:
    failure = ElementTree.fromstring(written["junit"]).find(".//failure")
    assert failure is not None
    assert failure.get("message") == "2 × flow_a.a.wrong"
    assert "request 6" in str(failure.text)
    assert "request 9" in str(failure.text)


def test_a_key_that_a_client_chose_is_escaped_in_a_junit_message(tmp_path: Path) -> None:
    report = Report(name="x", protocol="flow_a", findings=(finding("a.wrong", path="a\u202e\x1b[2J"),))
    write([Target("junit", tmp_path / "junit")], [report], RUN)
    failure = ElementTree.parse(tmp_path / "junit").find(".//failure")
    assert failure is not None
    assert failure.get("message") == "flow_a.a.wrong at a\\u202e\\x1b[2J"


def test_no_control_character_reaches_a_report(written: dict[str, str]) -> None:
    for kind, text in written.items():
        assert not {each for each in text if ord(each) < 32} - {"\n"}, kind


def test_markdown_keeps_what_a_client_sent_inside_its_fence(written: dict[str, str]) -> None:
    lines = written["md"].splitlines()
    fences = [number for number, line in enumerate(lines) if line.startswith("```")]
    inside = {n for begin, end in zip(fences[::2], fences[1::2], strict=True) for n in range(begin, end + 1)}
    assert {n for n, line in enumerate(lines) if "alert(1)" in line} <= inside
    assert any(line.startswith("| alefita_way | FAIL | 1 | 2 | 1 |") for line in lines)
    assert any(line.startswith("| plain_answer | PASS | 1 | 0 |") for line in lines)


def test_html_shows_what_a_client_sent_as_text(written: dict[str, str]) -> None:
    class Tags(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.seen: set[str] = set()
            self.text = ""

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            self.seen.add(tag)
            assert not {name for name, _ in attrs if name.startswith("on") or name in ("src", "href")}

        def handle_data(self, data: str) -> None:
            self.text += data

    page = Tags()
    page.feed(written["html"])
    assert "script" not in page.seen
    assert "<script>alert(1)</script>" in page.text
    assert "flow_a.a.wrong" in page.text
