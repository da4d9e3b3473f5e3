"""Tokens that the client hands over: at login, and anew when the provider no longer takes the old one."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from wiretape import strictjson
from wiretape.jsonrpc import Failure
from wiretape_server.codex import serde
from wiretape_server.codex.process import Process
from wiretape_server.codex.profile import Profile
from wiretape_server.codex.serde import UnreadableError
from wiretape_server.codex.shapes import shaped

KIND: Final = "chatgptAuthTokens"
_PATIENCE: Final = 10.0
"""Seconds that the server waits for a new token."""
_CLAIM: Final = "https://api.openai.com/auth"
_TYPES: Final[serde.Types] = {
    "accessToken": serde.STRING,
    "chatgptAccountId": serde.STRING,
    "idToken": serde.STRING,
    "chatgptPlanType": serde.STRING + serde.OR_NULL,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """Who is logged in. Kept in memory only."""

    access_token: str
    account_id: str | None
    plan: str | None
    email: str | None


def read_login(value: Any, profile: Profile) -> Login:
    """Read the tokens in a login or in the answer to a refresh. Raises UnreadableError."""
    serde.check_members(value, _TYPES, profile.login_members, "struct ChatgptAuthTokensRefreshResponse")
    claims = jwt_claims(value.get("idToken", value["accessToken"])) or {}
    auth = claims.get(_CLAIM)
    about: Mapping[str, Any] = auth if isinstance(auth, dict) else {}
    return Login(
        access_token=value["accessToken"],
        account_id=value.get("chatgptAccountId", about.get("chatgpt_account_id")),
        plan=value.get("chatgptPlanType") or about.get("chatgpt_plan_type"),
        email=claims.get("email"),
    )


def jwt_claims(token: str) -> dict[str, Any] | None:
    """The claims of a JWT, its signature unseen; None for what is no JWT."""
    parts = token.split(".")
    if len(parts) != 3:
        return None
    try:
        payload = base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4))
        claims = strictjson.loads(payload)
    except (binascii.Error, ValueError):
        return None
    return claims if isinstance(claims, dict) else None


def log_in(process: Process, login: Login) -> None:
    """Take a login and tell everyone.

    That 0.171 says account/updated too is inferred: its recorded logins failed at a check of the workspace,
    which the recorded provider did not know.
    """
    process.login = login
    completed = {"loginId": None, "success": True, "error": None, "onboardingEntrypoint": None}
    shown = shaped(process.profile, "login", completed)
    process.outbox.notify(process.connections, "account/login/completed", shown)
    updated = {"authMode": KIND, "planType": login.plan}
    process.outbox.notify(process.connections, "account/updated", updated)


class Refresh:
    """Asks every connection for a new token, and waits ten seconds for it.

    ``done`` gets None when there is one, else why the turn fails.
    """

    def __init__(self, process: Process, login: Login, done: Callable[[str | None], None]) -> None:
        self._process = process
        self._login = login
        self._done = done
        self._texts = process.profile.refresh
        params = {"reason": "unauthorized", "previousAccountId": login.account_id}
        self._timer = process.call_later(_PATIENCE, self._timed_out)
        self._asked = process.outbox.ask(
            process.connections, "account/chatgptAuthTokens/refresh", params, self
        )

    def answered(self, result: Any) -> None:
        self._timer.cancel()
        self._done(self._take(result))

    def failed(self, failure: Failure) -> None:
        self._timer.cancel()
        self._done(self._texts.error.format(code=failure.code, message=failure.message))

    def stop(self) -> None:
        """Nobody waits for the token any more."""
        self._timer.cancel()
        self._process.outbox.forget(self._asked)

    def _timed_out(self) -> None:
        self._process.outbox.forget(self._asked)
        self._done(self._texts.timed_out)

    def _take(self, result: Any) -> str | None:
        """Log in with the new token, or say why not."""
        try:
            login = read_login(result, self._process.profile)
        except UnreadableError as complaint:
            return self._texts.unreadable.format(complaint=complaint)
        if jwt_claims(login.access_token) is None:
            return self._texts.no_jwt
        if login.account_id != self._login.account_id and self._texts.other_account is not None:
            return self._texts.other_account
        self._process.login = login
        return None
