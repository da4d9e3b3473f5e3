"""wiretape records, replays and judges the wire between a tool-calling client and its backend."""

from wiretape.cassette import load_cassette
from wiretape.verdict import verify

__version__ = "0.1.0"
__all__ = ["__version__", "load_cassette", "verify"]
