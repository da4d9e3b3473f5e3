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

STDERR: Final[dict[str, str]] = {
    "bubblewrap": "is about a helper program that the machine lacks",
    "PATH aliases": "is about the place of the home on this machine",
    "shell_snapshot": "is about the machine's shell",
    "models_manager": "asks the model's provider for a list that a cassette does not have",
    "symphonia": "comes out of the library that looks into audio data",
}
"""What stands in lines of stderr that are not compared."""

VALUES: Final[dict[str, str]] = {
    "ids": "are new in each run: compared by the order in which they come up",
    "times": "are those of the run",
    "paths": "are the home, the working folder and the address of the model's provider",
    "userAgent": "names the system and the terminal",
    "account/login/completed": "says whether an account service has confirmed the login",
    "model/list": "shows the vendor's models: compared by the members of the first",
    "addresses": "have the ports of the run",
    "JSONRPCErrorError": "shows an error's data on stderr, in the notation of the real program's language",
    "unknown variant": "lists all methods of that version",
}
"""Values that are brought to one form."""

PROVIDER: Final[dict[str, str]] = {
    "prompts": "are the real program's own: what a developer says, and the environment that it describes",
    "tools": "that nobody has declared are the real program's own",
    "constants": "of the real program: instructions, reasoning, include, prompt_cache_key, client_metadata",
}
"""Parts of the requests to the model's provider that are not compared."""

REMAINING: Final[dict[str, str]] = {
    "call: arguments that are numbers beyond a double": "the real one hands on 1e400, wiretape refuses it",
    "input: numbers beyond a double": "the real one reads 1e999 in params, wiretape does not",
}
"""Scenarios that are not equal yet, and what differs in them."""
