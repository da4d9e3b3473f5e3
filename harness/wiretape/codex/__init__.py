"""The Codex app-server: JSON-RPC over stdio or websocket, which asks clients to run their own tools."""

from wiretape.codex.check import VERIFIER

__all__ = ["VERIFIER"]
