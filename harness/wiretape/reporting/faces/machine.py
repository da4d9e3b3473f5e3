"""The JSON report: the model itself."""

from __future__ import annotations

from collections.abc import Sequence

from wiretape import strictjson
from wiretape.reporting.model import Document


def render(documents: Sequence[Document]) -> str:
    """One ASCII line of JSON for each run; its schema is ``wiretape/schemas/report.schema.json``."""
    return "".join(strictjson.dumps(document) + "\n" for document in documents)
