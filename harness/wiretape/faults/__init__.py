"""Faults: what goes wrong on the wire on purpose, said apart from the cassette, which is never changed.

parse("cut@event:12")        # Fault(kind="cut", where=Where(unit="event", value=12))
KINDS["cut"].right_client    # what the right client does then
hits(faults, cassette)       # what they would hit
"""

from wiretape.faults.file import read_file
from wiretape.faults.hits import demand_hits, hits, silence
from wiretape.faults.kinds import KINDS, kind_of
from wiretape.faults.model import Fault, FaultError, Hit, Kind, Unit, Where
from wiretape.faults.text import parse
from wiretape.faults.unstruck import unstruck

__all__ = [
    "KINDS",
    "Fault",
    "FaultError",
    "Hit",
    "Kind",
    "Unit",
    "Where",
    "demand_hits",
    "hits",
    "kind_of",
    "parse",
    "read_file",
    "silence",
    "unstruck",
]
