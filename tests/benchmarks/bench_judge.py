"""P12: all rules on one client request, against parsing it once and against a JSON Schema validator."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.protocols import Validator
from referencing import Registry, Resource

from tests.benchmarks.measure import Line, compare
from wiretape.contract import Finding, judge
from wiretape.flow_a.check import VERIFIER
from wiretape.flow_a.facts import SeenCall
from wiretape.flow_a.json_body import JsonBody
from wiretape.flow_a.view import ConversationRequest, Return, Signature, Signatures

GOALS = ("P12",)
_VECTORS = Path(__file__).parents[1] / "vectors" / "flow_a" / "returns.json"
_REPEATS = 50


def run() -> Iterator[Line]:
    vectors = json.loads(_VECTORS.read_bytes())
    body, call = vectors["cases"][0]["request"], vectors["calls"]["alefita"]
    raw = json.dumps(body).encode()
    seen = SeenCall(
        id=call["id"], tool="alefita_way", recipient=call["recipient"], text=call["content"]["text"], opened=0
    )

    def parse() -> int:
        for _ in range(_REPEATS):
            json.loads(raw)
        return 0

    def rules() -> int:
        for _ in range(_REPEATS):
            findings = _judged(body, seen, vectors["conversation_id"])
        return sum(finding.failed for finding in findings)

    def validate() -> int:
        validator = _validator()
        return sum(len(list(validator.iter_errors(body))) for _ in range(_REPEATS))

    ratios = compare({"rules": rules, "json.loads": parse, "jsonschema": validate})
    yield ratios.at_most("P12", "all rules on one return", 1.0, of="rules", to="json.loads")
    yield ratios.at_most("P12", "all rules on one return", 0.05, of="rules", to="jsonschema")


def _judged(body: dict[str, Any], seen: SeenCall, conversation_id: str) -> list[Finding]:
    """Ask every rule whose subject this request has."""
    json_body = JsonBody(at="", value=body, readable=True)
    declared = Signatures(at="", value=body["local_function_signatures"])
    request = ConversationRequest(at="", order=0, json=json_body, signatures=declared, challenge="fresh")
    answer = Return(
        at="",
        order=0,
        body=body,
        call=seen,
        conversation_id=conversation_id,
        request=request,
        expected="echo",
    )
    findings = judge(VERIFIER.by_scope["bodies"], (json_body,))
    findings += judge(VERIFIER.by_scope["requests"], (request,))
    findings += judge(VERIFIER.by_scope["returns"], (answer,))
    findings += judge(VERIFIER.by_scope["declarations"], (declared,))
    for index, each in enumerate(body["local_function_signatures"]):
        path = f"local_function_signatures[{index}]"
        findings += judge(VERIFIER.by_scope["signatures"], (Signature(at="", path=path, value=each),))
    return findings


@cache
def _validator() -> Validator:
    folder = resources.files("wiretape.flow_a") / "schemas"
    schemas = [json.loads(each.read_bytes()) for each in folder.iterdir() if each.name.endswith(".json")]
    registry: Registry[Any] = Registry().with_resources(
        (schema["$id"], Resource.from_contents(schema)) for schema in schemas
    )
    (schema,) = (s for s in schemas if s["$id"].endswith("/conversation-request.schema.json"))
    return Draft202012Validator(schema, registry=registry)
