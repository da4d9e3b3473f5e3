"""Each face is valid in its format, whatever a client has sent, and says what the report says."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import xmlschema
from jsonschema import Draft202012Validator

from tests.schemas import complaint
from tests.unit.reported import (
    HOSTILE,
    RUN,
    finding,
    fine_document,
    hostile_document,
    part,
    rendered,
    report,
    wrong_session,
)
from wiretape.reporting.faces import FACES
from wiretape.reporting.faces.markdown import LIMIT
from wiretape.reporting.model import document

VECTORS = Path(__file__).parents[1] / "vectors" / "reports"
SAID_BY_ALL = ("json", "junit", "html", "md", "text")
"""The faces that hold everything; annotations hold findings, a badge two numbers."""


@pytest.mark.parametrize("kind", FACES)
def test_no_control_character_reaches_a_report(kind: str) -> None:
    assert not {each for each in rendered(kind) if ord(each) < 32} - {"\n"}


@pytest.mark.parametrize("kind", SAID_BY_ALL)
@pytest.mark.parametrize(
    "said",
    [
        *("flow_a.return.recipient-is-all", "messages[0].recipient", "alefita_way", "(request 6)"),
        *("recipient: ", "NOT the tool name", "the tool's name belongs in author.name"),
        *("client.py", "0" * 64, "instant", "wiretape check -- client"),
    ],
)
def test_what_went_wrong_where_why_and_how_it_was_run(kind: str, said: str) -> None:
    wrong = part(wrong_session(recipient="alefita_way"), reproduce="wiretape check -- client")
    text = rendered(kind, document([wrong], RUN)).replace("&#39;", "'")
    assert said in text


def test_json_is_one_ascii_line_that_its_schema_takes() -> None:
    text = rendered("json")
    assert text.isascii()
    assert text.count("\n") == 1
    whole = json.loads(text)
    assert complaint("report", whole) is None
    assert (whole["ok"], whole["played"], whole["run"]["pace"]) == (False, False, "instant")


def test_a_json_report_with_a_stream_of_no_chunk_is_refused() -> None:
    whole = json.loads(rendered("json"))
    one = {"count": 1, "recorded_ms": None, "played_ms": 1.0}
    stream = {"place": "p", "path": "", "of": "chunks", "end": "complete", "count": 1, "bytes": 1}
    for points, right in (([one], True), ([], False)):
        whole["cassettes"][0]["streams"] = [stream | {"points": points}]
        assert (complaint("report", whole) is None) == right


@pytest.mark.parametrize("key", ["length", "offset", "value", "lines"])
def test_a_json_report_with_half_an_exhibit_is_refused(key: str) -> None:
    whole = json.loads(rendered("json"))
    del whole["cassettes"][0]["findings"][0]["exhibit"][key]
    assert complaint("report", whole) is not None


# --- JUnit


def junit(*documents: Mapping[str, Any]) -> ElementTree.Element:
    return ElementTree.fromstring(rendered("junit", *documents))


def refused(text: str) -> bool:
    return not xmlschema.XMLSchema(VECTORS / "junit.xsd").is_valid(text)


@pytest.mark.parametrize("documents", [(), (fine_document(),), (hostile_document(), fine_document())])
def test_junit_is_valid(documents: tuple[Mapping[str, Any], ...]) -> None:
    assert not refused(rendered("junit", *documents))


def test_a_junit_report_with_an_element_that_nobody_knows_is_refused() -> None:
    assert refused(rendered("junit").replace("system-out", "system-log"))


def test_junit_has_a_case_for_each_rule_and_one_for_the_session() -> None:
    wrong, fine, stale = junit()
    cases = {
        case.get("name"): [child.tag for child in case if child.tag != "properties"]
        for case in wrong.iter("testcase")
    }
    assert cases == {
        "flow_a.a.wrong": ["failure"],
        "flow_a.b.warned": ["system-out"],
        "flow_a.c.noted": ["system-out"],
        "flow_a.d.fine": [],
        "flow_a.e.unseen": ["skipped"],
        "played": ["error"],
    }
    numbers = {key: wrong.get(key) for key in ("tests", "failures", "errors", "skipped", "time")}
    assert numbers == {"tests": "6", "failures": "1", "errors": "1", "skipped": "1", "time": "1.250"}
    assert (fine.get("failures"), fine.get("errors")) == ("0", "0")
    assert (stale.get("name"), stale.get("failures")) == ("baseline", "1")


def test_junit_has_what_is_known_of_the_run_and_of_a_rule_as_properties() -> None:
    wrong = junit(document([part(wrong_session(recipient="x"))], RUN))[0]
    suite = {each.get("name"): each.get("value") for each in wrong[0]}
    assert suite["command"] == "python client.py 'it'\"'\"'s'"
    assert suite["client"] == "alefita_way: exit code 0 after 1.25 s"
    case = wrong.find("testcase[@name='flow_a.return.recipient-is-all']")
    assert case is not None
    assert {each.get("name"): each.get("value") for each in case[0]}["title"] == "The recipient is all"


def test_junit_shows_every_failure_of_a_rule() -> None:
    failure = junit().find(".//failure")
    assert failure is not None
    assert failure.get("message") == "2 × flow_a.a.wrong"
    assert str(failure.text).count("FAIL flow_a.a.wrong") == 2


def test_a_key_that_a_client_chose_is_escaped_in_a_junit_message() -> None:
    one = report("x", finding("a.wrong", path="a\u202e\x1b[2J"))
    failure = junit(document([part(wrong_session(), one)], RUN)).find(".//failure")
    assert failure is not None
    assert failure.get("message") == "flow_a.a.wrong at a\\u202e\\x1b[2J"


# --- Markdown


def unfenced(text: str) -> str:
    """What of a Markdown text is no code."""
    without_blocks = re.sub(r"^(`{3,})\w*\n.*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"(`+).+?(?<!`)\1(?!`)", "", without_blocks)


def test_markdown_shows_what_a_client_sent_as_code_only() -> None:
    outside = unfenced(rendered("md"))
    assert "### " in outside
    assert not {"alert", "@someone", "::error"} & set(re.findall(r"[@:\w]+", outside))


def test_markdown_of_a_report_that_somebody_else_wrote_has_no_markup_of_theirs() -> None:
    whole = hostile_document()
    whole["cassettes"][0]["findings"][0]["title"] = "\n# <img src=x> [link](http://x) @all"
    whole["cassettes"][0]["ending"]["streams"] = {"| <b>\n": 1}
    text = unfenced(rendered("md", whole))
    assert "img" in text
    assert not re.findall(r"^# |(?<!\\)<(?:img|b)\b|(?<!\\)\[link|(?<!\\)@all", text, re.MULTILINE)


def test_code_that_is_no_code_is_found() -> None:
    assert "alert" in unfenced("`a` alert(1) `b`\n```text\nx\n```\n")


def test_markdown_has_two_verdicts_for_each_session() -> None:
    assert "| `plain_answer` | `recorded` | PASS | ok | read to its end | " in rendered("md", fine_document())


def test_markdown_is_bounded_and_counts_what_it_leaves_out() -> None:
    wrong = report("x", *(finding("a.wrong", path=f"messages[{n}]", got="x" * 300) for n in range(20)))
    parts = [part(wrong_session(), wrong)] * 120
    text = rendered("md", document(parts, RUN))
    assert len(text) <= LIMIT
    assert "and 20 more sessions" in text
    assert re.search(r"\*\d+ more parts have no room here", text)


def test_markdown_of_one_very_long_name_is_bounded() -> None:
    assert len(rendered("md", document([part(wrong_session(name="x" * 99_999))], RUN))) <= LIMIT


# --- annotations and badge


ANNOTATION = re.compile(
    r"::(?P<command>error|warning|notice)(?: (?P<properties>(?:\w+=[^,:\n]*,?)*))?::(?P<message>[^\r\n]*)"
)


def annotations(text: str) -> list[dict[str, str]]:
    """What GitHub's runner reads from lines; anything else is an error."""
    read = []
    for line in text.splitlines():
        found = ANNOTATION.fullmatch(line)
        assert found, line
        pairs = dict(each.split("=", 1) for each in found["properties"].split(","))
        known = {**pairs, "command": found["command"], "message": found["message"]}
        read.append({name: _unescaped(value) for name, value in known.items()})
    return read


def _unescaped(text: str) -> str:
    for code, character in {"%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ",", "%25": "%"}.items():
        text = text.replace(code, character)
    return text


def test_each_failed_finding_is_an_annotation_of_its_level() -> None:
    found = annotations(rendered("github"))
    assert [each["command"] for each in found] == ["error", "error", "warning", "notice", "error", "error"]
    assert found[0]["title"] == "flow_a.a.wrong in alefita_way"
    assert '\n  want  "all"\n' in found[0]["message"]
    assert found[4]["title"].startswith("not played to its end")
    assert found[5]["title"] == "stale baseline entry"


def test_an_annotation_is_at_the_test_or_else_at_the_cassette() -> None:
    wrong = report("x", finding("a.wrong", path="100%,a:b"))
    at_test = part(wrong_session(), wrong, test="tests/test_a.py::test_b[c]", line=7, source="x.yaml")
    at_file = part(wrong_session(), wrong, source="tapes/x,1.yaml", reproduce="wiretape check -- c")
    first, second = annotations(rendered("github", document([at_test, at_file], RUN)))
    assert (first["file"], first["line"]) == ("tests/test_a.py", "7")
    assert second["file"] == "tapes/x,1.yaml"
    assert "line" not in second
    assert "100%,a:b" in second["message"]
    assert second["message"].endswith("\nreproduce: wiretape check -- c")


def test_a_client_can_not_forge_an_annotation() -> None:
    forged = report("x", finding("a.wrong", got="a\n::error::b", hint="\r\n::stop-commands::x"))
    assert len(annotations(rendered("github", document([part(wrong_session(), forged)], RUN)))) == 1


@pytest.mark.parametrize("command", ["##[add-mask]ok", "##vso[task.complete result=Failed]", "###[error]x"])
@pytest.mark.parametrize("face", ["github", "text", "md"])
def test_no_face_for_a_log_carries_a_command_of_the_old_form(face: str, command: str) -> None:
    wrong = finding("a.wrong", path=command, got=f"a {command}", hint=command)
    shown = part(wrong_session(), report("x", wrong, unplayed=(command,)), source=command)
    page = rendered(face, document([shown], replace(RUN, command=(command,)), [command]))
    assert not re.search(r"##(vso)?\[", page)
    assert r"\x23#" in page


BADGE = Draft202012Validator(json.loads((VECTORS / "badge.schema.json").read_text("utf-8")))


@pytest.mark.parametrize(
    ("documents", "message", "color"),
    [
        ((fine_document(),), "1/1 sessions", "brightgreen"),
        ((hostile_document(),), "1/2 sessions", "red"),
        ((fine_document(), hostile_document()), "2/3 sessions", "red"),
        ((document([part(wrong_session(), report("x", unplayed=("all",)))], RUN),), "0/1 sessions", "yellow"),
        ((document([part(wrong_session(), report("x"))], RUN, ["gone"]),), "1/1 sessions", "red"),
    ],
)
def test_a_badge_counts_sessions_in_the_colour_of_the_worst(
    documents: tuple[Mapping[str, Any], ...], message: str, color: str
) -> None:
    badge = json.loads(rendered("badge", *documents))
    BADGE.validate(badge)
    assert (badge["message"], badge["color"]) == (message, color)


def test_a_badge_without_a_message_is_refused() -> None:
    assert not BADGE.is_valid({"schemaVersion": 1, "label": "wiretape"})


def test_text_tells_the_clients_apart() -> None:
    text = rendered("text", fine_document(), hostile_document())
    assert text.startswith("1 of 3 sessions went wrong, and 1 accepted finding is stale.")
    assert "plain_answer (recorded): PASS, ok · read to its end" in text
    assert f"FAIL baseline: {HOSTILE[:10]}" in text


def test_markdown_tells_the_clients_apart() -> None:
    text = rendered("md", fine_document(), hostile_document())
    assert "\n## `python client.py " in text
