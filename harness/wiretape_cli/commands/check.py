"""``wiretape check``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from wiretape.reporting.files import Target
from wiretape_cli import faulting, options
from wiretape_cli.exits import Exit

EPILOG = """\b
Example:
  wiretape check --cassette alefita_way --report junit:wiretape.xml -- python my_client.py

\b
The command gets these environment variables:
  WIRETAPE_BASE_URL       where the backend is, with /play/...
  WIRETAPE_CASSETTE       the cassette that is played
  WIRETAPE_USER_MESSAGE   the message to send
  WIRETAPE_TOOLS          JSON list of the signatures to declare; with auto
                          [], since the client declares its own
  WIRETAPE_TOOL_RESULTS   JSON object: tool name -> result to return; a tool
                          not in it gives {"message": <argument message>}

\b
With codex cassettes WIRETAPE_TOOLS are the dynamicTools, a result is the
whole answer, a tool without one answers with its argument text, and:
  WIRETAPE_CODEX_BIN      a program to start in place of codex
  WIRETAPE_CODEX_WS_URL   the same app-server on a websocket
  WIRETAPE_CODEX_BRIDGE   the same for a client that starts wiretape codex
  WIRETAPE_CLIENT_STEPS   JSON list of what to do: [{"turn": "Hi"}]
"""


@click.command(
    short_help="Run a client against cassettes and judge it.",
    epilog=EPILOG,
    context_settings={"allow_interspersed_args": False},
)
@click.option(
    "--cassette",
    "names",
    multiple=True,
    metavar="NAME",
    help="A name or a path; auto calls the client's own tools. Repeatable.",
)
@click.option(
    "--save-auto",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Keep the session that --cassette auto made up, as a cassette that plays.",
)
@click.option(
    "--all", "every", is_flag=True, help="All bundled cassettes of --protocol, as without any name."
)
@options.protocol
@options.playing
@faulting.faulty
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    callback=options.seconds,
    default=options.DEFAULT_TIMEOUT,
    show_default=True,
    help="Seconds a client has for one cassette, on top of the pauses that are played.",
)
@options.report
@click.option(
    "--baseline",
    type=click.Path(path_type=Path, dir_okay=False),
    help='Accepted findings: a JSON list of {"rule", "cassette", "path"}. A stale entry fails.',
)
@click.option(
    "--update-baseline",
    is_flag=True,
    help="Accept what is violated now, drop what is stale, and show the difference.",
)
@click.option(
    "--inspect",
    is_flag=True,
    help="Let a browser look on, and after the run until Ctrl-C; its URL is said first.",
)
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="-- CMD [ARG]...")
def check(
    *,
    names: tuple[str, ...],
    save_auto: Path | None,
    every: bool,
    protocol: str,
    profiles: tuple[str, ...],
    timeout: float,
    targets: tuple[Target, ...],
    baseline: Path | None,
    update_baseline: bool,
    inspect: bool,
    command: tuple[str, ...],
    **playing: Any,
) -> Exit:
    """Run a client against cassettes and judge, rule by rule, what it sends.

    For each cassette the command runs once. Exits 0 when it does what it must, 1 with violations, 2 when it
    can't be run or sends nothing and fails, 3 when it did not play a session to its end; over several
    cassettes with the first of 2, 1, 3 that occurred.
    """
    from wiretape_cli.checking import Check
    from wiretape_cli.made_up import demand_one

    faults, only_list = faulting.said(playing)
    _demand_sense(command or only_list, baseline or not update_baseline, not (names and every))
    cassettes = options.cassettes(names, protocol)
    if save_auto is not None:
        demand_one(cassettes, save_auto)
    play_options = options.play_options(profiles, cassettes, faults=faults, **playing)
    fit = cassettes if names else options.fitting(cassettes, play_options)
    fit = faulting.struck(fit, faults, named=bool(names))
    if only_list:
        return faulting.listed(fit, faults)
    return Check(
        cassettes=fit,
        command=command,
        options=play_options,
        timeout=timeout,
        inspect=inspect,
        targets=targets,
        baseline=baseline,
        update_baseline=update_baseline,
        save_auto=save_auto,
    ).run()


def _demand_sense(has_work: object, has_baseline: object, is_one_choice: object) -> None:
    """Refuse options that mean nothing together, or without each other."""
    if not has_work:
        raise click.UsageError(
            "name the client's command behind --, as in: wiretape check -- python client.py"
        )
    if not has_baseline:
        raise click.UsageError("--update-baseline needs --baseline FILE, the file to update")
    if not is_one_choice:
        raise click.UsageError("--cassette and --all exclude each other; name some cassettes or take all")
