"""How a cassette is played: pace, chunks, ids, strictness; read from the texts of the command line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from wiretape.faults import Fault, FaultError, parse
from wiretape.profiles import PROFILES

PACES = "recorded, instant, or x and a number above 0 that multiplies the recorded delays, as in x0.5"
CHUNKS = "recorded, event, byte, one, or random: and a whole number, as in random:7"
IDS = "fresh or recorded"

_SCALE = re.compile(r"x(?!0+(?:\.0*)?$)([0-9]{1,6}(?:\.[0-9]{1,6})?)")
_CHUNKS = re.compile(r"recorded|event|byte|one|random:[0-9]+")


class OptionError(ValueError):
    """An option has a value that nobody defined. The text says which ones there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayOptions:
    """How a cassette is played. Raises OptionError for a text that means nothing."""

    pace: str = "recorded"
    """``recorded``, ``instant``, or ``xN``: every recorded delay times N."""
    chunks: str = "recorded"
    """``recorded``, ``event``, ``byte``, ``one`` or ``random:SEED``: where a body is cut into chunks."""
    ids: str = "fresh"
    """``fresh``: ids, tokens and times are new ones each time; ``recorded``: the very bytes."""
    strict: bool = False
    """Answer a wrong return with 422 and the findings; else answer it, and judge later."""
    profile: str = ""
    """The protocol profile that the verdict demands; empty accepts all of them."""
    faults: tuple[Fault, ...] = ()
    """What goes wrong on purpose."""
    seed: int = 0
    """What is drawn at random is drawn from it: a made-up scenario, the pauses of the fault ``jitter``."""
    app_server: tuple[str, ...] = ()
    """Options of the app-server behind a codex play's websocket: ``--ws-auth`` and what belongs to it."""

    def __post_init__(self) -> None:
        _demand("pace", self.pace, self.pace in ("recorded", "instant") or _SCALE.fullmatch(self.pace), PACES)
        _demand("chunks", self.chunks, _CHUNKS.fullmatch(self.chunks), CHUNKS)
        known = [name for names in PROFILES.values() for name in names]
        _demand("profile", self.profile, self.profile in ("", *known), ", ".join(known))
        _demand("ids", self.ids, self.ids in ("fresh", "recorded"), IDS)

    @classmethod
    def parse(
        cls,
        *,
        pace: str = "recorded",
        chunks: str = "recorded",
        ids: str = "fresh",
        strict: bool = False,
        profile: str = "",
        faults: Iterable[str | Fault] = (),
        seed: int = 0,
        app_server: Iterable[str] = (),
    ) -> PlayOptions:
        """Read the texts of an option line: blanks around them and capitals don't matter."""
        return cls(
            pace=pace.strip().lower(),
            chunks=chunks.strip().lower(),
            ids=ids.strip().lower(),
            strict=strict,
            profile=profile.strip(),
            faults=tuple(map(_fault, faults)),
            seed=seed,
            app_server=tuple(app_server),
        )

    @property
    def scale(self) -> float:
        """What recorded delays are multiplied with; 0 is instant."""
        scaled = _SCALE.fullmatch(self.pace)
        if scaled:
            return float(scaled[1])
        return 0.0 if self.pace == "instant" else 1.0


def _fault(given: str | Fault) -> Fault:
    try:
        return parse(given) if isinstance(given, str) else given
    except FaultError as error:
        raise OptionError(str(error)) from None


def _demand(name: str, value: str, good: object, choices: str) -> None:
    if not good:
        raise OptionError(f"{name} is {value!r}; give {choices}")
