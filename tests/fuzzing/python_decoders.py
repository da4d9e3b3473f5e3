"""Decoders as functions, to be attacked by name."""

from __future__ import annotations

from typing import Any

from tests.fuzzing.planted import PLANTED
from wiretape.flow_a.stream import decode


def right(data: bytes) -> Any:
    return decode(data)["messages"]


without_truncate = PLANTED["no truncate"][0]


def inventing(_data: bytes) -> Any:
    return [{"id": "x"}]
