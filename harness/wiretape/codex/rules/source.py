"""Where the Codex rules come from, and the short way to write one down."""

from __future__ import annotations

from functools import partial
from typing import Final

from wiretape.contract import make_rule

SEED: Final = "app-server-dynamic-tools"
"""The source document. It has no section numbers: a section is named by its heading."""
SEED_SHA256: Final = "668e931b79631509148b7e31680d972b24356fd18e2176a31eebe3d7d37931ba"
"""Of the text that the rules were read from."""
NOTES: Final = "docs/codex.md"
"""This project's notes, for what was measured and the source document does not say."""

rule = partial(make_rule, protocol="codex", document=NOTES, evidence="wire")
