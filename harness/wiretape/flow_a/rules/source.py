"""Where the Flow A rules come from, and the short way to write one down."""

from __future__ import annotations

from functools import partial
from typing import Final

from wiretape.contract import make_rule

SEED: Final = "flow-a-tool-protocol"
"""The source document. Its sections are written ``§3``."""
NOTES: Final = "docs/flow-a.md"
"""This project's notes, for what client code and captures show and the source document does not say."""
STANDARDS: Final = "RFC 8259"

rule = partial(make_rule, protocol="flow_a", document=SEED)
