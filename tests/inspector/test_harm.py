"""A client that means harm: whatever it sends is text, on every page."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

import pytest

from tests.inspector import sessions
from tests.inspector.browser import Browser, needs_chromium
from wiretape_server.thread import Playback, ServerThread

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def harmful(server: ServerThread) -> Iterator[Playback]:
    play = sessions.harmful(server)
    yield play
    play.close()


def test_what_a_client_sends_is_text_on_every_page(browser: Browser, url: str, harmful: Playback) -> None:
    here = f"{url}play/{quote(f'x/{harmful.cassette.title}')}"
    browser.open(url)
    assert "onerror" in browser.text("#part")
    browser.complaints()
    browser.open(f"{here}/")
    browser.until(lambda: browser.count(".row"), "the lines")
    count = int(browser.text("#count").split()[0])
    seen = ""
    for line in range(count):
        browser.keys("j")
        browser.until(
            lambda line=line: chosen_place(browser) == line and browser.count("#moment h2"), "the moment"
        )
        browser.script("document.querySelectorAll('details').forEach((each) => (each.open = true))")
        seen += browser.text("#moment") + browser.text("#timeline")
    for view in ("returns", "rules"):
        browser.open(f"{here}/{view}")
        seen += browser.text("main")
        browser.picture(f"harm-{view}")
    assert seen.count('onerror="window.harmed=1"') > 10
    assert "\u202e" not in seen  # it would turn the text around; it is shown as an escape
    assert "\\u202e" in seen
    for page in (f"{here}/", f"{here}/returns", f"{here}/rules", url):
        browser.open(page)
        assert browser.script("return window.harmed") is None
        assert browser.count("img") == 0
        assert browser.count("script") == 2
    assert browser.complaints() == []


def chosen_place(browser: Browser) -> int:
    row = "const row = document.querySelector(arguments[0]); return row ? Number(row.id.slice(5)) : -1"
    return int(browser.script(row, "#timeline [aria-selected=true]"))


def test_the_page_would_notice_a_script_that_came_in(browser: Browser, url: str) -> None:
    browser.open(url)
    browser.script("document.body.insertAdjacentHTML('beforeend', arguments[0])", sessions.HARM)
    browser.until(lambda: browser.complaints(), "the browser to refuse it")
    assert browser.script("return window.harmed") is None
