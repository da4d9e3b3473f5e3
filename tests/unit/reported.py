"""Reports to test faces with: a hostile client's, a conforming one's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tests.unit.flow_a_wire import Wire, answer_stream, call_stream, conforming, tool_return, user_turn
from wiretape.contract import Finding, Report
from wiretape.reporting.model import Judged, document, verdict
from wiretape.reporting.run import ClientEnd, Hashed, Run

HOSTILE = (
    '</pre><script>alert(1)</script> ``` | \x00\x1b[31m\ud83d & "quoted" ]]> @someone ::error::\r\n{{7*7}}'
)
RUN = Run(
    version="1",
    command=("python", "client.py", "it's"),
    cassettes=(Hashed(name="alefita_way", sha256="0" * 64),),
    pace="instant",
    seconds=1.5,
    faults=(),
    clients=(ClientEnd(cassette="alefita_way", exit_code=0, timed_out=False, seconds=1.25),),
)


def wrong_session(name: str = "alefita_way", **changes: Any) -> Wire:
    """A session whose return has other members than a right one."""
    wire = Wire(name=name)
    wire.turn(user_turn(), call_stream())
    body = tool_return()
    body["messages"][0] |= changes
    wire.turn(body, answer_stream())
    return wire


def part(wire: Wire, report: Report | None = None, **about: Any) -> dict[str, Any]:
    """One session's part of a report."""
    return verdict(Judged(report=report or wire.report(), transcript=wire.transcript, **about))


def finding(rule: str, level: Any = "must", outcome: Any = "fail", **fields: Any) -> Finding:
    return Finding(
        rule=f"flow_a.{rule}", level=level, outcome=outcome, evidence="wire", spec="§3 «all»", **fields
    )


def report(name: str, *findings: Finding, **fields: Any) -> Report:
    return Report(name=name, protocol="flow_a", findings=findings, **fields)


def hostile() -> dict[str, Any]:
    """Everything that a client or a file may choose is an attack on the report."""
    wire = wrong_session(recipient=HOSTILE, **{HOSTILE: HOSTILE})
    at = "POST …/f/conversation (request 6)"
    verdict_on_it = report(
        "alefita_way",
        finding("a.wrong", path="messages[0].recipient", at=at, want="all", got=HOSTILE, hint=HOSTILE),
        finding("a.wrong", path=f"messages[0].{HOSTILE}", at=at, want={"a": 1}, got={HOSTILE: HOSTILE}),
        finding("b.warned", "should", path="messages[0].metadata", want="allowed keys", got="allowed words"),
        finding("c.noted", "observed"),
        finding("d.fine", outcome="pass"),
        finding("e.unseen", outcome="not_observed", because=HOSTILE),
        unplayed=(f"interaction 2 {HOSTILE}",),
    )
    return part(wire, verdict_on_it, source=HOSTILE, reproduce=f"wiretape check -- {HOSTILE}")


def hostile_document() -> dict[str, Any]:
    fine = part(conforming(name=HOSTILE), test=f"tests/test_it.py::test_it[{HOSTILE}]", line=7)
    return document([hostile(), fine], replace(RUN, command=(HOSTILE,)), [HOSTILE])


def fine_document() -> dict[str, Any]:
    return document([part(conforming(name="plain_answer"))], RUN)


def rendered(kind: str, *documents: Mapping[str, Any]) -> str:
    from wiretape.reporting.faces import FACES

    given: Sequence[Mapping[str, Any]] = documents or (hostile_document(),)
    return FACES[kind](given)
