"""Sessions to look at: a right client, a wrong one, an app-server's, a huge one, one that means harm."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from tests.conformance.broken import BROKEN
from tests.conformance.playing import reference
from tests.server import making
from tests.server.wire import ask, converse
from wiretape import load_cassette
from wiretape_server.options import PlayOptions
from wiretape_server.thread import Playback, ServerThread

CODEX_CLIENT = Path(__file__).parents[1] / "examples" / "clients" / "codex_client.py"
RIGHT, WRONG, UNUSED, HUGE = "flow_a/alefita_way", "broken", "handoff", "huge"
CODEX, GROWING = "codex/dynamic_tool_text", "codex/plain_turn"
BREAKS = "return.recipient-is-all"
EVENTS = 10_000
HARM = '"><img src=x onerror="window.harmed=1"><script>window.harmed=1</script>\u202e'
"""What a page must show, and never be."""


def right(server: ServerThread) -> Playback:
    play = server.play(load_cassette("alefita_way"), PlayOptions(pace="x0.1"), key=RIGHT)
    reference(play).run()
    return play


def wrong(server: ServerThread) -> Playback:
    play = server.play(load_cassette("alefita_way"), PlayOptions(pace="x0.1"), key=WRONG)
    reference(play, BROKEN[BREAKS].hooks).run()
    return play


def codex(server: ServerThread, name: str = CODEX) -> Playback:
    play = server.play(load_cassette(name), PlayOptions(pace="x0.1"), key=name)
    subprocess.run(
        [sys.executable, str(CODEX_CLIENT)], env=os.environ | play.variables(), check=True, timeout=60
    )
    return play


def unused(server: ServerThread) -> Playback:
    return server.play(load_cassette("handoff"), key=UNUSED)


def huge(server: ServerThread) -> Playback:
    """An answer of ten thousand words, each an event and a chunk."""
    stream = making.answer_stream("", words=[f"word{number} " for number in range(EVENTS)])
    cassette = making.cassette(making.interaction(making.user_turn(), stream))
    play = server.play(cassette, PlayOptions(pace="instant", chunks="event"), key=HUGE)
    converse(play.base_url, making.user_turn()).body()
    return play


def harmful(server: ServerThread) -> Playback:
    """A client that puts markup wherever it can: path, header, tool's name, result. So is the play's key."""
    cassette = replace(
        making.cassette(
            making.interaction(making.user_turn(HARM), making.call_stream(tool=HARM)),
            making.interaction(making.tool_return(), making.answer_stream(HARM)),
        ),
        title=HARM,
    )
    play = server.play(cassette, PlayOptions(pace="instant", ids="recorded"), key=f"x/{HARM}")
    base = play.base_url.partition("/play/")[0] + "/play/" + quoted(f"x/{HARM}")
    evil = {"x_evil": HARM}
    ask(base, "GET", f"/backend-api/conversation/{quoted(HARM)}", **evil)
    converse(base, making.user_turn(HARM), **evil)
    text = json.dumps({"call_id": making.CALL, "result": {"message": HARM}, HARM: HARM})
    author = {"role": HARM, "name": HARM, HARM: HARM}
    content = {"content_type": HARM, "text": text}
    converse(
        base, making.tool_return(author=author, content=content, recipient=HARM, **{HARM: [HARM]}), **evil
    )
    return play


def quoted(text: str) -> str:
    return quote(text, safe="/")
