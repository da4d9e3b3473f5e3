"""A client of Flow A as a process, to be attacked: ``client_process.py FORM [FAULT]``.

FORM is ``once`` or ``stays``; FAULT is a name of ``planted_clients.PLANTED_CLIENTS``, or ``silent``,
``crashes``, ``hangs``, ``babbles``.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.conformance.reference_client import ReferenceClient
from tests.fuzzing.planted_clients import PLANTED_CLIENTS


class Silent(ReferenceClient):
    def run(self) -> str:
        return ""


class Startled(ReferenceClient):
    """Answers what it knows."""

    def answer(self, call: Any) -> None:
        if "hi" not in call["content"]["text"]:
            self.startle()
        super().answer(call)

    def startle(self) -> None:
        """What it does about anything else."""


class Crashes(Startled):
    def startle(self) -> None:
        os.write(2, b"It said \x1b[1mwhat?\n")
        os._exit(3)


class Hangs(Startled):
    def startle(self) -> None:
        sys.stdin.buffer.read()


class Babbles(ReferenceClient):
    def answer(self, call: Any) -> None:
        super().answer(call)
        print("debug output", flush=True)


FAULTS: dict[str, type[ReferenceClient]] = {
    "": ReferenceClient,
    "silent": Silent,
    "crashes": Crashes,
    "hangs": Hangs,
    "babbles": Babbles,
    **{name: plant.client for name, plant in PLANTED_CLIENTS.items()},
}


def once(client: type[ReferenceClient]) -> None:
    client.from_environment(os.environ).run()


def session(client: type[ReferenceClient], line: Mapping[str, Any]) -> dict[str, Any]:
    """Take part in one session; a planted client may end it in any way."""
    running = client(
        base_url=line["base_url"],
        user_message=line["user_message"],
        tools=line["tools"],
        results=line["tool_results"],
    )
    try:
        running.run()
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    return {}


def stays(client: type[ReferenceClient]) -> None:
    for text in sys.stdin.buffer:
        line = json.loads(text)
        print(json.dumps({"id": line["id"]} | session(client, line)), flush=True)


FORMS: dict[str, Callable[[type[ReferenceClient]], None]] = {"once": once, "stays": stays}


if __name__ == "__main__":
    form, fault = [*sys.argv[1:], ""][:2]
    FORMS[form](FAULTS[fault])
