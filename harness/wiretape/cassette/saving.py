"""Saving a cassette, whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from wiretape.cassette.model import Cassette, CassetteError
from wiretape.cassette.reader import loads
from wiretape.cassette.refusal import in_file, refusal
from wiretape.cassette.writer import dumps


def save(cassette: Cassette, path: str | Path, *, overwrite: bool = False) -> None:
    """Write a cassette to ``path``; what was written is read back and compared before it gets its name.

    Raises CassetteError when the file exists and ``overwrite`` is not set, when the cassette can't be
    written, or when what is read back differs. The file at ``path`` is then as it was before.
    """
    path = Path(path)
    try:
        if path.exists() and not overwrite:
            raise _exists()
        _replace(path, dumps(cassette), cassette)
    except OSError as error:
        raise in_file(str(path), _unwritable(error)) from None
    except CassetteError as error:
        raise in_file(str(path), error) from None


def _replace(path: Path, data: bytes, cassette: Cassette) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    try:
        with draft.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        written = draft.read_bytes()
        if written != data or loads(written) != cassette:
            raise _differs()
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _exists() -> CassetteError:
    return refusal(
        at="the file",
        want="a path where nothing is yet",
        got="a file that exists",
        hint="choose another name, or say that it may be overwritten",
    )


def _differs() -> CassetteError:
    return refusal(
        at="the file as written",
        want="the very cassette that was to be saved",
        got="another one",
        hint="nothing was saved; the cassette holds what the format can't, a tuple in a result, say",
    )


def _unwritable(error: OSError) -> CassetteError:
    return refusal(
        at="the file",
        want="a place that can be written",
        got=str(error.strerror or error),
        hint="check the folder, its rights and the free space",
    )
