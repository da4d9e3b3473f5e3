"""The documentation says what the code says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.rules_page import PAGE, page
from wiretape.flow_a.rules import RULES

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
LINK = re.compile(r"\]\((?!https?://|#)([^)#]+)(?:#[^)]*)?\)")


def test_the_rules_page_is_current() -> None:
    assert PAGE.read_text("utf-8") == page(RULES), "run `make docs`"


def test_the_rules_page_changes_with_a_rule() -> None:
    assert page(RULES) != page(RULES[1:])
    assert all(rule.title in page([rule]) for rule in RULES)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_link_into_the_repository_leads_to_a_file(path: Path) -> None:
    missing = [link for link in LINK.findall(path.read_text("utf-8")) if not (path.parent / link).exists()]
    assert not missing
