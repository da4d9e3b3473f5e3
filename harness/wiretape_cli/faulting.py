"""``--fault``, ``--faults`` and ``--dry-run``: which faults a verb plays, and what they would hit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wiretape_cli.errors import SetupError
from wiretape_cli.exits import Exit
from wiretape_cli.options import together

if TYPE_CHECKING:
    from wiretape.cassette import Cassette
    from wiretape.faults import Fault, Hit

faulty = together(
    click.option(
        "--fault",
        multiple=True,
        metavar="KIND@WHERE",
        help="Let something go wrong: cut@event:12, 429@request:3, drop@type:NAME. Repeatable.",
    ),
    click.option(
        "--faults",
        "faults_file",
        type=click.Path(path_type=Path, exists=True, dir_okay=False),
        metavar="FILE",
        help="A YAML list of faults.",
    ),
    click.option("--dry-run", is_flag=True, help="Only list what the faults would hit."),
)
"""Which faults a verb plays."""


def said(given: dict[str, Any]) -> tuple[tuple[Fault, ...], bool]:
    """Take these options out of a verb's: the faults, and whether only to list. Raises SetupError."""
    from wiretape.faults import FaultError, parse, read_file

    texts, file, only_list = given.pop("fault"), given.pop("faults_file"), given.pop("dry_run")
    try:
        faults = tuple(map(parse, texts))
    except FaultError as error:
        raise SetupError(str(error)) from None
    try:
        faults += read_file(file.read_bytes()) if file else ()
    except (FaultError, OSError) as error:
        raise SetupError(f"{file}: {error}") from None
    if only_list and not faults:
        raise SetupError("--dry-run lists what faults would hit: name some with --fault or --faults")
    return faults, only_list


def struck(cassettes: Sequence[Cassette], faults: Sequence[Fault], *, named: bool) -> list[Cassette]:
    """The cassettes in which every fault hits something. Raises SetupError when one that was named is not
    among them, or none is left."""
    from wiretape_cli.screen import say

    fit, why_not = [], ""
    for cassette in cassettes:
        why = _why_not(cassette, faults)
        if why and named:
            raise SetupError(why)
        if why:
            why_not = why
            say(f"{cassette.name}: left out: {why}")
        else:
            fit.append(cassette)
    if not fit:
        raise SetupError(why_not)
    return fit


def _why_not(cassette: Cassette, faults: Sequence[Fault]) -> str:
    from wiretape.faults import FaultError, demand_hits
    from wiretape.scenario.adaptive import Adaptive

    if isinstance(cassette, Adaptive):
        return ""  # nobody knows yet what will be said
    try:
        demand_hits(faults, cassette)
    except FaultError as error:
        return str(error)
    return ""


def listed(cassettes: Iterable[Cassette], faults: Sequence[Fault]) -> Exit:
    """Show what the faults would hit."""
    from wiretape.faults import hits
    from wiretape.scenario.adaptive import Adaptive
    from wiretape_cli.screen import put, say

    for cassette in cassettes:
        if isinstance(cassette, Adaptive):
            say(f"{cassette.name}: nobody knows yet what it will be; keep one: check --save-auto FILE")
        for hit in hits(faults, cassette):
            put(_line(hit, cassette))
    return Exit.FINE


def _line(hit: Hit, cassette: Cassette) -> str:
    return f"{hit.fault}  {cassette.name}: {hit.at}" + (f": {hit.excerpt}" if hit.excerpt else "")
