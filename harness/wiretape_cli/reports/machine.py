"""The JSON report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wiretape import strictjson
from wiretape.contract import Report
from wiretape.report import to_json


def render(reports: Sequence[Report], run: Mapping[str, Any]) -> str:
    """One ASCII line of JSON; its schema is shipped as ``wiretape/schemas/report.schema.json``."""
    return strictjson.dumps(to_json(reports, run)) + "\n"
