"""wiretape in pytest: play a cassette to a test's client, and judge at the end what it sent. ::

    def test_my_client(wiretape):
        play = wiretape.play("alefita_way")
        MyClient(play.base_url).ask(play.user_message)
        play.verify()

    def test_my_codex_client(wiretape):
        play = wiretape.codex("dynamic_tool_text")
        MyCodexClient(codex=play.bin).ask(play.user_message)

Importing this package, as every pytest run does where it is installed, imports nothing but itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wiretape.contract import Report

__all__ = ["WiretapeViolation"]


class WiretapeViolation(AssertionError):  # noqa: N818 - it names what the client did
    """A client broke a rule, or did not play a session to its end. ``reports`` are the verdicts on it."""

    def __init__(self, text: str, reports: tuple[Report, ...]) -> None:
        super().__init__(text)
        self.reports = reports
