"""Sessions of the reference client of Flow A, and ways to be wrong in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tests.conformance.broken import two_conversations
from tests.conformance.playing import session
from tests.conformance.reference_client import Hooks
from tests.selftest.mutants import Mutant
from tests.selftest.surgery import Change, Edit
from wiretape.strictjson import ABSENT
from wiretape.transcript import Transcript
from wiretape_server.options import PlayOptions
from wiretape_server.thread import ServerThread

PACED: Final = PlayOptions(pace="x0.01", chunks="event")
"""Fast, but event by event: so it can be told who was early and who left."""
BASE: Final = "alefita_way"
"""The session that most mutants are made of."""
CALLING: Final = (BASE, "alefita_way_functions_recipient", "alefita_way_split_arguments", "handoff")
"""Those with one call each."""
PLAIN: Final = ("plain_answer", "interleaved_channels", "server_tool")
TWICE: Final = "two conversations"
"""A session of two conversations without calls."""

Sessions = Mapping[str, Transcript]


def sessions(server: ServerThread) -> Sessions:
    """The reference client's sessions, by cassette."""
    played = {name: session(server, name, PACED) for name in (*CALLING, *PLAIN)}
    return played | {TWICE: session(server, "plain_answer", PACED, Hooks(play=two_conversations))}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """A way to be wrong, done to a session. ``rule`` and ``also``: ids without the protocol."""

    rule: str
    name: str
    change: Change
    session: str = BASE
    also: tuple[str, ...] = ()

    def mutant(self, sessions: Sessions) -> Mutant:
        return Mutant(
            name=f"{self.rule}: {self.name} [{self.session}]",
            rules=(self.rule,),
            play=lambda: self.change(sessions[self.session]),
            also=self.also,
        )


def put(path: str, value: object) -> Edit:
    """Set a member; ABSENT takes it away. ``path`` has dots between keys and indices."""
    *holders, last = (int(key) if key.isdigit() else key for key in path.split("."))

    def edit(body: dict[str, Any]) -> None:
        holder: Any = body
        for key in holders:
            holder = holder[key]
        if value is ABSENT:
            holder.pop(last, None)
        else:
            holder[last] = value

    return edit


def shown(value: object) -> str:
    """A wrong value, short."""
    return "absent" if value is ABSENT else f"{value!r:.40}"
