"""The list of sessions, and sessions that go on while one looks on; taking a session along."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.inspector import sessions
from tests.inspector.browser import DOWN, ENTER, ESCAPE, LIST, Browser, needs_chromium
from tests.server import making
from tests.server.wire import Wire
from wiretape import load_cassette
from wiretape.cassette import loads
from wiretape_server.options import PlayOptions
from wiretape_server.thread import Playback, ServerThread

pytestmark = needs_chromium

NAMES = [sessions.RIGHT, sessions.WRONG, sessions.CODEX, sessions.UNUSED]


def test_the_list_says_how_each_session_stands(browser: Browser, url: str) -> None:
    browser.open(url)
    states = dict(zip(browser.texts("tbody th a"), browser.texts("tbody .badge"), strict=True))
    assert [states[name] for name in NAMES] == ["ok", "1 violation", "ok", "no client yet"]


def test_keys_go_from_session_to_session_and_open_one(browser: Browser, url: str) -> None:
    browser.open(url)
    browser.keys("j")
    assert browser.focused() == NAMES[0]
    browser.keys(DOWN, "j", "k")
    assert browser.focused() == NAMES[1]
    browser.keys(ENTER)
    browser.until(lambda: browser.text("h1") == NAMES[1], "the session's page")
    browser.keys(ESCAPE)
    browser.until(lambda: browser.text("h1") == "Sessions", "the list again")


def test_a_search_leaves_the_sessions_that_match(browser: Browser, url: str) -> None:
    browser.open(url)
    browser.keys("/", *"dynamic")
    browser.until(lambda: "of" in browser.text("#count"), "fewer sessions")
    assert browser.texts("tbody tr:not([hidden]) th a") == [sessions.CODEX]


# --- live


@pytest.fixture
def live(server: ServerThread) -> Iterator[Playback]:
    cassette = making.plain(chunks=None)
    play = server.play(cassette, PlayOptions(pace="instant"), key="live")
    yield play
    play.close()


def test_lines_appear_while_a_client_speaks_and_are_followed(
    browser: Browser, url: str, live: Playback
) -> None:
    browser.open(f"{url}play/live/")
    assert browser.text("#count") == "0 lines"
    assert browser.text("#head .badge") == "no client yet"
    with Wire(live.base_url) as wire:
        for turn in range(1, 4):
            wire.ask("GET", "/backend-api/ios/attestation_challenge").body()
            browser.until(lambda turn=turn: browser.count(".row") == 4 * turn, f"the lines of request {turn}")
        for _ in range(30):
            wire.ask("GET", "/backend-api/ios/attestation_challenge").body()
    browser.until(lambda: "132 lines" in browser.text("#count"), "all lines")
    left = f"{LIST} return list.scrollHeight - list.scrollTop - list.clientHeight"
    browser.until(lambda: browser.script(left) < 30, "the end to be followed")
    browser.keys("k")
    assert browser.script("return document.getElementById('follow').getAttribute('aria-pressed')") == "false"


def test_a_session_that_begins_appears_in_the_list(browser: Browser, server: ServerThread, url: str) -> None:
    browser.open(url)
    assert "appears" not in browser.text("#part")
    play = server.play(load_cassette("alefita_way"), key="appears")
    browser.until(lambda: "appears" in browser.text("#part"), "the new session")
    play.close()
    browser.until(lambda: "appears" not in browser.text("#part"), "the session to be gone")


# --- copying


def test_a_session_is_copied_as_a_cassette(browser: Browser, url: str) -> None:
    browser.open(f"{url}play/{sessions.RIGHT}/")
    browser.driver.execute_cdp_cmd(
        "Browser.grantPermissions",
        {
            "origin": url.partition("/inspector")[0],
            "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"],
        },
    )
    browser.click("#copy")
    browser.until(lambda: browser.text("#copy") == "Copied", "the copy")
    copied = browser.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0])")
    assert loads(copied.encode()).interactions
    assert "copied" in browser.script("return document.getElementById('said').textContent")


def test_what_can_not_be_copied_is_said(browser: Browser, url: str) -> None:
    browser.open(f"{url}play/{sessions.UNUSED}/")
    browser.click("#copy")
    browser.until(lambda: browser.text("#copy") == "Not copied", "the refusal")
    assert "got none yet" in browser.script("return document.getElementById('said').textContent")
