"""The same client in a process that stays up, for many sessions: one JSON line in, one out.

wiretape fuzz client --persistent -- python tests/examples/clients/flow_a_persistent.py
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import aiohttp
from flow_a_client import Client
from flow_a_stream import StreamError


async def play(session: dict[str, Any]) -> dict[str, Any]:
    """Take part in one session; what comes back says that it is over, and whether it failed."""
    over = {"id": session["id"]}
    async with aiohttp.ClientSession() as http:
        client = Client(http, session["base_url"], session["tools"], session["tool_results"])
        try:
            await client.ask(session["user_message"])
        except (StreamError, ValueError, LookupError, aiohttp.ClientError, TimeoutError) as error:
            return over | {"error": f"{type(error).__name__}: {error}"}
    return over


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(asyncio.run(play(json.loads(line)))), flush=True)
