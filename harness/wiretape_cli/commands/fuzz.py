"""``wiretape fuzz``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from wiretape_cli.exits import Exit
from wiretape_cli.options import Verb, profile, protocol_for, seconds, together
from wiretape_cli.options import demanded as demanded_profile

EPILOG = """\b
Examples:
  wiretape fuzz decoder --python my_package.stream:messages
  wiretape fuzz decoder --command "node decoder.mjs" --time 120
  wiretape fuzz decoder --command ./decode --one-shot --max-examples 50
  wiretape fuzz decoder --python my_package.stream:messages --replay .wiretape-fuzz/finds/text.yaml
"""
FILE = click.Path(path_type=Path, dir_okay=False, exists=True)


CLIENT_EPILOG = """\b
Examples:
  wiretape fuzz client -- python my_client.py
  wiretape fuzz client --persistent --time 120 -- node client_server.mjs
  wiretape fuzz client --protocol codex --kind calls -- python my_client.py
  wiretape fuzz client --replay .wiretape-fuzz-client/finds/tokens.yaml -- python my_client.py
"""


@click.group(
    short_help="Attack a decoder or a client.",
    epilog="\b\nExample:\n  wiretape fuzz client -- python my_client.py",
)
def fuzz() -> None:
    """Attack a decoder or a client with what is drawn at random.

    What goes wrong is made as small as can be, and kept as a cassette that plays.
    """


def attacking(folder: str, examples: int) -> Callable[[Verb], Verb]:
    """The options of every attack: what is drawn, how long, and where finds are kept."""
    return together(
        click.option(
            "--seed", type=int, default=0, show_default=True, help="The same seed draws the same examples."
        ),
        click.option(
            "--max-examples",
            type=click.IntRange(1),
            default=examples,
            show_default=True,
            help="Examples of each kind.",
        ),
        click.option(
            "--kind", "kinds", multiple=True, metavar="NAME", help="Attack in this kind only. Repeatable."
        ),
        click.option(
            "--time",
            "seconds",
            type=click.FloatRange(0),
            callback=seconds,
            help="Seconds after which to stop.",
        ),
        click.option(
            "--timeout",
            type=click.FloatRange(0.1),
            callback=seconds,
            default=10.0,
            show_default=True,
            help="Seconds that one example may take.",
        ),
        click.option(
            "--corpus",
            type=click.Path(path_type=Path, file_okay=False),
            default=Path(folder),
            show_default=True,
            help="Where finds and progress are kept.",
        ),
        click.option(
            "--database",
            metavar="PLACE",
            help="A folder or redis://HOST:PORT/N that keeps examples that failed, shared with other runs. "
            "[default: the corpus]",
        ),
        click.option(
            "--replay", multiple=True, type=FILE, help="Try a saved find again, and nothing else. Repeatable."
        ),
        click.option("--json", "as_json", is_flag=True, help="A JSON report on stdout as well."),
    )


@fuzz.command(short_help="Attack a decoder of any language.", epilog=EPILOG)
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
@attacking(".wiretape-fuzz", 500)
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

    if (command is None) == (python is None):
        raise click.UsageError("give either --command or --python")
    target = fuzzing_decoder.Target(
        command=command, python=python, one_shot=options["one_shot"], limit=options["timeout"]
    )
    if options["replay"]:
        return fuzzing_decoder.replay(target, options["contract"], options["replay"])
    subject = {"decoder": python or command, "contract": options["contract"]}
    attack = fuzzing.Attack(subject=subject, kinds=fuzzing.chosen(options["kinds"], KINDS), **_how(options))
    return fuzzing_decoder.run(target, options["contract"], attack, as_json=as_json)


@fuzz.command(
    short_help="Attack a whole client.",
    epilog=CLIENT_EPILOG,
    context_settings={"allow_interspersed_args": False},
)
@protocol_for("What the client speaks.")
@click.option("--persistent", is_flag=True, help="The command stays up and takes session after session.")
@profile
@attacking(".wiretape-fuzz-client", 100)
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="-- CMD [ARG]...")
def client(
    *,
    protocol: str,
    persistent: bool,
    profiles: tuple[str, ...],
    command: tuple[str, ...],
    as_json: bool,
    **options: Any,
) -> Exit:
    """Attack a whole client with sessions of every kind, and judge by the rules what it sends back.

    The command is run once a session, with the environment that wiretape check gives it. With --persistent it
    stays up: a JSON line on its stdin begins a session, {"id", "base_url", "user_message", "tools",
    "tool_results"}, and a line of its own, {"id"} or {"id", "error"}, says that the session is over. That
    saves the start of a process each time.

    A session in another form, the same one but for its bytes, has to draw the same return. Each find is kept
    in the corpus as a cassette. Exits 0 when nothing was found, 1 with finds.
    """
    from wiretape.fuzzing import client_kinds
    from wiretape_cli import fuzzing, fuzzing_client
    from wiretape_cli.fuzzed_clients import Target

    if not command:
        raise click.UsageError(
            "name the client's command behind --, as in: wiretape fuzz client -- python client.py"
        )
    demanded = demanded_profile(profiles, protocol)
    target = Target(command=command, stays=persistent, limit=options["timeout"], profile=demanded)
    if options["replay"]:
        return fuzzing_client.replay(target, options["replay"])
    subject = {"client": list(command), "protocol": protocol, "profile": demanded}
    kinds = fuzzing.chosen(options["kinds"], client_kinds(protocol, demanded))
    attack = fuzzing.Attack(subject=subject, kinds=kinds, **_how(options))
    return fuzzing_client.run(target, protocol, attack, as_json=as_json)


def _how(options: Mapping[str, Any]) -> dict[str, Any]:
    """How hard to attack, from what ``attacking`` declares."""
    from wiretape_cli.corpus import Corpus
    from wiretape_cli.databases import databases_at

    hard = {key: options[key] for key in ("seed", "max_examples", "seconds")}
    place = options["database"]
    return hard | {
        "corpus": Corpus(folder=options["corpus"], examples=databases_at(place) if place else None)
    }
