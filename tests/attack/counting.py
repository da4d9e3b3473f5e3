"""Counts what a server holds: tasks, descriptors, objects, blocks of memory."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from collections import Counter
from dataclasses import dataclass
from typing import Final

HELD: Final = (
    *("Stream", "Exchange", "Play", "LiveConversation", "Conversation", "Turn", "Answer"),
    *("CodexPlay", "Line", "AppServer", "Bridge", "StdioProcess", "WebsocketProcess", "Output"),
    *("RequestHandler", "BaseRequest", "WebSocketResponse", "StreamedResponse", "Recorder"),
)
"""What belongs to a request, a connection or a play, and must go with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What there is at one moment."""

    tasks: int
    descriptors: int
    objects: Counter[str]
    blocks: int


async def held() -> Held:
    """Let everything end that is ending, then count."""
    for _ in range(50):
        await asyncio.sleep(0)
    gc.collect()
    return Held(
        tasks=len(asyncio.all_tasks()),
        descriptors=descriptors(),
        objects=Counter(name for each in gc.get_objects() if (name := type(each).__name__) in HELD),
        blocks=sys.getallocatedblocks(),
    )


def descriptors() -> int:
    """Open descriptors: sockets, files, pipes; 0 where nothing tells how many (Windows)."""
    for folder in ("/proc/self/fd", "/dev/fd"):
        if os.path.isdir(folder):
            return len(os.listdir(folder))
    return 0
