"""The cheapest client that plays one answer: what it costs must not hide what servers cost."""

from __future__ import annotations

import json
import re
import socket
from typing import Any
from urllib.parse import urlsplit

COMMON = {
    "action": "next",
    "model": "gpt-5-6-thinking",
    "thinking_effort": "standard",
    "timezone": "America/Sao_Paulo",
    "timezone_offset_min": 180,
    "local_function_signatures": [],
}
MESSAGE = {
    "id": "0d5a7d52-8d2c-4a3e-a5f0-0d3ad1a2c001",
    "author": {"role": "user", "name": None, "metadata": {}},
    "create_time": 1767225600.0,
    "update_time": None,
    "content": {"content_type": "text", "parts": ["Hello"]},
    "status": "finished_successfully",
    "end_turn": None,
    "weight": 1,
    "metadata": {},
    "recipient": "all",
    "channel": None,
}
PREPARE = json.dumps(COMMON | {"client_prepare_state": "sent"}).encode()
_CHUNK = re.compile(rb"([0-9a-f]+)\r\n")


class Conversation:
    """A challenge, a prepare and a conversation request, one connection each."""

    def __init__(self, base_url: str) -> None:
        parts = urlsplit(base_url)
        self._address = (str(parts.hostname), int(parts.port or 80))
        self._prefix = parts.path.rstrip("/") + "/backend-api/"

    def run(self) -> bytes:
        """Play it; the answer's body."""
        challenge = json.loads(self._ask("ios/attestation_challenge"))["attestation_challenge"]
        token = json.loads(self._ask("f/conversation/prepare", PREPARE))["conduit_token"]
        body: dict[str, Any] = COMMON | {
            "messages": [MESSAGE],
            "supported_encodings": ["v1"],
            "client_prepare_state": "success",
            "app_attest_challenge": challenge,
        }
        return self._ask("f/conversation", json.dumps(body).encode(), f"x-conduit-token: {token}\r\n")

    def _ask(self, path: str, body: bytes = b"", headers: str = "") -> bytes:
        head = (
            f"{'POST' if body else 'GET'} {self._prefix}{path} HTTP/1.1\r\n"
            f"Host: {self._address[0]}\r\nConnection: close\r\n{headers}"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        with socket.create_connection(self._address, timeout=10) as connection:
            connection.sendall(head.encode() + body)
            pieces = iter(lambda: connection.recv(1 << 20), b"")
            answer = b"".join(pieces)
        head_bytes, _, content = answer.partition(b"\r\n\r\n")
        return _joined(content) if b"chunked" in head_bytes.lower() else content


def _joined(content: bytes) -> bytes:
    """The body without its chunk frames."""
    pieces, at = [], 0
    while (frame := _CHUNK.match(content, at)) and (size := int(frame[1], 16)):
        pieces.append(content[frame.end() : frame.end() + size])
        at = frame.end() + size + 2
    return b"".join(pieces)
