"""wiretape records, replays and judges the wire between a tool-calling client and its backend."""

__version__ = "0.1.0"
