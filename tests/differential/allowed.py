"""What may differ between the real app-server and wiretape's, with its reason; docs/codex.md has it too."""

from __future__ import annotations

from typing import Final

NOTIFICATIONS: Final[dict[str, str]] = {
    "configWarning": "is about a helper program that the machine lacks",
    "remoteControl/status/changed": "names the machine and the installation",
    "warning": "says that nobody has heard of the model mock-model",
    "thread/tokenUsage/updated": "counts tokens, of which a cassette says nothing",
    "account/rateLimits/updated": "tells of a real account's limits",
    "account/updated": "follows a login that an account service has confirmed; the machine has none",
}
"""Notifications that are not compared."""

VALUES: Final[dict[str, str]] = {
    "ids": "are new in each run: compared by the order in which they come up",
    "times": "are those of the run",
    "paths": "are the home, the working folder and the address of the model's provider",
    "userAgent": "names the system and the terminal",
    "account/login/completed": "says whether an account service has confirmed the login",
    "model/list": "shows the vendor's models: compared by the members of the first",
    "unknown variant": "lists all methods of that version",
}
"""Values that are brought to one form."""

PROVIDER: Final[dict[str, str]] = {
    "prompts": "are the real program's own: what a developer says, and the environment that it describes",
    "tools": "that nobody has declared are the real program's own",
    "constants": "of the real program: instructions, reasoning, include, prompt_cache_key, client_metadata",
}
"""Parts of the requests to the model's provider that are not compared."""
