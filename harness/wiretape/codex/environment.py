"""What a client under test is told about a cassette: what to do, and what its tools give.

``wiretape check`` passes these values on as JSON in ``WIRETAPE_CLIENT_STEPS`` and ``WIRETAPE_TOOL_RESULTS``.
"""

from __future__ import annotations

import base64
from typing import Any, Final

from wiretape import strictjson
from wiretape.cassette.model import Cassette, ClientStep
from wiretape.codex.dialects import dialect_of, version_of

_PLAN: Final = "pro"


def client_steps(cassette: Cassette, *, profile: str = "") -> list[dict[str, Any]]:
    """What the client of a cassette does, step by step; each step is an object with one member.

    ``turn`` and ``interrupt`` hold the text of a turn, ``resume`` holds ``process``; ``login`` holds
    ``{"start": <params of account/login/start>, "refresh": <the answer when new tokens are asked for>}``.
    """
    said = cassette.expect.user_message or ""
    return [_plain(step, profile) for step in cassette.client or (ClientStep(do="turn", value=said),)]


def tool_results(cassette: Cassette) -> dict[str, Any]:
    """The whole answers that tools have to give, by name; a tool that is not in it echoes its text.

    A result of the cassette that says less than a whole answer is for the judge only.
    """
    results = cassette.expect.results
    whole = {"contentItems", "success"}
    return {tool: answer for tool, answer in results.items() if answer != "echo" and whole <= answer.keys()}


def unsigned_token(account: str, serial: int) -> str:
    """A made-up JSON Web Token that names an account and its plan, as a login needs one. Nobody signed it."""
    about = {"chatgpt_plan_type": _PLAN, "chatgpt_account_id": account, "chatgpt_user_id": "user-1"}
    claims = {
        "email": "user@example.com",
        "exp": 4102444800,
        "jti": str(serial),
        "https://api.openai.com/auth": about,
    }
    return ".".join([_encoded({"alg": "none", "typ": "JWT"}), _encoded(claims), "c2ln"])


def _plain(step: ClientStep, profile: str) -> dict[str, Any]:
    if step.do != "login":
        return {step.do: step.value}
    start, refresh = (_credentials(step.value, serial, profile) for serial in (1, 2))
    return {"login": {"start": {"type": "chatgptAuthTokens"} | start, "refresh": refresh}}


def _credentials(account: str, serial: int, profile: str) -> dict[str, str]:
    token = unsigned_token(account, serial)
    by_account = dialect_of(version_of(profile)).account_in_refresh
    named = {"chatgptAccountId": account} if by_account else {"idToken": token}
    return {"accessToken": token} | named | {"chatgptPlanType": _PLAN}


def _encoded(part: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(strictjson.dumps(part).encode()).decode().rstrip("=")
