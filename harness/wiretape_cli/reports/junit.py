"""The JUnit report: one suite a cassette, one test case a rule."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from wiretape.contract import Finding, Report
from wiretape.report import finding_text, printable
from wiretape_cli.reports.verdict import by_rule, counts, not_played

NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 can't hold, not even escaped."""


def render(reports: Sequence[Report], run: Mapping[str, Any]) -> str:
    """JUnit XML. A failed ``must`` is a failure, a rule without a verdict is skipped, a warning is output."""
    root = Element("testsuites", name="wiretape", time=f"{run.get('seconds', 0):.3f}")
    for report in reports:
        _suite(root, report)
    indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _suite(root: Element, report: Report) -> None:
    suite = SubElement(root, "testsuite", name=_xml(report.name))
    properties = SubElement(suite, "properties")
    for name, count in counts(report).items():
        SubElement(properties, "property", name=name, value=str(count))
    for rule, findings in by_rule(report).items():
        _case(suite, report, rule, findings)
    _played(SubElement(suite, "testcase", classname=_xml(f"wiretape.{report.name}"), name="played"), report)
    cases = suite.findall("testcase")
    suite.set("tests", str(len(cases)))
    for plural, singular in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(plural, str(sum(case.find(singular) is not None for case in cases)))


def _case(suite: Element, report: Report, rule: str, findings: Sequence[Finding]) -> None:
    case = SubElement(suite, "testcase", classname=_xml(f"wiretape.{report.name}"), name=_xml(rule))
    failed = [finding for finding in findings if finding.failed]
    text = _xml("\n".join(finding_text(finding) for finding in failed))
    if failed and failed[0].level == "must":
        message = (
            f"{len(failed)} × {rule}" if len(failed) > 1 else f"{rule} at {failed[0].path or failed[0].at}"
        )
        SubElement(case, "failure", type="must", message=printable(message)).text = text
    elif failed:
        SubElement(case, "system-out").text = text
    elif findings[0].outcome != "pass":
        SubElement(case, "skipped", message=_xml(f"{findings[0].outcome}: {findings[0].because}"))


def _played(case: Element, report: Report) -> None:
    if missing := not_played(report):
        message = "the session was not played to its end"
        SubElement(case, "error", type="unplayed", message=message).text = _xml("\n".join(missing))


def _xml(text: str) -> str:
    return NOT_XML.sub("\ufffd", text)
