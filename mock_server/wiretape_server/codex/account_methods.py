"""Logins, and the models there are."""

from __future__ import annotations

from typing import Any, Final

from wiretape_server.codex import auth
from wiretape_server.codex.errors import INTERNAL_ERROR, RefusedError
from wiretape_server.codex.reply import Asking, Reply
from wiretape_server.codex.shapes import shaped

KINDS: Final = (
    "apiKey",
    "chatgpt",
    "chatgptDeviceCode",
    auth.KIND,
    "amazonBedrock",
    "amazonBedrockAccessKeys",
)
"""The kinds of login that the real server knows. Only one of them can be played."""


def start_login(asking: Asking, params: dict[str, Any]) -> Reply:
    """Log in with tokens that the client has."""
    if params["type"] != auth.KIND:
        raise RefusedError(f"login is {params['type']!r}; only {auth.KIND!r} is played here")
    login = auth.read_login(params, asking.process.profile)
    if auth.jwt_claims(login.access_token) is None:
        raise RefusedError("failed to set external auth: invalid ID token format", INTERNAL_ERROR)
    return Reply({"type": auth.KIND}, lambda: auth.log_in(asking.process, login))


def read(asking: Asking, _params: dict[str, Any]) -> Reply:
    """Show who is logged in (measured without a login only)."""
    login = asking.process.login
    account = {"type": "chatgpt", "email": login.email, "planType": login.plan} if login else None
    full = {
        "account": account,
        "userId": None,
        "requiresOpenaiAuth": login is not None,
        "workspaceRouting": None,
    }
    return Reply(shaped(asking.process.profile, "account", full))


def list_models(asking: Asking, _params: dict[str, Any]) -> Reply:
    """Show the one model, with the members that the real server's have."""
    model = asking.process.home.model
    shown = {
        "id": model,
        "model": model,
        "upgrade": None,
        "upgradeInfo": None,
        "availabilityNux": None,
        "displayName": model,
        "description": "",
        "modelSpecialty": None,
        "hidden": False,
        "supportedReasoningEfforts": [{"reasoningEffort": "medium", "description": ""}],
        "defaultReasoningEffort": "medium",
        "inputModalities": ["text", "image"],
        "supportsPersonality": False,
        "multiAgentVersion": None,
        "additionalSpeedTiers": [],
        "serviceTiers": [],
        "defaultServiceTier": None,
        "availableAccessPrograms": None,
        "isDefault": True,
    }
    return Reply({"data": [shown], "nextCursor": None})
