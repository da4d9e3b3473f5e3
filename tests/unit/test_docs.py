"""The documentation says what the code says."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from docs.rules_page import PAGE, RULES, page
from pytest_wiretape.plugin import OPTIONS
from wiretape.cassette import bundled
from wiretape.contract import Rule
from wiretape_cli.main import cli

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\((?!https?://|#)([^)#]+)(?:#[^)]*)?\)")


def test_the_rules_page_is_current() -> None:
    assert PAGE.read_text("utf-8") == page(RULES), "run `make docs`"


def test_the_rules_page_changes_with_a_rule() -> None:
    assert page(RULES) != page(RULES[1:])
    assert all(rule.title in page([rule]) for rule in RULES)


def section(text: str, heading: str) -> str:
    """What stands under one heading, on one line."""
    _, _, rest = text.partition(f"\n## {heading}\n")
    return " ".join(rest.partition("\n## ")[0].split())


NOTED = [rule for rule in RULES if rule.spec.document.startswith("docs/")]


@pytest.mark.parametrize("rule", NOTED, ids=lambda rule: rule.id)
def test_a_rule_that_quotes_our_notes_quotes_them_word_by_word(rule: Rule) -> None:
    text = (ROOT / rule.spec.document).read_text("utf-8")
    assert rule.spec.quote in section(text, rule.spec.section)


def test_a_section_ends_at_the_next_heading() -> None:
    assert section("\n## A\none\ntwo\n## B\nthree\n", "A") == "one two"
    assert section("\n## A\none\n", "C") == ""


OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
COMMAND = re.compile(r"\bwiretape ([a-z]+) ")
OTHER_PROGRAMS = {"--import-mode", "--strict"}
"""Options of pytest and mypy that the pages name."""


@pytest.mark.parametrize("source", ["harness/wiretape", "mock_server/wiretape_server"])
def test_the_map_of_the_architecture_names_every_package(source: str) -> None:
    packages = {path.parent.name for path in (ROOT / source).glob("*/__init__.py")}
    cells = re.findall(
        r"^\| (`[^|]*) \|", (ROOT / "docs" / "architecture.md").read_text("utf-8"), re.MULTILINE
    )
    named = {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}
    assert packages
    assert packages <= named


def known_options() -> set[str]:
    """Every long option of the command and of the plugin."""
    verbs: list[click.Command] = [cli]
    for verb in verbs:
        verbs += verb.commands.values() if isinstance(verb, click.Group) else ()
    of_verbs = {option for verb in verbs for each in verb.params for option in each.opts}
    return of_verbs | {f"--wiretape-{name.replace('_', '-')}" for name in OPTIONS}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_option_that_a_page_names_exists(path: Path) -> None:
    named = set(OPTION.findall(path.read_text("utf-8")))
    assert named <= known_options() | OTHER_PROGRAMS


def test_every_verb_that_the_readme_runs_exists() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    run = {
        verb for block in re.findall(r"```sh\n(.*?)```", readme, re.DOTALL) for verb in COMMAND.findall(block)
    }
    assert run
    assert run <= cli.commands.keys()


def test_every_bundled_cassette_is_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert not [name for name in bundled() if f"| `{name.removeprefix('flow_a/')}` |" not in readme]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_link_into_the_repository_leads_to_a_file(path: Path) -> None:
    missing = [link for link in LINK.findall(path.read_text("utf-8")) if not (path.parent / link).exists()]
    assert not missing
