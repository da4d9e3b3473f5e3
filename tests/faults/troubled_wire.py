"""Writes transcripts of sessions in which something goes wrong."""

from __future__ import annotations

import json
from typing import Any

from tests.unit.flow_a_wire import CONVERSATION, Wire
from wiretape.contract import Finding
from wiretape.transcript import Body, Chunk, Response, Struck

RESUME = "/backend-api/f/conversation/resume"


class Faulty(Wire):
    """A transcript of a session that goes wrong."""

    def strike(self, number: int, fault: str) -> None:
        self.transcript.faults = (fault,)
        self.transcript.entries.append(Struck(connection=f"request {number}", fault=fault, at=0.0))

    def struck_turn(
        self, body: dict[str, Any], chunks: list[bytes], fault: str, count: int | None = None
    ) -> int:
        """A request whose answer a fault strikes, as far as ``count`` chunks."""
        challenge = self.challenge()
        self.prepare(**({"conversation_id": CONVERSATION} if "conversation_id" in body else {}))
        number = self.send(body | {"app_attest_challenge": challenge})
        self.strike(number, fault)
        self.plan(number, chunks)
        self.write(number, count)
        return number

    def refuse(self, body: dict[str, Any], fault: str, status: int, answer: object, **headers: str) -> str:
        """A conversation request that a fault refuses; its challenge."""
        challenge = self.challenge()
        self.prepare(**({"conversation_id": CONVERSATION} if "conversation_id" in body else {}))
        number = self.send(body | {"app_attest_challenge": challenge})
        self.strike(number, fault)
        self.refused(number, status, answer, **headers)
        return challenge

    def refused(self, number: int, status: int, answer: object, **headers: str) -> None:
        pairs = tuple((name.replace("_", "-"), value) for name, value in headers.items())
        body = Body(json.dumps(answer).encode())
        self.transcript.entries.append(
            Response(number=number, status=status, headers=pairs, body=body, at=0.0)
        )

    def resume(
        self, offset: object, chunks: list[bytes], start: int, conversation: str = CONVERSATION
    ) -> None:
        """A resume that brings the rest of ``chunks`` from the chunk ``start`` on."""
        body = json.dumps({"conversation_id": conversation, "offset": offset}).encode()
        number = self.request("POST", RESUME, body)
        whole = b"".join(chunks)
        self.respond(number, whole)
        begin = len(b"".join(chunks[:start]))
        self.transcript.entries.append(Chunk(number=number, start=begin, stop=len(whole), at=0.0))
        self.end(number)


def finding(wire: Faulty, rule: str) -> Finding:
    """The one finding of a rule."""
    (found,) = [each for each in wire.report().findings if each.rule == f"flow_a.{rule}"]
    return found
