"""The table of report formats, and the option value ``KIND:FILE`` that asks for one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

if TYPE_CHECKING:
    from wiretape.contract import Report

Render: TypeAlias = "Callable[[Sequence[Report], Mapping[str, Any]], str]"
KINDS = ("json", "junit", "html", "md")


@dataclass(frozen=True, slots=True)
class Target:
    """A report to write: one of KINDS, and the file."""

    kind: str
    file: Path


def parse(_ctx: click.Context, _option: click.Parameter, texts: Iterable[str]) -> tuple[Target, ...]:
    """Read the values of ``--report``; a file that can't be written is refused before a client runs."""
    return tuple(_target(text) for text in texts)


def _target(text: str) -> Target:
    kind, _, file = text.partition(":")
    if kind not in KINDS or not file:
        raise click.BadParameter(f"expected {' or '.join(f'{kind}:FILE' for kind in KINDS)}, got {text!r}")
    folder = Path(file).absolute().parent
    if not folder.is_dir():
        raise click.BadParameter(f"{text!r}: there is no folder {folder}; make it first")
    if Path(file).is_dir():
        raise click.BadParameter(f"{text!r}: {file} is a folder; name a file in it")
    return Target(kind, Path(file))


def write(targets: Iterable[Target], reports: Sequence[Report], run: Mapping[str, Any]) -> None:
    """Write every report that was asked for. ``run`` says how it came about: version, command, options."""
    for target in targets:
        text = _renderer(target.kind)(reports, run)
        # A name that is no UTF-8 on disk comes as lone surrogates: shown as escapes, like all that can't be.
        target.file.write_bytes(text.encode("utf-8", "backslashreplace"))


def _renderer(kind: str) -> Render:
    from wiretape_cli.reports import html, junit, machine, markdown

    return {"json": machine.render, "junit": junit.render, "html": html.render, "md": markdown.render}[kind]
