"""The model provider that an app-server asks (the Responses API), so that a real one can be tested too.

Plays the cassette's ``model`` steps to each thread, which it knows by ``prompt_cache_key``. What comes back
of calls is for the rules to judge; a call of which nothing comes back is noted as an error of the play.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from aiohttp import web

from wiretape import strictjson
from wiretape.cassette.model import ModelCall, ModelItem, ModelText, Step
from wiretape.codex.messages import fields
from wiretape.codex.model_side import outputs
from wiretape.strictjson import StrictJSONError
from wiretape.transcript import Body
from wiretape_server.codex.provider import ProviderRequest
from wiretape_server.codex_outputs import calls
from wiretape_server.codex_play import CodexPlay

_JSON: Final = {"content-type": "application/json"}
_TEXT: Final = {"content-type": "text/plain; charset=utf-8"}
_EVENTS: Final = {"content-type": "text/event-stream", "cache-control": "no-store"}
_USAGE: Final = {
    "input_tokens": 10,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 5,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 15,
}


async def serve(play: CodexPlay, request: web.BaseRequest, path: str) -> web.StreamResponse:
    """Answer one request of an app-server."""
    headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in request.raw_headers)
    try:
        body = await request.content.read()
    except web.RequestPayloadError:
        number = play.recorder.request(request.method, path, headers, b"")
        return _undecodable(play, number, request.headers.get("content-encoding", ""))
    number = play.recorder.request(request.method, path, headers, body)
    match request.method, path:
        case "POST", "/v1/responses":
            return await _respond(play, request, number, body)
        case "GET", "/v1/models":
            return _answer(play, number, 200, {"object": "list", "data": [MODEL], "models": []})
        case method, _:
            play.errors.append(f"request {number}: {method} {path}: the model provider has no such endpoint")
            return _answer(play, number, 404, {"error": {"message": f"no endpoint {method} {path}"}})


def _undecodable(play: CodexPlay, number: int, encoding: str) -> web.Response:
    said = f"the body is not what its header content-encoding {encoding!r} says"
    play.errors.append(f"request {number}: {said}")
    response = _answer(play, number, 400, {"error": {"message": said}})
    response.force_close()  # where the next request would begin is not known
    return response


MODEL: Final = {"id": "mock-model", "object": "model", "created": 0, "owned_by": "wiretape"}
"""As the API shows it, under ``data``; the app-server looks under ``models``, and goes on without."""


async def _respond(play: CodexPlay, request: web.BaseRequest, number: int, body: bytes) -> web.StreamResponse:
    try:
        asked = strictjson.loads(body)
    except StrictJSONError as error:
        play.errors.append(f"request {number}: the body is no JSON: {error}")
        return _answer(play, number, 400, {"error": {"message": f"the body is no JSON: {error}"}})
    thread = str(fields(asked).get("prompt_cache_key", ""))
    before = play.cassette.model[: play.provider_requests[thread]]
    play.errors += (f"request {number}: {each}" for each in missing_outputs(before, fields(asked)))
    step = play.next_step(
        ProviderRequest(
            thread_id=thread,
            turn_id="",
            number=play.provider_requests[thread],
            body=fields(asked),
            bearer=request.headers.get("authorization"),
        )
    )
    play.provider_requests[thread] += 1
    if step.error is not None:
        return _reply(play, number, step.error.status, _sort(step.error.body), step.error.body.encode())
    if step.wait:
        return await _keep_waiting(play, request, number)
    return _reply(play, number, 200, _EVENTS, b"".join(map(_event, events(step, f"resp_{number}"))))


def _sort(body: str) -> Mapping[str, str]:
    """The headers of an error's body, which need not be JSON."""
    try:
        strictjson.loads(body)
    except StrictJSONError:
        return _TEXT
    return _JSON


def _answer(play: CodexPlay, number: int, status: int, value: object) -> web.Response:
    return _reply(play, number, status, _JSON, strictjson.dumps(value).encode())


def _reply(
    play: CodexPlay, number: int, status: int, headers: Mapping[str, str], body: bytes
) -> web.Response:
    play.recorder.answer(number, status, tuple(headers.items()), body)
    return web.Response(status=status, headers=headers, body=body)


async def _keep_waiting(play: CodexPlay, request: web.BaseRequest, number: int) -> web.StreamResponse:
    """Begin an answer and never end it: the app-server leaves when its client interrupts the turn."""
    begun = _event({"type": "response.created", "response": {"id": f"resp_{number}"}})
    play.recorder.response(number, 200, tuple(_EVENTS.items()), Body(begun))
    play.recorder.chunk(number, 0, len(begun))
    response = web.StreamResponse(headers=_EVENTS)
    await response.prepare(request)
    await response.write(begun)
    abort = request.transport.abort if request.transport is not None else response.force_close
    play.opened(abort)
    try:
        await asyncio.Event().wait()
    finally:
        play.recorder.end(number, "client-left")
        play.ended(abort)
    return response


def events(step: Step, response_id: str) -> Iterator[dict[str, Any]]:
    """The smallest answer that the app-server takes for a step's items."""
    yield {"type": "response.created", "response": {"id": response_id}}
    for index, item in enumerate(step.items):
        yield from _item_events(index, item, _output_item(item, f"msg_{response_id}_{index}"))
    yield {"type": "response.completed", "response": {"id": response_id, "usage": _USAGE}}


def _item_events(index: int, item: ModelItem, wire: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    deltas = item.deltas if isinstance(item, ModelText) else ()
    if deltas:
        opened = {**wire, "content": []}
        yield {"type": "response.output_item.added", "output_index": index, "item": opened}
    place = {"item_id": wire["id"], "output_index": index, "content_index": 0}
    for delta in deltas:
        yield {"type": "response.output_text.delta", **place, "delta": delta}
    yield {"type": "response.output_item.done", "output_index": index, "item": wire}


def _output_item(item: ModelItem, message_id: str) -> dict[str, Any]:
    if isinstance(item, ModelCall):
        named = {"type": "function_call", "id": f"fc_{item.id}", "call_id": item.id, "name": item.tool}
        inside = {} if item.namespace is None else {"namespace": item.namespace}
        return {**named, **inside, "arguments": item.arguments}
    content = [{"type": "output_text", "text": item.text}]
    return {"type": "message", "role": "assistant", "id": item.id or message_id, "content": content}


def _event(payload: Mapping[str, Any]) -> bytes:
    return f"event: {payload['type']}\ndata: {strictjson.dumps(payload)}\n\n".encode()


def missing_outputs(before: Sequence[Step], asked: Mapping[str, Any]) -> Iterator[str]:
    """Say which calls of the step before a request have no output in it; a real app-server sends all."""
    there = {call_id for _, call_id, _ in outputs(asked)}
    for call in calls(before[-1]) if before else ():
        if call.id not in there:
            yield f"function_call_output of {call.id} ({call.tool}): none came back"
