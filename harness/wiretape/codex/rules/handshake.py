"""Rules about how a connection begins."""

from __future__ import annotations

import re
from typing import Final

from wiretape.codex.messages import fields
from wiretape.codex.rules.source import rule
from wiretape.codex.view import Connection, Initialize, ThreadStart
from wiretape.contract import Answer, Fault, Rule, Skip, Unseen
from wiretape.strictjson import ABSENT

_CONTROL: Final = re.compile("[\x00-\x08\x0a-\x1f\x7f]")
"""What an HTTP header can't carry."""


def _first(connection: Connection) -> Answer:
    if not connection.requests:
        return Unseen("the client asked for nothing")
    at, request = connection.requests[0]
    if request.method != "initialize":
        return Fault("method", "initialize", request.method, at=at)
    accepted = connection.accepted
    again = connection.initializes[connection.initializes.index(accepted) + 1 :] if accepted else []
    if again:
        return Fault("method", "one initialize for each connection", "another one", at=again[0].at)
    return None


def _client_info(initialize: Initialize) -> Answer:
    info = fields(initialize.request.params).get("clientInfo", ABSENT)
    if not isinstance(info, dict):
        return Fault("params.clientInfo", "an object with name and version", info)
    name, title = info.get("name", ABSENT), info.get("title")
    if not isinstance(name, str) or _CONTROL.search(name):
        return Fault("params.clientInfo.name", "a text that an HTTP header can carry", name)
    if not isinstance(info.get("version", ABSENT), str):
        return Fault("params.clientInfo.version", "a string", info.get("version", ABSENT))
    return (
        None
        if title is None or isinstance(title, str)
        else Fault("params.clientInfo.title", "a string", title)
    )


def _experimental(start: ThreadStart) -> Answer:
    if start.tools is ABSENT:
        return Unseen("no tool was declared")
    if start.tools == [] and not start.connection.dialect.empty_tools_are_experimental:
        return None
    if not start.connection.initializes:
        return Skip("codex.initialize.first")
    initialize = start.connection.accepted or start.connection.initializes[-1]
    if initialize.experimental:
        return None
    got = fields(initialize.request.params).get("capabilities", ABSENT)
    return Fault("params.dynamicTools", "capabilities with experimentalApi true in initialize", got)


def _initialized(connection: Connection) -> Answer:
    if connection.accepted is None:
        return Unseen("no initialize was accepted")
    if connection.initialized:
        return None
    if len(connection.requests) == len(connection.initializes):
        return Unseen("the client went no further than initialize")
    return Fault("", "the notification initialized after the answer to initialize", "none")


HANDSHAKE_RULES: Final[tuple[Rule, ...]] = (
    rule(
        "initialize.first",
        "The first request of a connection is initialize, and there is one",
        _first,
        scope="connections",
        section="Handshake",
        quote="Before initialize every request is refused, and so is a second initialize.",
        good="initialize, initialized, then everything else",
        bad=("thread/start is the first request", "initialize is sent again after it was accepted"),
        hint="each connection does its own initialize, also after a reconnect",
    ),
    rule(
        "initialize.client-info",
        "The client says its name and version",
        _client_info,
        scope="initializes",
        section="Handshake",
        quote="The client's name and version are required texts, its title is optional; the name must fit an "
        "HTTP header.",
        good='{"clientInfo": {"name": "demo_client", "version": "0.0.1"}}',
        bad=("{}", '{"clientInfo": {"name": "x"}}', '{"clientInfo": {"name": "x\\n", "version": "1"}}'),
    ),
    rule(
        "initialize.experimental-api",
        "A client that declares tools has asked for the experimental API",
        _experimental,
        scope="thread_starts",
        section="Handshake",
        quote="Without experimentalApi in the capabilities a thread with dynamicTools is refused.",
        good='{"capabilities": {"experimentalApi": true}}',
        bad=("no capabilities", '{"capabilities": {"experimentalApi": false}}'),
        hint="thread/start is answered with an error then, and there is no thread",
    ),
    rule(
        "initialize.initialized-sent",
        "The client tells that it has read the answer to initialize",
        _initialized,
        scope="connections",
        level="should",
        section="Handshake",
        quote="After the answer the client sends the notification initialized; no server was seen to insist.",
        good='{"method": "initialized"}',
        bad=("thread/start right after initialize, without initialized",),
    ),
)
