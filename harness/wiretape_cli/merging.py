"""``report``: JSON reports that were written before, as any other face, each as a client of its own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from wiretape import strictjson
from wiretape.reporting.faces import FACES
from wiretape.reporting.files import Target, write
from wiretape.reporting.model import Document
from wiretape_cli.errors import SetupError
from wiretape_cli.exits import Exit, of_all
from wiretape_cli.screen import put


def run(files: Sequence[Path], targets: Sequence[Target]) -> Exit:
    """Read all reports and write the others. Raises SetupError."""
    documents = [read(file) for file in files]
    if len(files) > 1:
        named = zip(documents, _names(files), strict=True)
        documents = [document | {"client": name} for document, name in named]
    if any(target.kind == "json" for target in targets):
        raise SetupError("a json report is what is read here; ask for another kind")
    write(targets, documents, put)
    if not targets:
        put(FACES["text"](documents).rstrip("\n"))
    return of_all(map(_exit, documents))


def _names(files: Sequence[Path]) -> list[str]:
    """What the clients are called: as their files, with the folders where two files have the same name."""
    stems = [file.stem for file in files]
    return stems if len({*stems}) == len(stems) else [file.with_suffix("").as_posix() for file in files]


def read(file: Path) -> dict[str, Any]:
    """Read a JSON report. Raises SetupError for anything else."""
    try:
        document = strictjson.loads(file.read_bytes())
    except strictjson.StrictJSONError as error:
        raise SetupError(f"{file}: expected a JSON report, but this is no JSON: {error}") from None
    schema = json.loads(resources.files("wiretape").joinpath("schemas/report.schema.json").read_text("utf-8"))
    wrong = next(Draft202012Validator(schema).iter_errors(document), None)
    if wrong is None and isinstance(document, dict) and "coverage" in document:
        return document
    why = f"at {wrong.json_path}: {wrong.message[:200]}" if wrong else "without coverage"
    raise SetupError(
        f"{file}: expected a report of `wiretape check --report json:FILE`, got something else, {why}"
    )


def _exit(document: Document) -> Exit:
    if not document["ok"] or document["stale"]:
        return Exit.VIOLATIONS
    return Exit.FINE if document["played"] else Exit.UNPLAYED
