"""A client that copes: it resumes streams that broke off, and sends again what was refused for a while.

It is the reference client in everything else. What it can't cope with is a ClientError, as there.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from http.client import HTTPException

from tests.conformance.reference_client import ClientError, Exchange, ReferenceClient, Sending
from wiretape.delta import DeltaError
from wiretape.flow_a.stream import StreamDecoder, TypedEvent

AGAIN = (401, 403, 409, 429, 500, 502)
"""After these the same request may well be answered."""
GONE = ("conversation_deleted", "Unusual activity", "Just a moment")
"""After these nothing is sent again."""
MOST = 3
"""Tries of one request, resumes of one stream."""


@dataclass(slots=True, kw_only=True)
class PatientClient(ReferenceClient):
    """Its ``play`` hook is not used: it plays one turn of the user's."""

    def send(self, sending: Sending) -> None:
        """Send, and again with everything fresh, when it is refused and that may pass."""
        for tries in range(MOST):
            try:
                # The class's cell is lost where dataclass makes slots: no bare super() here.
                return ReferenceClient.send(self, sending)
            except ClientError as refused:
                status = next((each for each in AGAIN if f"-> {each}:" in str(refused)), 0)
                if not status or tries == MOST - 1 or any(word in str(refused) for word in GONE):
                    raise
                time.sleep(1.0 if status == 429 else 0.0)  # as Retry-After says
        return None

    def read(self, answer: Exchange) -> None:
        """Read the stream, and what is left of it by resuming."""
        decoder = StreamDecoder()
        if self.follow(decoder, answer):
            return
        for _ in range(MOST):
            if self.follow(decoder, self.resume(decoder.delivered)):
                return
        raise ClientError("the stream breaks off again and again")

    def follow(self, decoder: StreamDecoder, answer: Exchange) -> bool:
        """Read on; whether the turn is over."""
        done = handed_off = False
        try:
            with answer:
                for event in answer.events():
                    news = decoder.feed(event)
                    if isinstance(news, TypedEvent) and news.type == "stream_handoff":
                        handed_off = True
                    else:
                        self.learn(decoder, news)
                    done = done or event.data.strip() == "[DONE]"
        except DeltaError as error:
            raise ClientError(f"the stream does not decode: {error}") from None
        except (HTTPException, OSError):
            return False
        return done and not handed_off

    def resume(self, offset: int) -> Exchange:
        """Ask for the events behind the first ``offset`` ones."""
        body = json.dumps({"conversation_id": self.conversation_id, "offset": offset}).encode()
        answer = Exchange(self.base_url, "f/conversation/resume", body, {"x-conduit-token": self.token})
        if answer.status != 200:
            with answer:
                raise ClientError(f"f/conversation/resume -> {answer.status}: {answer.text()}")
        return answer
