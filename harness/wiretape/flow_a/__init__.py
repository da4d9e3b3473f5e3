"""Flow A: the conversation backend that streams delta encoding v1 and asks clients to run their own tools."""

from wiretape.flow_a.check import VERIFIER, check_return
from wiretape.flow_a.stream import StreamDecoder

__all__ = ["VERIFIER", "StreamDecoder", "check_return"]
