"""All kinds of faults by name, of every protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from wiretape.faults.codex import CODEX_KINDS
from wiretape.faults.flow_a import FLOW_A_KINDS
from wiretape.faults.model import Kind

KINDS: Final[Mapping[str, Kind]] = {kind.name: kind for kind in (*FLOW_A_KINDS, *CODEX_KINDS)}
