"""The HTML report: valid, accessible, without scripts or network, and it shows which field is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib import resources
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import html5lib
import pytest

from tests.unit.reported import RUN, fine_document, hostile_document, part, rendered, wrong_session
from wiretape.reporting.model import document

SVG = "{http://www.w3.org/2000/svg}"


def parsed(page: str) -> ElementTree.Element:
    """The page's tree. Raises for anything that is no valid HTML."""
    return html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page)


PAGES = {
    "hostile": (hostile_document(),),
    "fine": (fine_document(),),
    "several clients": (hostile_document(), fine_document()),
    "nothing": (document([], RUN),),
}


@pytest.mark.parametrize("documents", PAGES.values(), ids=PAGES)
def test_html_is_valid_and_needs_neither_network_nor_scripts(
    documents: tuple[Mapping[str, Any], ...],
) -> None:
    page = parsed(rendered("html", *documents))
    assert not {"script", "link", "img", "iframe", "object", "form"} & {each.tag for each in page.iter()}
    for each in page.iter():
        for name, value in each.attrib.items():
            assert not name.startswith("on")
            assert name not in ("src", "srcset", "action")
            assert name != "href" or value.startswith("#")


@pytest.mark.parametrize("page", ["<p>a", "<div></p></div>", "<!doctype html><p id=a id=b>"])
def test_html_that_is_not_valid_is_refused(page: str) -> None:
    with pytest.raises(Exception, match=r".+"):
        parsed(page)


@pytest.mark.parametrize("documents", PAGES.values(), ids=PAGES)
def test_html_is_accessible(documents: tuple[Mapping[str, Any], ...]) -> None:
    page = parsed(rendered("html", *documents))
    ids = [each.get("id") for each in page.iter() if each.get("id")]
    assert len(ids) == len(set(ids))
    assert page.get("lang") == "en"
    assert len(page.findall(".//h1")) == 1
    for each in page.iter():
        for name in ("aria-labelledby", "aria-describedby"):
            assert set(each.get(name, "").split()) <= set(ids)
        if each.tag == "nav" or each.get("role") in ("img", "group"):
            assert each.get("aria-labelledby") or each.get("aria-label")
        if each.tag == "a":
            assert str(each.get("href"))[1:] in ids
        if each.tag == "th":
            assert each.get("scope") in ("row", "col")
    levels = [int(each.tag[1]) for each in page.iter() if re.fullmatch(r"h\d", str(each.tag))]
    assert all(after <= before + 1 for before, after in pairwise(levels))


def texts(element: ElementTree.Element) -> Iterator[str]:
    yield from ("".join(each.itertext()) for each in element.iter("code"))


def test_html_shows_what_a_client_sent_as_text() -> None:
    page = parsed(rendered("html"))
    shown = [text for text in texts(page) if "<script>alert(1)</script>" in text]
    assert shown
    assert any("{{7*7}}" in text for text in shown)
    assert "49" not in "".join(shown)


def test_html_marks_the_field_of_the_message_that_is_wrong() -> None:
    wrong = part(wrong_session(recipient="alefita_way"))
    page = parsed(rendered("html", document([wrong], RUN)))
    marked = ["".join(each.itertext()).strip() for each in page.findall(".//pre[@class='message']/mark")]
    assert marked == ['"recipient": "alefita_way"']
    (article,) = page.findall(".//article")
    said = " ".join("".join(article.itertext()).split())
    assert "In POST …/f/conversation (request 6), the field messages[0].recipient:" in said
    assert 'Expected"all" What came"alefita_way"' in said
    assert '§3 «recipient: "all" — NOT the tool name»' in said


def test_html_of_several_clients_draws_a_matrix_with_the_same_as_a_table() -> None:
    page = parsed(rendered("html", *PAGES["several clients"]))
    svg = page.find(f".//{SVG}svg")
    assert svg is not None
    broken = [each for each in svg.iter(f"{SVG}rect") if each.get("class") == "cell fail"]
    cells = [each.get("class") for each in page.findall(".//details//table[@class='outcomes']//td")]
    assert len(broken) == cells.count("fail") > 0
    text = page.find(".//*[@id='matrix-text']")
    assert text is not None
    assert "FAIL, flow_a.a.wrong" in "".join(text.itertext())


def palettes() -> list[dict[str, str]]:
    """The colours of the light page and of the dark one."""
    css = resources.files("wiretape.reporting").joinpath("templates/report.css").read_text("utf-8")
    blocks = re.findall(r":root \{(.*?)\}", css, re.DOTALL)
    return [dict(re.findall(r"--([\w-]+): (#\w+);", block)) for block in blocks]


def luminance(color: str) -> float:
    """The relative luminance of ``#rgb`` or ``#rrggbb``, as WCAG 2 defines it."""
    digits = color[1:] if len(color) == 7 else "".join(2 * each for each in color[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted(map(luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


SEEN = [
    *(("text", "ground"), ("text", "raised"), ("quiet", "ground"), ("link", "ground")),
    *(("text", "good-ground"), ("text", "bad-ground"), ("bad", "bad-ground"), ("good", "good-ground")),
    ("warn", "warn-ground"),
]


@pytest.mark.parametrize("palette", palettes(), ids=["light", "dark"])
@pytest.mark.parametrize(("text", "ground"), SEEN)
def test_text_has_the_contrast_that_wcag_demands(palette: dict[str, str], text: str, ground: str) -> None:
    assert contrast(palette[text], palette[ground]) >= 4.5


@pytest.mark.parametrize("palette", palettes(), ids=["light", "dark"])
def test_bars_can_be_told_from_the_ground(palette: dict[str, str]) -> None:
    assert contrast(palette["recorded"], palette["ground"]) >= 3
    assert contrast(palette["played"], palette["ground"]) >= 3


def test_the_contrast_of_black_on_white_is_the_largest() -> None:
    assert contrast("#000", "#ffffff") == pytest.approx(21)
    assert contrast("#777", "#888888") < 3
