"""Judges Flow A: whole transcripts by all rules, or one return by those that need only its body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from wiretape.contract import Finding, Verifier, judge
from wiretape.flow_a.facts import SeenCall
from wiretape.flow_a.messages import called_tool, member
from wiretape.flow_a.reader import read
from wiretape.flow_a.rules import BODY_RULES, RULES
from wiretape.flow_a.view import Return

VERIFIER: Final = Verifier(
    protocol="flow_a",
    read=read,
    rules=RULES,
    unseen={
        "bodies": "no conversation or prepare request was seen",
        "requests": "no conversation request was seen",
        "prepares": "no prepare request was seen",
        "declarations": "no request was seen that could declare tools",
        "signatures": "no tool was declared",
        "streams": "no answer was streamed",
        "calls": "no call to a client's tool was seen",
        "server_calls": "no call to a server's tool was seen",
        "returns": "no return was seen",
        "retries": "no request was sent again after a fault refused it",
        "resumes": "no stream was resumed after a fault ended it",
        "deletions": "no conversation was deleted",
    },
)


def check_return(body: Mapping[str, Any], call: Mapping[str, Any], *, conversation_id: str) -> list[Finding]:
    """Judge a conversation request that carries a return, by the rules that need only its body.

    ``body`` is the whole request body, parsed; ``call`` the model's message that it answers, as it stood when
    it was complete. Gives one finding a rule. Raises ValueError when ``call`` is no call to a client's tool.
    """
    tool, call_id = called_tool(call.get("recipient")), call.get("id")
    if tool is None or not isinstance(call_id, str):
        raise ValueError(
            f"call must be a message with an id and a recipient local.<tool> or functions.<tool>; "
            f"got recipient {call.get('recipient')!r}, id {call_id!r}"
        )
    text = member(call, "content", "text")
    seen = SeenCall(
        id=call_id,
        tool=tool,
        recipient=call["recipient"],
        text=text if isinstance(text, str) else "",
        opened=0,
    )
    answer = Return(at="", order=0, body=body, call=seen, conversation_id=conversation_id)
    return judge(BODY_RULES, (answer,))
