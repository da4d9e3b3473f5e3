"""Reads a YAML file of faults."""

from __future__ import annotations

from typing import Any, Final

from wiretape.faults.model import Fault, FaultError
from wiretape.faults.text import parse

_KEYS: Final = {"kind", "at"}


def read_file(data: bytes) -> tuple[Fault, ...]:
    """Read a list of faults: texts (``cut@event:12``) or mappings (``{kind: cut, at: event:12}``).

    Raises FaultError with the entry's number, or the line of what is no YAML as cassettes have it.
    """
    from wiretape.cassette import CassetteError  # costs more than all else here, and few read a file
    from wiretape.cassette.plain_yaml import read_yaml

    try:
        value = read_yaml(data)
    except CassetteError as error:
        raise FaultError(f"expected a YAML list of faults\n{error}") from None
    if not isinstance(value, list):
        raise FaultError(f"expected a YAML list of faults such as cut@event:12, got {value!r}")
    return tuple(_read(entry, number) for number, entry in enumerate(value, 1))


def _read(entry: Any, number: int) -> Fault:
    try:
        return parse(entry if isinstance(entry, str) else _written(entry))
    except FaultError as error:
        raise FaultError(f"entry {number}: {error}") from None


def _written(entry: Any) -> str:
    if isinstance(entry, dict) and entry.keys() == _KEYS and isinstance(entry["at"], str):
        return f"{entry['kind']}@{entry['at']}"
    raise FaultError(f"expected KIND@WHERE or {{kind: KIND, at: WHERE}}, got {entry!r}")
