"""One HTTP request and its answer, as endpoints see it; and the refusals that they raise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aiohttp import web

from wiretape import strictjson
from wiretape.report import printable
from wiretape.strictjson import StrictJSONError

if TYPE_CHECKING:
    from wiretape_server.play import Play


class RefusedError(Exception):
    """A request that gets an error for its answer: status, a code for programs, a sentence for people.

    ``unmatched``: the cassette holds nothing for it, so the play counts it as an error. ``details`` are
    further members of the answer.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        unmatched: bool = False,
        details: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.unmatched = unmatched
        self.details = details or {}
        self.headers = headers or {}

    def body(self) -> dict[str, Any]:
        """The JSON that is sent: ``{"detail": {"code", "message", …}}``."""
        return {"detail": {"code": self.code, "message": self.message, **self.details}}


@dataclass(slots=True, kw_only=True)
class Exchange:
    """A request that was read. ``number`` is its place in the play's transcript, ``path`` has no query."""

    play: Play
    request: web.BaseRequest
    number: int
    path: str
    body: bytes
    conversation_id: str = ""
    """From the path, where the route has one."""
    streaming: bool = False
    """Whether the answer has begun: then it can't be another one any more."""

    @property
    def chunked(self) -> bool:
        """Whether this client understands chunks."""
        return self.request.version >= (1, 1)

    def json_object(self) -> dict[str, Any]:
        """Read the body. Raises RefusedError: 415 for another type, 400 for no JSON, 422 for no object."""
        self._demand_json_type()
        value = self._json()
        if not isinstance(value, dict):
            raise RefusedError(
                422,
                "not_an_object",
                f"expected a JSON object as the body of {self.name}, got {type(value).__name__}: "
                f"{strictjson.dumps(value)[:80]}. Send {{…}}.",
            )
        return value

    def answer(
        self, value: object, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> web.Response:
        """Answer with JSON, and note it in the transcript."""
        body = strictjson.dumps(value).encode()
        return self.send(body, status, {"content-type": "application/json", **(headers or {})})

    def send(self, body: bytes, status: int, headers: Mapping[str, str]) -> web.Response:
        """Answer with these bytes, and note it in the transcript."""
        sent = {"cache-control": "no-store", **headers}
        self.play.recorder.answer(self.number, status, tuple(sent.items()), body)
        return web.Response(status=status, headers=sent, body=body)

    def _json(self) -> Any:
        try:
            # As most backends read: of a repeated key the last one wins, and the verdict says more.
            return strictjson.loads(self.body, last_wins=True)
        except StrictJSONError as error:
            raise RefusedError(
                400,
                error.kind,
                f"the body of {self.name} is no JSON: {error}. It starts with {self.body[:60]!r}.",
            ) from None

    def _demand_json_type(self) -> None:
        sent = self.request.headers.get("content-type", "")
        media_type = sent.partition(";")[0].strip().lower()
        if media_type and media_type != "application/json" and not media_type.endswith("+json"):
            raise RefusedError(
                415,
                "unsupported_content_type",
                f"expected content-type application/json for {self.name}, got {sent!r}. "
                "Set the header content-type: application/json.",
                unmatched=True,
            )

    @property
    def name(self) -> str:
        """Method and path, as messages name them: in one line, whatever the client put into the path."""
        return printable(f"{self.request.method} {self.path}")
