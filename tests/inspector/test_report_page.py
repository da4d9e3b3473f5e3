"""The HTML report in a real browser: on a phone, in the dark, with a hostile client's words in it."""

from __future__ import annotations

from pathlib import Path

import axe_core_python
import pytest

from tests.inspector.browser import Browser, needs_chromium
from tests.inspector.test_look import faults
from tests.unit.flow_a_wire import conforming
from tests.unit.reported import (
    RUN,
    finding,
    fine_document,
    hostile_document,
    part,
    rendered,
    report,
    wrong_session,
)
from wiretape.reporting.model import document

pytestmark = needs_chromium

WRONG = document([part(wrong_session(recipient="alefita_way"))], RUN)
SORTS = (
    *(("must", how) for how in ("pass", "fail", "not_observed", "not_applicable")),
    *((level, "fail") for level in ("should", "observed")),
)
PAGES = {"wrong": (WRONG,), "hostile": (hostile_document(),), "clients": (WRONG, fine_document())}


@pytest.fixture(params=PAGES)
def page(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    """The name of a report and its address."""
    file = tmp_path / "report.html"
    file.write_text(rendered("html", *PAGES[request.param]), encoding="utf-8")
    return request.param, file.as_uri()


def test_a_report_fits_a_phone_in_both_schemes(browser: Browser, page: tuple[str, str]) -> None:
    name, url = page
    with browser.size(360, 740):
        for scheme in ("light", "dark"):
            with browser.scheme(scheme):  # type: ignore[arg-type]
                browser.open(url)
                width = browser.script("return document.documentElement.scrollWidth")
                assert width <= 360
                browser.picture(f"report-{name}-phone-{scheme}")


@pytest.mark.parametrize("width", [1300, 800, 360])
def test_the_table_of_sessions_is_seen_whole(browser: Browser, tmp_path: Path, width: int) -> None:
    file = tmp_path / "report.html"
    names = ("plain_answer", "alefita_way_functions_recipient")
    wrong = report("wrong", *(finding(f"{n}.x", level, how) for n, (level, how) in enumerate(SORTS)))
    sessions = [part(conforming(name=name)) for name in names]
    sessions.append(part(wrong_session(), wrong))
    file.write_text(rendered("html", document(sessions, RUN)), encoding="utf-8")
    with browser.size(width, 900):
        browser.open(file.as_uri())
        room = "const it = document.querySelector('[aria-label=Sessions]'); return it.clientWidth"
        assert browser.script(room.replace("clientWidth", "scrollWidth")) <= browser.script(room)
        browser.picture(f"report-sessions-{width}")


def test_a_checker_of_accessibility_finds_nothing(browser: Browser, page: tuple[str, str]) -> None:
    source = (Path(axe_core_python.__file__).parent / "axe.min.js").read_text("utf-8")
    for scheme in ("light", "dark"):
        with browser.scheme(scheme):  # type: ignore[arg-type]
            browser.open(page[1])
            assert faults(browser, source) == []


def test_a_report_runs_nothing_and_asks_for_nothing(browser: Browser, page: tuple[str, str]) -> None:
    _, url = page
    browser.complaints()
    browser.open(url)
    assert browser.count("script") == 0
    assert browser.script("return performance.getEntriesByType('resource').length") == 0
    assert browser.complaints() == []


def test_the_field_that_is_wrong_is_seen_at_once(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(rendered("html", WRONG), encoding="utf-8")
    browser.open(file.as_uri())
    assert browser.texts("pre.message mark") == ['"recipient": "alefita_way"']
    came = browser.script("return document.querySelector('.finding .got').getBoundingClientRect().bottom")
    assert came < browser.script("return window.innerHeight")
    browser.picture("report-wrong")
