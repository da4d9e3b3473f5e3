"""Rules about the server's request for new tokens."""

from __future__ import annotations

import re
from typing import Final

from wiretape.codex.messages import fields
from wiretape.codex.rules.calls import unanswered
from wiretape.codex.rules.source import SEED, rule
from wiretape.codex.view import Ask, RefreshReply
from wiretape.contract import Answer, Fault, Rule
from wiretape.strictjson import ABSENT

_JWT: Final = re.compile(r"[^.]+\.[^.]+\.[^.]*")


def _answered(ask: Ask) -> Answer:
    if not ask.replies:
        return unanswered(ask)
    if ask.closed is None:
        return None
    at = ask.replies[0].at
    return Fault("", f"an answer to {ask} within 10 seconds", "one after the server gave up", at=at)


def _shape(reply: RefreshReply) -> Answer:
    if not isinstance(reply.result, dict):
        return Fault("result", "an object with the tokens", reply.result)
    result = fields(reply.result)
    token, plan = result.get("accessToken", ABSENT), result.get("chatgptPlanType")
    if not isinstance(token, str) or not _JWT.fullmatch(token):
        got = "a text that is no JWT" if isinstance(token, str) else token
        return Fault("result.accessToken", "a JWT", got)
    account = "chatgptAccountId" if reply.dialect.account_in_refresh else "idToken"
    if not isinstance(result.get(account, ABSENT), str):
        return Fault(f"result.{account}", "a string", result.get(account, ABSENT))
    return (
        None if plan is None or isinstance(plan, str) else Fault("result.chatgptPlanType", "a string", plan)
    )


REFRESH_RULES: Final[tuple[Rule, ...]] = (
    rule(
        "auth-refresh.answered",
        "A request for new tokens gets an answer in time",
        _answered,
        scope="refreshes",
        document=SEED,
        section="Example: client JSON-RPC error is now propagated",
        quote="When app-server asks the client to refresh ChatGPT auth tokens, it sends a server->client "
        "JSON-RPC request",
        good="new tokens, or an error, within 10 seconds",
        bad=("no answer", "an answer after 10 seconds"),
        hint="a client that can't refresh says so with a JSON-RPC error",
    ),
    rule(
        "auth-refresh.result-shape",
        "New tokens are an access token and its account",
        _shape,
        scope="refresh_replies",
        section="Token refresh",
        quote="New tokens are a JWT as accessToken and a chatgptAccountId; a chatgptPlanType may be added.",
        good='{"accessToken": "a.b.c", "chatgptAccountId": "org-abc"}',
        bad=(
            '{"accessToken": "token", "chatgptAccountId": "org-abc"}',
            '{"accessToken": 5, "chatgptAccountId": "org-abc"}',
            '{"accessToken": "a.b.c"}',
        ),
    ),
)
