"""The badge: JSON for the endpoint that shields.io draws badges from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from wiretape import strictjson
from wiretape.reporting.faces.words import fine, word
from wiretape.reporting.model import Document

_COLORS: Final = {"PASS": "brightgreen", "FAIL": "red", "UNPLAYED": "yellow"}


def render(documents: Sequence[Document]) -> str:
    """How many sessions are fine, in the colour of the worst."""
    words = [word(each) for document in documents for each in document["cassettes"]]
    worst = next((each for each in ("FAIL", "UNPLAYED") if each in words), "PASS")
    if worst == "PASS" and not all(map(fine, documents)):
        worst = "FAIL"
    message = f"{words.count('PASS')}/{len(words)} sessions"
    badge = {"schemaVersion": 1, "label": "wiretape", "message": message, "color": _COLORS[worst]}
    return strictjson.dumps(badge) + "\n"
