"""How the pages look and whom they exclude: small screens, dark ones, keyboards, screen readers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inspector import sessions
from tests.inspector.browser import TAB, Browser, needs_chromium

pytestmark = needs_chromium

PAGES = {
    "sessions": "",
    "timeline": f"play/{sessions.WRONG}/?line=40",
    "returns": f"play/{sessions.WRONG}/returns",
    "rules": f"play/{sessions.WRONG}/rules",
    "bytes": f"play/{sessions.WRONG}/bytes?line=40",
    "codex": f"play/{sessions.CODEX}/?line=16",
}


def show(browser: Browser, url: str, page: str) -> None:
    browser.open(url + PAGES[page])
    if "line=" in PAGES[page] and "bytes" not in page:
        browser.until(lambda: browser.count("#moment h2"), "the moment")


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of the checker that most people use."""
    import axe_core_python

    return (Path(axe_core_python.__file__).parent / "axe.min.js").read_text("utf-8")


def faults(browser: Browser, axe: str, *only: str) -> list[str]:
    """What the checker finds, one line each; it checks contrast, names, roles, order, and more."""
    browser.script(axe)
    run = "axe.run(arguments[0].length ? {runOnly: arguments[0]} : {}).then(arguments[1])"
    found = browser.driver.execute_async_script(run, only)
    assert len(found["passes"]) > (0 if only else 20)
    return [
        f"{each['id']}: {node['html'][:160]} {node['any'][0]['message'] if node['any'] else ''}"
        for each in found["violations"]
        for node in each["nodes"]
    ]


OPEN = "document.querySelectorAll('details').forEach((each) => (each.open = true))"


@pytest.mark.parametrize("page", PAGES)
def test_a_checker_of_accessibility_finds_nothing(browser: Browser, url: str, axe: str, page: str) -> None:
    show(browser, url, page)
    browser.script(OPEN)
    assert faults(browser, axe) == []
    browser.picture(f"{page}-light")


def test_the_checker_finds_what_is_wrong(browser: Browser, url: str, axe: str) -> None:
    show(browser, url, "sessions")
    browser.script(
        "const grey = document.createElement('p'); grey.textContent = 'grey'; grey.style.color = '#ccc';"
        "document.querySelector('main').append(grey, document.createElement('button'))"
    )
    assert {each.partition(":")[0] for each in faults(browser, axe)} == {"color-contrast", "button-name"}


@pytest.mark.parametrize("page", PAGES)
def test_a_dark_page_is_dark_and_can_be_read(browser: Browser, url: str, axe: str, page: str) -> None:
    light = "return getComputedStyle(document.documentElement).backgroundColor.match(/[0-9]+/g).map(Number)"
    with browser.scheme("dark"):
        show(browser, url, page)
        browser.script(OPEN)
        assert max(browser.script(light)) < 60
        assert faults(browser, axe, "color-contrast") == []
        browser.picture(f"{page}-dark")
    assert min(browser.script(light)) > 200


@pytest.mark.parametrize("page", PAGES)
def test_a_phone_needs_no_sideways_scrolling(browser: Browser, url: str, page: str) -> None:
    with browser.size(360, 740):
        show(browser, url, page)
        browser.script(OPEN)
        width = browser.script("return document.documentElement.scrollWidth")
        browser.picture(f"{page}-phone")
    assert width <= 360


def test_on_a_phone_a_touched_line_shows_its_moment_below(browser: Browser, url: str) -> None:
    with browser.size(360, 740):
        browser.open(f"{url}play/{sessions.RIGHT}/")
        browser.until(lambda: browser.count(".row"), "the lines")
        browser.script("document.getElementById('line-2').click()")
        browser.until(lambda: browser.text("#moment h2") == "body", "the moment")
        top = "return document.getElementById(arguments[0]).getBoundingClientRect().top"
        assert browser.script(top, "moment") > browser.script(top, "timeline") + 100


@pytest.mark.parametrize("width", [360, 1360])
def test_a_rules_sentence_stays_inside_of_the_window(browser: Browser, url: str, width: int) -> None:
    with browser.size(width, 740):
        show(browser, url, "returns")
        rules = browser.count("a.rule")
        for number in range(0, rules, 7):
            edges = browser.script(
                "const rule = document.querySelectorAll('a.rule')[arguments[0]]; rule.focus();"
                "const tip = rule.nextElementSibling.getBoundingClientRect(); return [tip.left, tip.right]",
                number,
            )
            assert 0 <= edges[0] < edges[1] <= width
            assert browser.script("return document.documentElement.scrollWidth") <= width
        browser.picture(f"sentence-{width}")


ORDER = ["Skip to the content", "wiretape", "Sessions", "Keys", "copy", "Save cassette", "Save transcript"]
THEN = ["Timeline", "Calls and returns", "Rules", "find", "show", "follow", "timeline"]


def test_the_tab_key_goes_through_a_page_as_one_reads_it(browser: Browser, url: str) -> None:
    browser.open(f"{url}play/{sessions.RIGHT}/")
    browser.until(lambda: browser.count(".row"), "the lines")
    visited = []
    for _ in [*ORDER, *THEN]:
        browser.keys(TAB)
        visited.append(browser.focused().split("\n")[0].removesuffix("-open"))
    assert [each.replace("help", "Keys") for each in visited] == [*ORDER, *THEN]


def test_what_has_the_focus_can_be_seen(browser: Browser, url: str) -> None:
    browser.open(f"{url}play/{sessions.RIGHT}/")
    outline = "return getComputedStyle(document.activeElement).outlineStyle"
    for _ in range(10):
        browser.keys(TAB)
        assert browser.script(outline) == "solid"


def test_what_happens_is_said_politely(browser: Browser, url: str) -> None:
    show(browser, url, "timeline")
    regions = "return [...document.querySelectorAll('[aria-live], [role=status]')]"
    assert set(browser.script(f"{regions}.map((each) => each.ariaLive || 'polite')")) == {"polite"}
    assert browser.count("#said[aria-live=polite]") == 1
