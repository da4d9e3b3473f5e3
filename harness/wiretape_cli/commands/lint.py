"""``wiretape lint``."""

from __future__ import annotations

from pathlib import Path

import click

from wiretape_cli.exits import Exit

EPILOG = """\b
Examples:
  wiretape lint cassettes/
  wiretape lint --json --baseline lint.json cassettes/ more.yaml
"""
FILE = click.Path(path_type=Path, dir_okay=False, exists=True)


@click.command(short_help="Check cassette files.", epilog=EPILOG)
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@click.option("--json", "as_json", is_flag=True, help="The JSON report on stdout instead of text on stderr.")
@click.option(
    "--baseline", type=FILE, help="Findings that are accepted; an entry that nothing matches fails."
)
@click.option(
    "--redact", type=FILE, help="Your own redaction rules: what else is a secret, and what is none."
)
def lint(*, paths: tuple[Path, ...], as_json: bool, baseline: Path | None, redact: Path | None) -> Exit:
    """Check cassettes (files, or folders of *.yaml).

    They load, fit the schema, decode, end properly; ids lead to what they name; what the client sent
    conforms; it is told where they come from; no secrets are in them. With wiretape[lint] detect-secrets
    looks too. Exits 0 when no rule that must hold fails, 4 when one does.
    """
    from wiretape_cli.linting import Linting

    return Linting(paths=paths, baseline=baseline, redact=redact).run(as_json=as_json)
