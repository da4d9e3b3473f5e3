"""Logins, and the models there are. What account/read and model/list show is inferred: nobody recorded it."""

from __future__ import annotations

from typing import Any

from wiretape_server.codex import auth
from wiretape_server.codex.auth import KIND
from wiretape_server.codex.reply import Asking, Reply


def start_login(asking: Asking, params: dict[str, Any]) -> Reply:
    """Log in with tokens that the client has. There is no other kind of login here."""
    login = auth.read_login(params, asking.process.profile)
    return Reply({"type": KIND}, lambda: auth.log_in(asking.process, login))


def read(asking: Asking, _params: dict[str, Any]) -> Reply:
    """Show who is logged in."""
    login = asking.process.login
    account = {"type": "chatgpt", "email": login.email, "planType": login.plan} if login else None
    return Reply({"account": account, "requiresOpenaiAuth": login is not None})


def list_models(asking: Asking, _params: dict[str, Any]) -> Reply:
    """Show the one model."""
    model = asking.process.home.model
    effort = {"reasoningEffort": "medium", "description": ""}
    shown = {
        "id": model,
        "model": model,
        "displayName": model,
        "description": "",
        "supportedReasoningEfforts": [effort],
        "defaultReasoningEffort": "medium",
        "isDefault": True,
    }
    return Reply({"data": [shown], "nextCursor": None})
