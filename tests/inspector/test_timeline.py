"""The timeline in a browser: it grows, is found one's way in by keys, and holds only what can be seen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.inspector import sessions
from tests.inspector.browser import DOWN, END, ENTER, ESCAPE, HOME, LIST, UP, Browser, needs_chromium
from wiretape_server.thread import Playback, ServerThread

pytestmark = needs_chromium

CHOSEN = "#timeline [aria-selected=true]"


@pytest.fixture
def timeline(browser: Browser, url: str) -> Browser:
    """The right client's timeline, open."""
    browser.open(f"{url}play/{sessions.RIGHT}/")
    browser.until(lambda: browser.count(".row"), "the lines")
    return browser


def chosen(browser: Browser) -> int:
    """The number of the chosen line; -1 without one."""
    row = "const row = document.querySelector(arguments[0]); return row ? Number(row.dataset.line) : -1"
    return int(browser.script(row, CHOSEN))


def go_to(browser: Browser, key: str, line: int) -> None:
    browser.open(f"{browser.driver.current_url.partition('/play/')[0]}/play/{key}/?line={line}")
    browser.until(lambda: chosen(browser) == line, f"line {line} to be chosen")


# --- keys


def test_keys_go_from_line_to_line_and_show_each(timeline: Browser) -> None:
    timeline.keys("j")
    timeline.until(lambda: chosen(timeline) == 0, "the first line")
    timeline.until(lambda: "GET" in timeline.text("#moment h2"), "what came")
    timeline.keys("j", DOWN, "k")
    timeline.until(lambda: timeline.text("#moment h2") == "200", "the second line's moment")
    timeline.keys(END)
    timeline.until(lambda: timeline.text("#moment h2") == "end: complete", "the last line's moment")
    timeline.keys(HOME, UP)
    timeline.until(lambda: chosen(timeline) == 0, "the first line again")


def test_the_list_says_which_line_is_active(timeline: Browser) -> None:
    timeline.keys("j", "j")
    active = "return document.getElementById('timeline').getAttribute('aria-activedescendant')"
    timeline.until(lambda: timeline.script(active) == "line-1", "the second line to be active")
    assert timeline.script("return document.getElementById('line-1').ariaPosInSet") == "2"


def test_slash_searches_and_escape_empties_leaves_and_goes_up(timeline: Browser) -> None:
    before = timeline.text("#count")
    timeline.keys("/")
    assert timeline.focused() == "find"
    timeline.keys(*"conduit")
    timeline.until(lambda: timeline.text("#count") != before, "fewer lines")
    assert all("conduit" in each or "POST" in each for each in timeline.texts(".row"))
    timeline.keys(ESCAPE)
    timeline.until(lambda: timeline.text("#count") == before, "all lines again")
    timeline.keys(ESCAPE)
    assert timeline.focused() == "timeline"
    timeline.keys(ESCAPE)
    timeline.until(lambda: timeline.driver.current_url.endswith("/inspector/"), "the list of sessions")


def test_letters_of_a_search_are_no_keys(timeline: Browser) -> None:
    timeline.keys("/", "j", "f", "?")
    assert (chosen(timeline), timeline.count("dialog[open]")) == (-1, 0)
    assert timeline.script("return document.getElementById('find').value") == "jf?"


def test_a_question_mark_shows_the_keys_and_escape_closes_them(timeline: Browser) -> None:
    timeline.keys("?")
    assert timeline.visible("#help")
    timeline.picture("keys")
    timeline.keys(ESCAPE)
    assert not timeline.visible("#help")


def test_a_choice_shows_some_of_the_lines(timeline: Browser) -> None:
    timeline.script(
        "const show = document.getElementById('show'); show.value = 'client';"
        "show.dispatchEvent(new Event('change'))"
    )
    timeline.until(lambda: timeline.count(".row") == 6, "the six requests")
    assert timeline.count(".row.server") == 0


def test_arrows_scroll_a_long_text_that_has_the_focus(timeline: Browser) -> None:
    timeline.keys("j")
    timeline.until(lambda: timeline.count("#moment h2"), "the moment")
    timeline.script("document.getElementById('raw').open = true; document.querySelector('.hex').focus()")
    timeline.keys(DOWN, END)
    assert chosen(timeline) == 0
    timeline.keys("j")
    timeline.until(lambda: chosen(timeline) == 1, "the next line")


# --- what is shown


def test_the_message_grows_with_the_chosen_line(timeline: Browser) -> None:
    words = [
        (int(number), text)
        for number, text in timeline.script(
            "return [...document.querySelectorAll('.row')].filter((row) => "
            "row.querySelector('.op').textContent.includes('append'))"
            ".map((row) => [row.dataset.line, row.querySelector('.text').lastChild.textContent])"
        )
    ]
    assert len(words) > 2
    grown = ""
    for line, text in words[:3]:
        go_to(timeline, sessions.RIGHT, line)
        timeline.until(
            lambda text=text: timeline.text(".grown mark").strip() == text.strip(), "the new piece"
        )
        now = timeline.text(".grown")
        assert now.startswith(grown)
        assert now != grown
        grown = now
    assert timeline.text(".message h3").startswith("assistant →")
    timeline.picture("alefita_way-timeline")


def test_the_bytes_of_a_line_are_shown_as_hexadecimal_and_text(timeline: Browser) -> None:
    go_to(timeline, sessions.RIGHT, 0)
    timeline.until(lambda: timeline.count("#raw"), "the bytes")
    timeline.script("document.getElementById('raw').open = true")
    assert timeline.texts(".hex li")[0].split() == [
        "000000",
        *["47", "45", "54", "20", "2f", "62", "61", "63"],
        "GET",
        "/bac",
    ]


def test_an_app_servers_timeline_has_its_messages(timeline: Browser) -> None:
    go_to(timeline, sessions.CODEX, 16)
    timeline.until(lambda: "item/tool/call" in timeline.text("#timeline"), "the call")
    timeline.until(lambda: timeline.text("#moment h2"), "the moment")
    timeline.picture("codex-timeline")


def test_an_item_grows_with_the_deltas_of_the_app_server(timeline: Browser, server: ServerThread) -> None:
    play = sessions.codex(server, sessions.GROWING)
    go_to(timeline, sessions.GROWING, 0)
    rows = "return [...document.querySelectorAll('.row')].filter((row) => row.innerText.includes('/delta'))"
    lines = [int(each) for each in timeline.script(f"{rows}.map((row) => row.dataset.line)")]
    grown = ""
    for line in lines:
        go_to(timeline, sessions.GROWING, line)
        timeline.until(lambda: timeline.text(".grown mark"), "what the delta adds")
        assert timeline.text(".grown").startswith(grown)
        grown = timeline.text(".grown")
    assert len(lines) > 1
    play.close()


def test_a_line_that_a_rule_blames_says_so(timeline: Browser) -> None:
    base = timeline.driver.current_url.partition("/play/")[0]
    timeline.open(f"{base}/play/{sessions.WRONG}/")
    timeline.script(
        "const show = document.getElementById('show'); show.value = 'blamed';"
        "show.dispatchEvent(new Event('change'))"
    )
    timeline.until(lambda: timeline.count(".row") == 1, "the one line with a finding")
    timeline.keys("j")
    timeline.until(lambda: timeline.text(".findings .rule") == sessions.BREAKS, "the rule")
    timeline.picture("broken-timeline")


# --- ten thousand events


@pytest.fixture(scope="module")
def huge(server: ServerThread) -> Iterator[Playback]:
    play = sessions.huge(server)
    yield play
    play.close()


def test_of_ten_thousand_events_the_page_holds_only_those_that_can_be_seen(
    browser: Browser, url: str, huge: Playback
) -> None:
    assert huge.wait_idle(0)
    browser.open(f"{url}play/{sessions.HUGE}/")
    browser.until(lambda: browser.count(".row"), "the lines")
    assert int(browser.text("#count").split()[0]) > sessions.EVENTS
    for key, what in ((END, "end: complete"), (HOME, "POST")):
        browser.keys(key)
        browser.until(lambda what=what: what in browser.text("#moment h2"), what)
        assert 0 < browser.count(".row") <= 200
    rows = browser.count("*")
    for place in (0.25, 0.5, 0.75):
        browser.script(f"{LIST} list.scrollTop = list.scrollHeight * arguments[0]", place)
        word = f"word{int(sessions.EVENTS * place)}"
        browser.until(lambda word=word: word in browser.text("#timeline"), word)
        assert browser.count("*") < rows + 2000
    browser.keys("/", *"word7777")
    browser.until(lambda: browser.count(".row") == 1, "the one line with that word")
    browser.keys(ENTER, "j")
    browser.until(lambda: browser.text(".grown mark").strip() == "word7777", "its moment")
    assert "earlier characters" in browser.text(".grown")
    browser.picture("huge-timeline")
