"""``wiretape fuzz``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from wiretape_cli.exits import Exit

EPILOG = """\b
Examples:
  wiretape fuzz decoder --python my_package.stream:messages
  wiretape fuzz decoder --command "node decoder.mjs" --time 120
  wiretape fuzz decoder --command ./decode --one-shot --max-examples 50
  wiretape fuzz decoder --python my_package.stream:messages --replay .wiretape-fuzz/finds/text.yaml
"""
FILE = click.Path(path_type=Path, dir_okay=False, exists=True)


@click.group(
    short_help="Attack a decoder with generated streams.", epilog="Example: wiretape fuzz decoder --help"
)
def fuzz() -> None:
    """Attack a decoder with generated streams; what it reads wrongly is made as small as can be, and kept."""


@fuzz.command(epilog=EPILOG)
@click.option("--command", help="A program that decodes.")
@click.option("--python", metavar="MODULE:FUNC", help="A function: bytes in, the list of messages out.")
@click.option("--one-shot", is_flag=True, help="Run the command once a stream.")
@click.option(
    "--contract",
    type=click.Choice(["exact", "lenient"]),
    default="exact",
    show_default=True,
    help="What is asked of a stream with a fault: to be refused or read as the reference does, or nothing.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed draws the same streams.")
@click.option(
    "--max-examples",
    type=click.IntRange(1),
    default=500,
    show_default=True,
    help="Streams of each kind.",
)
@click.option("--kind", "kinds", multiple=True, help="Attack in this kind of behaviour only; repeatable.")
@click.option("--time", "seconds", type=click.FloatRange(0), help="Seconds after which to stop.")
@click.option("--timeout", type=click.FloatRange(0.1), default=10.0, show_default=True, help="Of one answer.")
@click.option(
    "--corpus",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(".wiretape-fuzz"),
    show_default=True,
    help="Where finds and progress are kept.",
)
@click.option("--replay", multiple=True, type=FILE, help="Try saved finds again, and nothing else.")
@click.option("--json", "as_json", is_flag=True, help="A JSON report on stdout as well.")
def decoder(*, command: str | None, python: str | None, as_json: bool, **options: Any) -> Exit:
    """Attack a decoder of any language with event streams of every kind, and compare with the reference.

    A --command stays up and answers JSON lines: {"id", "sse_base64"} with {"id", "messages"} or
    {"id", "error"}; with --one-shot it gets the bytes on stdin and writes the JSON list of messages, or ends
    with another exit code than 0. Messages are wanted in order of first appearance, in their final state.

    Each find is kept in the corpus as a cassette and as a JSON vector. A run that was stopped goes on where
    it was. Exits 0 when nothing was found, 1 with finds.
    """
    from wiretape.fuzzing import KINDS
    from wiretape_cli import fuzzing, fuzzing_decoder
    from wiretape_cli.corpus import Corpus

    if (command is None) == (python is None):
        raise click.UsageError("give either --command or --python")
    target = fuzzing_decoder.Target(
        command=command, python=python, one_shot=options["one_shot"], limit=options["timeout"]
    )
    if options["replay"]:
        return fuzzing_decoder.replay(target, options["contract"], options["replay"])
    attack = fuzzing.Attack(
        subject={"decoder": python or command, "contract": options["contract"]},
        kinds=fuzzing.chosen(options["kinds"], KINDS),
        seed=options["seed"],
        max_examples=options["max_examples"],
        seconds=options["seconds"],
        corpus=Corpus(folder=options["corpus"]),
    )
    return fuzzing_decoder.run(target, options["contract"], attack, as_json=as_json)
