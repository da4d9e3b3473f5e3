"""The page about faults says what the table of kinds says."""

from __future__ import annotations

import re

import pytest

from docs.faults_page import BEGIN, END, PAGE, with_table
from docs.rules_page import RULES
from wiretape.faults import KINDS, Kind


def test_the_table_is_current() -> None:
    page = PAGE.read_text("utf-8")
    assert page == with_table(page), "run `make docs`"


def test_the_table_is_written_where_its_marks_are_and_all_else_stays() -> None:
    page = with_table(f"before\n{BEGIN}old\n{END}after\n")
    assert page.startswith("before\n")
    assert page.endswith("after\n")
    assert "old" not in page
    assert "`cut-character`" in page


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_every_kind_says_what_the_right_client_does_and_how_that_is_known(kind: Kind) -> None:
    assert kind.title
    assert kind.right_client
    assert kind.units
    assert kind.evidence == "inferred" or kind.source, "evidence needs a source"
    assert set(kind.rules) <= {rule.id for rule in RULES}


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_a_source_among_our_pages_has_the_section(kind: Kind) -> None:
    if not kind.source.startswith("docs/"):
        return
    page, _, section = kind.source.partition(", ")
    text = (PAGE.parents[1] / page).read_text("utf-8")
    assert re.search(rf"^##+ {re.escape(section)}$", text, re.MULTILINE), kind.source


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_every_kind_is_on_the_page(kind: Kind) -> None:
    assert f"| `{kind.name}` |" in PAGE.read_text("utf-8")
