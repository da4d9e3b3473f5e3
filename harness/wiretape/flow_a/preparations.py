"""Keeps the books of what goes before conversation requests: challenges issued and spent, prepares paired."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

from wiretape import strictjson
from wiretape.flow_a.json_body import JsonBody
from wiretape.flow_a.view import ChallengeState, ConversationRequest, Prepare
from wiretape.strictjson import ABSENT


class Preparations:
    """``live``: this server played the session, so every challenge and every prepare was seen.

    ``conversations`` are those that have begun, by id; somebody else keeps them.
    """

    def __init__(self, *, live: bool, conversations: Container[str]) -> None:
        self.live = live
        self.conversations = conversations
        self.issued: set[str] = set()
        self.spent: set[str] = set()
        self.waiting: list[Prepare] = []
        """Prepares that serve no request yet."""
        self.last_request: dict[str, int] = {}
        """Order of the latest request of each conversation."""

    def challenge_issued(self, answer: dict[str, Any]) -> None:
        """The backend gave a challenge."""
        challenge = answer.get("attestation_challenge")
        if isinstance(challenge, str):
            self.issued.add(challenge)

    def spend_challenge(self, body: dict[str, Any]) -> ChallengeState:
        """A conversation request carries a challenge: what is to be said of it, and that it is spent now."""
        challenge = body.get("app_attest_challenge", ABSENT)
        if challenge is ABSENT:
            return "absent"
        if not isinstance(challenge, str) or (self.live and challenge not in self.issued):
            return "not issued"
        if not self.live and challenge.startswith("<"):
            return "unknown"  # a placeholder in a cassette
        if challenge in self.spent:
            return "reused"
        self.spent.add(challenge)
        return "fresh" if challenge in self.issued else "unknown"

    def prepared(self, at: str, order: int, body: JsonBody) -> Prepare:
        """A prepare request came."""
        prepare = Prepare(at=at, order=order, json=body, token=None)
        self.waiting.append(prepare)
        return prepare

    def pair(self, request: ConversationRequest, conversation_id: str) -> None:
        """Find the prepares of a request: by the conduit token that it carries, else by order."""
        since = self.last_request.get(conversation_id, -1)
        if conversation_id:  # first turns have none, and must not end each other's time
            self.last_request[conversation_id] = request.order
        free = [each for each in self.waiting if each.order > since]
        # Two returns may be prepared together; a log may hold the same placeholder for all tokens.
        linked = _with_token(free, request) or _with_token(self.waiting, request)
        wanted = request.body.get("conversation_id", ABSENT)
        same = [each for each in free if strictjson.equal(_named(each), wanted)]
        strays = [each for each in free if not self._is_of_another(each, conversation_id)]
        request.prepares = [*linked, *(each for each in same if each not in linked)] or strays[-1:]
        for prepare in request.prepares[:1]:
            prepare.serves = request
            self.waiting.remove(prepare)

    def _is_of_another(self, prepare: Prepare, conversation_id: str) -> bool:
        """Whether a prepare belongs to a conversation that goes on beside this one."""
        named = _named(prepare)
        return isinstance(named, str) and named != conversation_id and named in self.conversations


def _with_token(prepares: Iterable[Prepare], request: ConversationRequest) -> list[Prepare]:
    """Those that gave the conduit token which a request carries."""
    token = request.conduit_token
    return [each for each in prepares if token is not None and each.token == token]


def _named(prepare: Prepare) -> object:
    return prepare.json.value.get("conversation_id", ABSENT)
