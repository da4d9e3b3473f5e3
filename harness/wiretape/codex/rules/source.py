"""Where the Codex rules come from, and the short way to write one down."""

from __future__ import annotations

from functools import partial
from typing import Final

from wiretape.contract import make_rule

SEED: Final = "app-server-dynamic-tools"
"""The source document. It has no section numbers: a section is named by its heading."""
NOTES: Final = "docs/codex.md"
"""This project's notes, for what was measured and the source document does not say."""

rule = partial(make_rule, protocol="codex", document=NOTES, evidence="wire")
