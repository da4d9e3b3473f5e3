"""Sessions that are made up for whatever tools a client declares. See docs/auto.md.

from wiretape.scenario import of_signatures

cassette = of_signatures(signatures, seed=3)
"""

from __future__ import annotations

from wiretape.scenario.adaptive import USER_MESSAGE, Adaptive, adaptive, named
from wiretape.scenario.codex import of_dynamic_tools
from wiretape.scenario.flow_a import of_signatures
from wiretape.scenario.values import UnfitError, fitting

__all__ = [
    "USER_MESSAGE",
    "Adaptive",
    "UnfitError",
    "adaptive",
    "fitting",
    "named",
    "of_dynamic_tools",
    "of_signatures",
]
