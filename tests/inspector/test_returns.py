"""Calls and returns in a browser: what differs is marked, and each rule says its sentence."""

from __future__ import annotations

import pytest

from tests.conformance.broken import BROKEN
from tests.conformance.playing import reference
from tests.inspector import sessions
from tests.inspector.browser import ENTER, ESCAPE, TAB, Browser, needs_chromium
from wiretape import load_cassette
from wiretape.flow_a.rules import RULES
from wiretape_server.options import PlayOptions
from wiretape_server.thread import ServerThread

pytestmark = needs_chromium

QUOTE = next(rule.spec.quote for rule in RULES if rule.id == f"flow_a.{sessions.BREAKS}")
BLAMED = ".why a.rule"


@pytest.fixture
def returns(browser: Browser, url: str) -> Browser:
    """The wrong client's returns, open."""
    browser.open(f"{url}play/{sessions.WRONG}/returns")
    return browser


def test_the_one_thing_that_differs_is_marked(returns: Browser) -> None:
    [came] = returns.texts(".side-line:not(.same):not(.heads) .got")
    [wanted] = returns.texts(".side-line:not(.same):not(.heads) .want")
    assert came.endswith('"recipient": "alefita_way"')
    assert wanted == '"recipient": "all"'
    assert returns.texts(BLAMED) == [sessions.BREAKS]
    assert returns.count(".side-line.same") > 10
    returns.picture("broken-returns")


def test_nothing_of_a_right_clients_return_is_marked(browser: Browser, url: str) -> None:
    browser.open(f"{url}play/{sessions.RIGHT}/returns")
    assert browser.texts(".side-line:not(.same):not(.heads)") == []
    assert browser.count(".outcome.must") == 0
    assert browser.count(".outcome.pass") > 10


def test_the_pointer_shows_a_rules_sentence(returns: Browser) -> None:
    tip = ".why .tip"
    assert not returns.visible(tip)
    returns.hover(BLAMED)
    returns.until(lambda: returns.visible(tip), "the sentence")
    assert QUOTE in returns.text(tip)
    returns.picture("broken-returns-sentence")
    returns.keys(ESCAPE)
    returns.until(lambda: not returns.visible(tip), "the sentence to go")
    assert returns.driver.current_url.endswith("/returns")


def test_the_keyboard_shows_a_rules_sentence_too(returns: Browser) -> None:
    returns.script("document.querySelector('.arguments').focus()")
    for _ in range(10):
        returns.keys(TAB)
        if returns.script("return document.activeElement.closest('.why') !== null"):
            break
    assert returns.focused() == sessions.BREAKS
    assert returns.visible(".why .tip")
    described = (
        "return document.getElementById(document.activeElement.getAttribute('aria-describedby')).textContent"
    )
    assert QUOTE in returns.script(described)
    returns.keys(ESCAPE)
    assert not returns.visible(".why .tip")


def test_j_goes_from_rule_to_rule_and_enter_opens_one(returns: Browser) -> None:
    returns.keys("j")
    assert returns.focused() == sessions.BREAKS
    returns.keys("j")
    assert returns.focused() != sessions.BREAKS
    returns.keys("k", ENTER)
    returns.until(lambda: f"/rules#flow_a.{sessions.BREAKS}" in returns.driver.current_url, "the rule's page")
    assert QUOTE in returns.text(".rule-line:target")


def test_a_search_leaves_the_rules_that_match(returns: Browser) -> None:
    returns.keys("/", *"recipient")
    returns.until(lambda: "of" in returns.text("#count"), "fewer rules")
    shown = returns.texts("[data-item]:not([hidden]) a.rule")
    assert sessions.BREAKS in shown
    assert len(shown) < 6


def test_an_app_servers_call_stands_beside_its_answer(browser: Browser, url: str) -> None:
    browser.open(f"{url}play/{sessions.CODEX}/returns")
    assert browser.text(".comparison h2") == "demo_echo"
    assert browser.texts(".side-line:not(.same):not(.heads)") == []
    assert '"success": true' in browser.text(".sides")
    browser.picture("codex-returns")


def test_the_rules_of_a_wrong_client_can_be_read_one_by_one(browser: Browser, url: str) -> None:
    browser.open(f"{url}play/{sessions.WRONG}/rules")
    browser.script(
        "const show = document.getElementById('show'); show.value = 'fail';"
        "show.dispatchEvent(new Event('change'))"
    )
    browser.until(lambda: browser.text("#count").startswith("1 of"), "the one rule")
    item = browser.text(".rule-line:not([hidden])")
    assert all(
        text in item for text in (sessions.BREAKS, '"all"', '"alefita_way"', "messages[0].recipient", QUOTE)
    )
    browser.picture("broken-rules")


def test_a_return_that_comes_while_one_looks_on_appears(
    browser: Browser, server: ServerThread, url: str
) -> None:
    play = server.play(load_cassette("alefita_way"), PlayOptions(pace="instant"), key="going")
    browser.open(f"{url}play/going/returns")
    assert "No tool has been called yet" in browser.text("#part")
    reference(play, BROKEN["return.end-turn-null"].hooks).run()
    browser.until(lambda: "return.end-turn-null" in browser.texts(BLAMED), "the return")
    assert "1 violation" in browser.text("#head")
    play.close()
