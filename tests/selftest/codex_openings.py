"""Codex clients that are wrong in how they begin, in what they declare, or in what they send at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from tests.conformance.codex_broken import also_saying, refused_and_then_without_tools, refused_first
from tests.conformance.codex_reference import CodexClient, Hooks, Message
from tests.selftest.codex_sessions import ALL, TEXT, Wrong
from tests.selftest.flow_a_sessions import put, shown
from wiretape.strictjson import ABSENT

_NO_TEXT: Final = (ABSENT, None, 5, True, [], {})


def opening_mutations() -> Iterator[Wrong]:
    yield from _handshake()
    yield from _declarations()
    yield from _frames()


# --- how a connection begins

_METHODS: Final = (
    *("thread/start", "thread/list", "thread/read", "thread/resume", "thread/loaded/list"),
    *("turn/start", "turn/interrupt", "turn/steer", "account/read", "account/login/start"),
    *("model/list", "config/read", "skills/list", "mcpServerStatus/list", "no/such/method", ""),
)
CLIENT_INFO: Final[tuple[tuple[str, tuple[object, ...]], ...]] = (
    ("clientInfo", (ABSENT, None, "me", 5, [], {})),
    ("clientInfo.name", (ABSENT, None, 5, True, [], "a\nb", "\x00", "\x7f")),
    ("clientInfo.version", _NO_TEXT),
    ("clientInfo.title", (5, True, [], {})),
)
CAPABILITIES: Final = (ABSENT, None, {}, {"experimentalApi": False}, {"experimentalAPI": True})


def _handshake() -> Iterator[Wrong]:
    for method in _METHODS:
        yield Wrong(
            rule="initialize.first",
            name=f"{method!r} before",
            hooks=Hooks(opens=lambda client, method=method: (client.ask(method, {}), client.initialize())),
            cassettes=(TEXT, "plain_turn"),
        )
    yield Wrong(
        rule="initialize.first",
        name="twice",
        hooks=Hooks(opens=lambda client: (client.initialize(), client.initialize())),
        cassettes=ALL,
    )
    for path, values in CLIENT_INFO:
        for value in values:
            yield Wrong(
                rule="initialize.client-info",
                name=f"{path} {shown(value)}",
                hooks=Hooks(opens=_refused_initialize(path, value)),
            )
    for value in CAPABILITIES:
        yield Wrong(
            rule="initialize.experimental-api",
            name=f"capabilities {shown(value)}",
            hooks=Hooks(initialize=put("capabilities", value), starts=refused_and_then_without_tools),
        )
    for name, said in _INITIALIZED.items():
        yield Wrong(
            rule="initialize.initialized-sent",
            name=name,
            hooks=Hooks(initialized=said),
            cassettes=ALL,
        )


_INITIALIZED: Final[dict[str, Callable[[CodexClient], object]]] = {
    "nothing said": lambda _: None,
    "another case": lambda client: client.send({"method": "Initialized"}),
    "another spelling": lambda client: client.send({"method": "initialised"}),
    "as in the language servers": lambda client: client.send({"method": "notifications/initialized"}),
}


def _refused_initialize(path: str, value: object) -> Callable[[CodexClient], object]:
    """Introduce oneself wrongly, and rightly where that was refused."""

    def open_(client: CodexClient) -> object:
        params: Message = {
            "clientInfo": {"name": "me", "title": "Me", "version": "1"},
            "capabilities": {"experimentalApi": True},
        }
        put(path, value)(params)
        return client.initialize() if "error" in client.ask("initialize", params) else None

    return open_


SPECS: Final[tuple[tuple[str, tuple[object, ...]], ...]] = (
    ("dynamicTools", (5, True, "demo_echo", {"name": "demo_echo"})),
    ("dynamicTools.0", (None, 5, "demo_echo", [], {})),
    ("dynamicTools.0.name", (*_NO_TEXT, "", " ", "demo.echo", " demo", "demo echo", "é", "mcp", "mcp__x")),
    ("dynamicTools.0.name", ("x" * 129, "demo/echo")),
    ("dynamicTools.0.description", _NO_TEXT),
    ("dynamicTools.0.inputSchema", (ABSENT, "object", 5, [])),
)


def _declarations() -> Iterator[Wrong]:
    for path, values in SPECS:
        for value in values:
            yield Wrong(
                rule="thread-start.tool-spec-valid",
                name=f"{path} {shown(value)}",
                hooks=refused_first(put(path, value)),
            )
    yield Wrong(
        rule="thread-start.tool-spec-valid",
        name="the same name twice",
        hooks=refused_first(lambda params: params["dynamicTools"].append(params["dynamicTools"][0])),
    )
    for key in ("persistExtendedHistory", "dynamic_tools"):
        for value in (True, False, None, []):
            yield Wrong(
                rule="thread-start.no-removed-fields",
                name=f"{key} {value!r}",
                hooks=Hooks(thread_start=put(key, value)),
            )


# --- messages

NO_JSON: Final = (
    *(b"", b"{", b"}", b"{'method': 'initialized'}", b'{"method": "initialized",}', b"initialized"),
    *(b'{"method": "initialized"', b'{method: "initialized"}', b'{"method": "\xff"}', b"\xef\xbb\xbf{}"),
    *(b'{"method": "x", "params": NaN}', b'{"method": "x", "params": {"a": 007}}', b"undefined", b"None"),
    *(b'{"method": "a\nb"}', b'{"method": "initialized"} // x', b"Content-Length: 12", b"\x00", b"tru"),
    *(b'{"method": "x", "params": {"a": 1, "a": 2}}'[:-1], b'{"method": "\\x41"}', b"[1, 2", b"1 2"),
)
NO_MESSAGE: Final = (
    *(b"[]", b'[{"method": "initialized"}]', b'[{"id": 1, "method": "model/list"}]', b"null", b"true"),
    *(b"5", b'"initialized"', b"{}", b'{"params": {}}', b'{"jsonrpc": "2.0"}', b'{"method": 5}'),
    *(b'{"method": null}', b'{"method": ["initialized"]}', b'{"method": {}, "id": 7}'),
    *(b'{"method": "initialized"}{"method": "initialized"}', b'{"method": "initialized"} {}'),
)


def _frames() -> Iterator[Wrong]:
    for rule, wrong in (("frame.valid-json", NO_JSON), ("frame.one-message", NO_MESSAGE)):
        for data in wrong:
            yield Wrong(
                rule=rule, name=f"{data!r:.40}", hooks=also_saying(data), cassettes=(TEXT, "plain_turn")
            )
