"""Options that several verbs share, each declared once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from threading import TIMEOUT_MAX
from typing import TYPE_CHECKING, Any, TypeVar

import click

from wiretape.profiles import PROFILES
from wiretape.reporting.files import Target, TargetError
from wiretape_cli.errors import SetupError
from wiretape_server.options import OptionError, PlayOptions
from wiretape_server.profiles import demanded as known_profile

if TYPE_CHECKING:
    from wiretape.cassette import Cassette

DEFAULT_PROTOCOL = "flow_a"
"""Whose cassettes are played, and whose scenario ``auto`` is, when nothing else is said."""
DEFAULT_TIMEOUT = 30
"""Seconds; what ``check`` gives a client."""

Verb = TypeVar("Verb", bound=Callable[..., Any])


def together(*declared: Callable[[Verb], Verb]) -> Callable[[Verb], Verb]:
    """Declare several options at once; help shows them in this order."""

    def give(verb: Verb) -> Verb:
        for option in reversed(declared):
            verb = option(verb)
        return verb

    return give


def _targets(_ctx: click.Context, _option: click.Parameter, texts: Iterable[str]) -> tuple[Target, ...]:
    """Read the values of ``--report``; a file that can't be written is refused before a client runs."""
    try:
        return tuple(map(Target.parse, texts))
    except TargetError as error:
        raise click.BadParameter(str(error)) from None


def protocol_for(what: str) -> Callable[[Verb], Verb]:
    """Give a verb --protocol; ``what`` says what it is good for."""
    return click.option(
        "--protocol",
        type=click.Choice(tuple(PROFILES)),
        default=DEFAULT_PROTOCOL,
        show_default=True,
        help=what,
    )


protocol = protocol_for("Whose bundled cassettes are played where none is named, and whose auto is.")
profile = click.option(
    "--profile",
    "profiles",
    multiple=True,
    metavar="[PROTOCOL=]NAME",
    help="Demand one version's behaviour: "
    + ", ".join(f"{p}={'|'.join(n)}" for p, n in PROFILES.items())
    + ".",
)
report = click.option(
    "--report",
    "targets",
    callback=_targets,
    multiple=True,
    metavar="KIND:FILE",
    help="Also write a report: json, junit, html, md, github, badge or text. Repeatable.",
)
playing = together(
    click.option(
        "--pace", default="recorded", show_default=True, help="recorded, instant, or a factor as x0.5."
    ),
    click.option(
        "--chunks", default="recorded", show_default=True, help="recorded, event, byte, one, or random:SEED."
    ),
    click.option(
        "--ids", default="fresh", show_default=True, help="fresh: re-mint server-made ids; recorded."
    ),
    click.option("--strict", is_flag=True, help="Answer a wrong return with 422 and the findings."),
    click.option(
        "--seed",
        type=int,
        default=0,
        show_default=True,
        help="What is random is drawn from it: sessions of auto, the fault jitter.",
    ),
    profile,
)
"""How cassettes are played."""

_WEBSOCKET = {
    "--ws-auth": "Lock the websockets of codex plays: capability-token or signed-bearer-token.",
    "--ws-token-file": "The file that holds the capability token.",
    "--ws-token-sha256": "The SHA-256 of the capability token.",
    "--ws-shared-secret-file": "The file that holds the secret with which bearer tokens are signed.",
    "--ws-issuer": "What a bearer token's iss must be.",
    "--ws-audience": "What a bearer token's aud must hold.",
    "--ws-max-clock-skew-seconds": "How far a bearer token's times may be off.",
}
"""The app-server's own options, as they are."""


websocket = together(*(click.option(name, metavar="TEXT", help=text) for name, text in _WEBSOCKET.items()))


def app_server(given: dict[str, Any]) -> tuple[str, ...]:
    """Take the options that ``websocket`` declares out of a verb's, as the app-server's command line."""
    values = {name: given.pop(name.removeprefix("--").replace("-", "_")) for name in _WEBSOCKET}
    return tuple(part for name, value in values.items() if value is not None for part in (name, value))


def demanded(profiles: Iterable[str], protocol: str) -> str:
    """The profile that ``--profile`` demands of this protocol; empty when none. Raises SetupError."""
    try:
        return known_profile(profiles, protocol)
    except OptionError as error:
        raise SetupError(str(error)) from None


def play_options(
    profiles: Iterable[str], cassettes: Iterable[Cassette], **texts: Any
) -> dict[str, PlayOptions]:
    """Parse the playing options, for each protocol of these cassettes. Raises SetupError."""
    try:
        return {
            each: PlayOptions.parse(profile=demanded(profiles, each), **texts)
            for each in sorted({cassette.protocol for cassette in cassettes})
        }
    except OptionError as error:
        raise SetupError(str(error)) from None


def cassettes(names: Iterable[str], protocol: str) -> list[Cassette]:
    """The named cassettes, or every bundled one of the protocol; ``auto`` stands for the adaptive scenario.

    Raises SetupError or CassetteError.
    """
    from wiretape.cassette import bundled, load_cassette
    from wiretape.scenario.adaptive import named

    loaded = [named(name, protocol) or load_cassette(name) for name in names or bundled(protocol)]
    if not loaded:
        raise SetupError(f"no cassette of {protocol} is bundled; name one with its path")
    return loaded


def fitting(cassettes: Iterable[Cassette], playing: Mapping[str, PlayOptions]) -> list[Cassette]:
    """Leave out the cassettes that the demanded profiles can't play, and say so."""
    from wiretape.codex.tool_specs import refusal
    from wiretape_cli.screen import say

    fit = []
    for cassette in cassettes:
        profile = playing[cassette.protocol].profile
        why_not = refusal(cassette.expect.tools, profile) if cassette.protocol == "codex" and profile else ""
        if why_not:
            say(f"{cassette.name}: left out: {why_not}")
        else:
            fit.append(cassette)
    return fit


def seconds(_ctx: click.Context, _option: click.Parameter, value: float | None) -> float | None:
    """Refuse what click takes for a number and nothing can wait for: ``inf``, ``nan``, thousands of years."""
    if value is not None and not value <= TIMEOUT_MAX:
        raise click.BadParameter(f"expected a number of seconds, got {value:g}")
    return value
