"""What of a client's session is compared with another run of it."""

from __future__ import annotations

from wiretape.fuzzing.returns import returns
from wiretape.transcript import Request, Transcript


def test_conversation_requests_are_compared_whoever_is_logged_in() -> None:
    sent = (
        ("/backend-api/f/conversation/prepare", b"{}"),
        ("/backend-api/f/conversation", b'{"a": 1}'),
        ("/backend-anon/f/conversation?x=1", b"{"),
    )
    transcript = Transcript(protocol="flow_a")
    for number, (path, body) in enumerate(sent, 1):
        request = Request(number=number, method="POST", path=path, headers=(), body=body, at=0.0)
        transcript.entries.append(request)
    assert returns(transcript) == [{"a": 1}, "b'{'"]
