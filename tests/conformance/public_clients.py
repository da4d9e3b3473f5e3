"""Public Python clients of the Codex app-server, each with a tool handler that is right and with none.

    pip install --group codex-clients
    wiretape check --cassette codex/dynamic_tool_text -- \\
        python tests/conformance/public_clients.py openai-codex good

The names are those on the package index. Each client is used as a program of its users would.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What a client has to do: one turn, with these tools."""

    program: str
    message: str
    tools: list[dict[str, Any]]
    results: dict[str, Any]
    handles: bool
    """Whether the client gets a handler for tool calls."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str], handles: bool) -> Task:
        return cls(
            program=environment["WIRETAPE_CODEX_BIN"],
            message=environment["WIRETAPE_USER_MESSAGE"],
            tools=json.loads(environment["WIRETAPE_TOOLS"]),
            results=json.loads(environment["WIRETAPE_TOOL_RESULTS"]),
            handles=handles,
        )

    def answer(self, call: Any) -> Any:
        """The whole answer to a call, from its params."""
        echo = {"contentItems": [{"type": "inputText", "text": call["arguments"]["text"]}], "success": True}
        return self.results.get(call["tool"], echo)


def codex_python_sdk(task: Task) -> None:
    from codex_python_sdk import create_client

    handler = task.answer if task.handles else None
    with create_client(codex_command=task.program, on_tool_call=handler) as client:
        client.responses_create(prompt=task.message, thread_params={"dynamicTools": task.tools})


def codex_app_server_client(task: Task) -> None:
    from codex_app_server_client import SyncCodexAppServer
    from codex_app_server_client.types.threads import ThreadStartParams

    with SyncCodexAppServer(codex_bin=task.program) as codex:
        if task.handles:
            codex.low_level.on_server_request("item/tool/call", lambda _method, call: task.answer(call))
        params = ThreadStartParams.model_validate({"dynamicTools": task.tools})
        codex.start_thread(params).run(task.message)


def openai_codex(task: Task) -> None:
    from openai_codex.client import CodexClient, CodexConfig

    handler = (lambda _method, call: task.answer(call)) if task.handles else None
    with CodexClient(CodexConfig(codex_bin=task.program), approval_handler=handler) as client:
        client.initialize()
        thread = client.thread_start({"dynamicTools": task.tools}).thread
        turn = client.turn_start(thread.id, task.message).turn
        client.wait_for_turn_completed(turn.id)


def codex_agent_sdk(task: Task) -> None:
    from codex_agent_sdk.client import CodexClient
    from codex_agent_sdk.types import CodexClientOptions

    async def handler(call: Any) -> Any:
        return task.answer(call)

    async def play() -> None:
        options = CodexClientOptions(codex_path=task.program, experimental_api=True)
        client = CodexClient(options, dynamic_tool_handler=handler if task.handles else None)
        await client.connect()
        started = await client.request("thread/start", {"dynamicTools": task.tools})
        said = [{"type": "text", "text": task.message}]
        await client.request("turn/start", {"threadId": started["thread"]["id"], "input": said})
        async for notice in client.notifications():
            if notice["method"] == "turn/completed":
                break
        await client.close()

    asyncio.run(play())


def codexed(task: Task) -> None:
    from codexed import CodexClient
    from codexed.models import DynamicToolCallResponse, DynamicToolSpec

    async def handler(call: Any) -> Any:
        return DynamicToolCallResponse.model_validate(task.answer(call.model_dump()))

    async def play() -> None:
        handles = handler if task.handles else None
        async with CodexClient(codex_command=task.program, on_dynamic_tool_call=handles) as client:
            members = ("name", "description", "inputSchema")
            flat = [{key: tool[key] for key in members} for tool in task.tools]
            tools = [DynamicToolSpec.model_validate(tool) for tool in flat]
            session = await client.thread_start(dynamic_tools=tools)
            async for _event in session.turn_stream(task.message):
                pass

    asyncio.run(play())


CLIENTS: dict[str, Callable[[Task], None]] = {
    "codex-python-sdk": codex_python_sdk,
    "codex-app-server-client": codex_app_server_client,
    "openai-codex": openai_codex,
    "codex-agent-sdk": codex_agent_sdk,
    "codexed": codexed,
}


def main(arguments: list[str]) -> None:
    """Play one client: its name, and ``good`` or ``none`` for its handler."""
    match arguments:
        case [name, "good" | "none" as handler] if name in CLIENTS:
            CLIENTS[name](Task.from_environment(os.environ, handles=handler == "good"))
        case _:
            sys.exit(f"public_clients.py: expected one of {', '.join(CLIENTS)}, and good or none")


if __name__ == "__main__":
    main(sys.argv[1:])
