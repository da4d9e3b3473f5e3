"""Rules about the tools that a client declares."""

from __future__ import annotations

from typing import Any, Final

from wiretape.contract import Answer, Fault, Rule, Skip, Unseen
from wiretape.flow_a.declarations import param_misfit, signature_misfit, type_misfit
from wiretape.flow_a.rules.source import NOTES, rule
from wiretape.flow_a.view import ConversationRequest, PlayedCall, Return, Signature, Signatures
from wiretape.strictjson import ABSENT

_NO_REQUEST: Final = Skip("the request is not known")
_UNREADABLE: Final = Skip("flow_a.signature.shape")


def _shape(signature: Signature) -> Answer:
    if signature.path == "local_function_signatures":
        return Fault(signature.path, "a list of signatures", signature.value)
    wrong = signature_misfit(signature.value)
    return Fault(signature.path + wrong[0], *wrong[1:]) if wrong else None


def _params(signature: Signature) -> Answer:
    params: Any = signature.value.get("params") if isinstance(signature.value, dict) else None
    if not isinstance(params, list):
        return _UNREADABLE
    for index, param in enumerate(params):
        wrong = param_misfit(param) or type_misfit(param["type"])
        if wrong is not None:
            where, want, got = wrong
            return Fault(f"{signature.path}.params[{index}]{where}", want, got)
    return None


def _unique(signatures: Signatures) -> Answer:
    names = signatures.names
    if not names:
        return Unseen("no tool was declared")
    seen: set[str] = set()
    for index, name in enumerate(names):
        if not isinstance(name, str):
            continue
        if name in seen:
            return Fault(f"local_function_signatures[{index}].name", "a name of its own", name)
        seen.add(name)
    return None


def _handoff(signatures: Signatures) -> Answer:
    # An empty list is what temporary chats send, and the field is left out where the feature is off.
    if not signatures.names:
        return Unseen("no tool was declared")
    if "handoff" in signatures.names:
        return None
    if not signatures.readable:
        return _UNREADABLE
    return Fault("local_function_signatures", "handoff among the declared tools", signatures.names)


def _undeclared(request: ConversationRequest, tool: str) -> Answer:
    if tool in request.declared:
        return None
    signatures = request.signatures
    if not signatures.readable:
        return _UNREADABLE
    got = ABSENT if signatures.value is ABSENT else signatures.names
    return Fault("local_function_signatures", f"a signature of {tool}", got, at=request.at)


def _tool_declared(call: PlayedCall) -> Answer:
    return _undeclared(call.request, call.seen.tool)


def _still_declared(answer: Return) -> Answer:
    return _undeclared(answer.request, answer.call.tool) if answer.request else _NO_REQUEST


SIGNATURE_RULES: Final[tuple[Rule, ...]] = (
    rule(
        "request.tool-declared",
        "A tool that is called was declared in the request",
        _tool_declared,
        scope="calls",
        section="§1",
        quote="Field local_function_signatures (array).",
        evidence="wire",
        good='{"local_function_signatures": [{"name": "alefita_way", …}]} in that request',
        bad=("the request that brings the call declares other tools only",),
        hint="declare every tool that the client can run, in every conversation request",
    ),
    rule(
        "request.handoff-declared",
        "handoff is among the declared tools",
        _handoff,
        scope="declarations",
        level="should",
        section="§1",
        quote="handoff is what the app always sends — the server expects it in normal turns",
        evidence="wire",
        good="handoff and the client's own tools",
        bad=("only the client's own tools",),
    ),
    rule(
        "signature.shape",
        "A signature has name, description, params and type kwargs",
        _shape,
        scope="signatures",
        section="§6",
        quote="export type LocalFunctionSignatureKind = 'kwargs' // only 'kwargs' observed",
        evidence="wire",
        good='{"description": "…", "name": "alefita_way", "params": [], "type": "kwargs"}',
        bad=('{"name": "alefita_way", "parameters": {}}', '"alefita_way"'),
    ),
    rule(
        "signature.param-shape",
        "A parameter has name, required and a type with description",
        _params,
        scope="signatures",
        section="§6",
        quote="type: 'string' // 'string' observed (message/prompt/reason)",
        evidence="wire",
        good='{"name": "message", "required": true, "type": {"description": "…", "type": "string"}}',
        bad=('{"name": "message", "type": "string"}', '{"name": "message", "required": "yes", "type": {}}'),
    ),
    rule(
        "signature.unique-names",
        "No two declared tools have the same name",
        _unique,
        scope="declarations",
        document=NOTES,
        section="Declaration",
        quote="A call names its tool and nothing else, so a name must mean one tool.",
        evidence="inferred",
        good="alefita_way, handoff",
        bad=("alefita_way, alefita_way",),
    ),
)

STILL_DECLARED: Final = rule(
    "return.tools-still-declared",
    "The return's request still declares the tool",
    _still_declared,
    scope="returns",
    level="should",
    document=NOTES,
    section="Declaration",
    quote="The request of a return is built like any other and repeats the declarations.",
    evidence="inferred",
    good="the same local_function_signatures as in the request that brought the call",
    bad=("the return's request leaves local_function_signatures out",),
)
