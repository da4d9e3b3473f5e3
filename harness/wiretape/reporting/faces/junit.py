"""The JUnit report: one suite a session, one test case a rule."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from wiretape.report import printable
from wiretape.reporting.faces.words import (
    about,
    by_rule,
    counts,
    ending,
    how_played,
    label,
    not_played,
    share,
    text,
)
from wiretape.reporting.model import Document

_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 can't hold, not even escaped."""
_TALLIES: Final = {"tests": "testcase", "failures": "failure", "errors": "error", "skipped": "skipped"}


def render(documents: Sequence[Document]) -> str:
    """JUnit XML. A failed ``must`` is a failure, a rule without a verdict is skipped, a warning is output."""
    root = Element("testsuites", name="wiretape")
    for document in documents:
        for cassette in document["cassettes"]:
            _suite(root, document, cassette)
        if document["stale"]:
            _stale(root, document["stale"])
    _tally(root)
    root.set("time", f"{sum(document['run'].get('seconds', 0) for document in documents):.3f}")
    indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _suite(root: Element, document: Document, cassette: Mapping[str, Any]) -> None:
    suite = SubElement(root, "testsuite", name=_xml(label(cassette)))
    ended = {each["cassette"]: each["seconds"] for each in document["run"].get("clients", ())}
    suite.set("time", f"{ended.get(cassette['name'], 0):.3f}")
    said = {"played": how_played(cassette), "behaviour": cassette["behavior"], "ending": ending(cassette)}
    said |= {"reproduce": cassette["reproduce"], "coverage": share(document["coverage"])}
    said |= {name: str(count) for name, count in counts(cassette).items()}
    _properties(suite, [*about(document["run"]), *said.items()])
    for rule, findings in by_rule(cassette).items():
        _case(suite, cassette, rule, findings)
    _played(_new_case(suite, cassette, "played"), cassette)
    _tally(suite)


def _new_case(suite: Element, cassette: Mapping[str, Any], name: str) -> Element:
    classname = f"wiretape.{label(cassette)}"
    return SubElement(suite, "testcase", classname=_xml(classname), name=_xml(name), time="0.000")


def _case(
    suite: Element, cassette: Mapping[str, Any], rule: str, findings: Sequence[Mapping[str, Any]]
) -> None:
    first, case = findings[0], _new_case(suite, cassette, rule)
    _properties(case, [(name, first[name]) for name in ("level", "evidence", "title", "spec")])
    failed = [finding for finding in findings if finding["outcome"] == "fail"]
    said = _xml("\n".join(map(text, failed)))
    if failed and first["level"] == "must":
        many = f"{len(failed)} × {rule}" if len(failed) > 1 else f"{rule} at {first['path'] or first['at']}"
        SubElement(case, "failure", type="must", message=_xml(printable(many))).text = said
    elif failed:
        SubElement(case, "system-out").text = said
    elif first["outcome"] != "pass":
        SubElement(case, "skipped", message=_xml(f"{first['outcome']}: {first['because']}"))


def _played(case: Element, cassette: Mapping[str, Any]) -> None:
    if missing := not_played(cassette):
        message = "the session was not played to its end"
        SubElement(case, "error", type="unplayed", message=message).text = _xml("\n".join(missing))


def _stale(root: Element, entries: Sequence[str]) -> None:
    suite = SubElement(root, "testsuite", name="baseline", time="0.000")
    for entry in entries:
        case = SubElement(suite, "testcase", classname="wiretape.baseline", name=_xml(entry), time="0.000")
        SubElement(case, "failure", type="stale", message="accepts nothing any more; remove the entry")
    _tally(suite)


def _tally(element: Element) -> None:
    for plural, singular in _TALLIES.items():
        element.set(plural, str(sum(1 for _ in element.iter(singular))))


def _properties(parent: Element, rows: Sequence[tuple[str, str]]) -> None:
    properties = SubElement(parent, "properties")
    for name, said in rows:
        if said:
            SubElement(properties, "property", name=name, value=_xml(said))


def _xml(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
