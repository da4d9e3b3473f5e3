"""The command itself: the table of verbs, and the one place where errors become exit codes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import click

from wiretape_cli.commands.check import check
from wiretape_cli.commands.codex import codex
from wiretape_cli.commands.decode import decode
from wiretape_cli.commands.diff import diff
from wiretape_cli.commands.fuzz import fuzz
from wiretape_cli.commands.imports import import_
from wiretape_cli.commands.init import init
from wiretape_cli.commands.lint import lint
from wiretape_cli.commands.record import record
from wiretape_cli.commands.report import report
from wiretape_cli.commands.rules import rules
from wiretape_cli.commands.serve import serve
from wiretape_cli.commands.show import show
from wiretape_cli.commands.verify import verify
from wiretape_cli.errors import place, told
from wiretape_cli.exits import Exit
from wiretape_cli.screen import replace_what_stdout_cannot_write, say
from wiretape_cli.signals import signals_interrupt

EPILOG = """\b
Exit codes: 0 fine · 1 violations · 2 usage or set-up error ·
3 the session was not played to its end · 4 lint or leak · 5 drift.

\b
Example:
  wiretape check --cassette alefita_way -- python my_client.py
"""


@click.group(epilog=EPILOG)
@click.version_option(package_name="wiretape", message="%(prog)s %(version)s")
def cli() -> None:
    """Replay recorded backend sessions to a tool-calling client and judge what it sends back."""


VERBS = (serve, check, codex, record, import_, show, diff, verify, report, decode, rules, lint, fuzz, init)
for verb in VERBS:
    cli.add_command(verb)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code. No traceback reaches the user."""
    replace_what_stdout_cannot_write()
    try:
        with signals_interrupt():
            # Every verb returns an Exit; --help and --version give 0.
            return int(cli.main(arguments, prog_name="wiretape", standalone_mode=False) or Exit.FINE)
    except SystemExit:  # so click ends when whoever read the help has left
        return Exit.FINE
    except click.ClickException as error:
        with suppress(OSError):  # a stderr that nobody reads
            error.show()
        return Exit.SETUP
    except (click.Abort, KeyboardInterrupt):
        say("Interrupted.")
        return Exit.INTERRUPTED
    except Exception as error:
        say(f"Error: {told(error) or f'a fault of wiretape, please report it: {error!r} at {place(error)}'}")
        return Exit.SETUP
