"""``lint``: whether cassettes load, fit the schema, decode, and conform."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wiretape import strictjson, verify
from wiretape.cassette import Cassette, CassetteError, loads
from wiretape.cassette.plain_yaml import read_yaml
from wiretape.flow_a.facts import read_stream
from wiretape.report import finding_text
from wiretape_cli.errors import SetupError
from wiretape_cli.exits import Exit
from wiretape_cli.screen import say

if TYPE_CHECKING:
    from jsonschema.protocols import Validator


def run(paths: Sequence[Path]) -> Exit:
    """Lint every cassette below ``paths``. Raises SetupError when there is none."""
    found = [file for path in paths for file in cassettes(path)]
    if not found:
        raise SetupError(f"no cassette (*.yaml) in {', '.join(map(str, paths))}")
    clean = True
    for file in found:
        complaints = list(faults(file))
        clean = clean and not complaints
        say(f"{'FAIL' if complaints else 'ok'} {file}")
        for complaint in complaints:
            say(complaint)
    return Exit.FINE if clean else Exit.LINT


def cassettes(path: Path) -> list[Path]:
    """The file itself, or the cassettes of a folder, at any depth."""
    return sorted(path.rglob("*.yaml")) if path.is_dir() else [path]


def faults(file: Path) -> Iterator[str]:
    """What is wrong with a cassette, one explanation each; one that can't be loaded has one fault."""
    data = file.read_bytes()
    try:
        cassette = loads(data, name=file.stem, source=str(file))
    except CassetteError as error:
        yield str(error)
        return
    yield from schema_faults(read_yaml(data))
    yield from decoding_faults(cassette)
    yield from (finding_text(finding, source=str(file)) for finding in verify(cassette).violations)


def schema_faults(document: Any) -> Iterator[str]:
    """Where a cassette's plain data does not fit the published schema."""
    for error in validator().iter_errors(document):
        yield f"  schema: {error.json_path}: {error.message}"


def decoding_faults(cassette: Cassette) -> Iterator[str]:
    """What in the recorded streams does not decode."""
    for number, interaction in enumerate(cassette.interactions, 1):
        if interaction.request.path.endswith("/f/conversation"):
            for error in read_stream(interaction.response.body).errors:
                yield f"  interaction {number}: its stream does not decode: {error}"


@cache
def validator() -> Validator:
    """The validator of the cassette schema."""
    from jsonschema import Draft202012Validator

    schema = files("wiretape") / "schemas" / "cassette.schema.json"
    return Draft202012Validator(strictjson.loads(schema.read_bytes()))
