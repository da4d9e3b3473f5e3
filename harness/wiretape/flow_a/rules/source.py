"""Where the Flow A rules come from, and the short way to write one down."""

from __future__ import annotations

from functools import partial
from typing import Final

from wiretape.contract import make_rule

SEED: Final = "flow-a-tool-protocol"
"""The source document. Its sections are written ``§3``."""
SEED_SHA256: Final = "0c86ade03abcfe29126289767697a37a066997598dce9621e0643d6ee3dba620"
"""Of the text that the rules were read from."""
NOTES: Final = "docs/flow-a.md"
"""This project's notes, for what client code and captures show and the source document does not say."""
STANDARDS: Final = "RFC 8259"

rule = partial(make_rule, protocol="flow_a", document=SEED)
