"""Errors that end a verb: what a user did or set up wrong, told in words."""

from __future__ import annotations

import click

from wiretape_cli.exits import Exit


class SetupError(click.ClickException):
    """The verb can't do its work. The text says what was expected, what came, and what to do next."""

    exit_code = int(Exit.SETUP)


def told(error: BaseException) -> str | None:
    """Say an expected error in words; None when it is none of those, so a fault of wiretape itself."""
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror or error}"
    from wiretape.cassette import CassetteError
    from wiretape_server.options import OptionError

    return str(error) if isinstance(error, (CassetteError, OptionError)) else None


def place(error: BaseException) -> str:
    """Name the line that raised, for a bug report of one line."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return "an unknown line"
    return f"{trace.tb_frame.f_globals.get('__name__', '?')}:{trace.tb_lineno}"
