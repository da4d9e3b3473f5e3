"""Writes rules.md beside this file from the rule catalogue: `make docs`. A test keeps the page current."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from wiretape.contract import Rule
from wiretape.verdict import VERIFIERS

RULES = tuple(rule for verifier in VERIFIERS.values() for rule in verifier.rules)
PAGE = Path(__file__).with_name("rules.md")
HEAD = """\
# The rules

Generated from the catalogue by `make docs`; `wiretape rules [RULE_ID]` prints the same on a terminal.

**Level**: a failed *must* is a violation and makes the verdict "not ok"; a failed *should* is a warning; an
*observed* one is a note. **Evidence**: *wire* is captures, measurements, and values that a source document
shows as captured; *code* is client code that was read; *doc* is another statement of a source document;
*inferred* is concluded. Ids never change. A rule that nothing exercised is *not observed*, never passed.
"""


def group(rule: Rule) -> str:
    """``flow_a.return`` of ``flow_a.return.recipient-is-all``."""
    return rule.id.rpartition(".")[0]


def page(rules: Sequence[Rule]) -> str:
    """The catalogue as Markdown: an overview table, then every rule with its sentence and examples."""
    ordered = sorted(rules, key=lambda rule: group(rule))
    sections = [(name, list(members)) for name, members in groupby(ordered, key=group)]
    parts = [HEAD, "\n".join(_overview(sections))]
    for name, members in sections:
        parts.append(f"## {name}\n")
        parts += ["\n".join(_entry(rule)) for rule in members]
    return "\n".join(parts)


def _overview(sections: Sequence[tuple[str, Sequence[Rule]]]) -> Iterator[str]:
    yield "| rule | level | evidence | what it demands |"
    yield "|---|---|---|---|"
    for _, members in sections:
        for rule in members:
            link = f"[{rule.id}](#{_anchor(rule.id)})"
            yield f"| {link} | {rule.level} | {rule.evidence} | {_cell(rule.title)} |"
    yield ""


def _entry(rule: Rule) -> Iterator[str]:
    yield f"### {rule.id}\n"
    yield f"{rule.title}.\n"
    yield f"{rule.level} · evidence: {rule.evidence} · {rule.spec.document}, {rule.spec.section}\n"
    yield f"> {rule.spec.quote}\n"
    yield f"- good: {_code(rule.good)}"
    for bad in rule.bad:
        yield f"- bad: {_code(bad)}"
    if rule.hint:
        yield f"- hint: {rule.hint}"
    yield ""


def _anchor(rule_id: str) -> str:
    """As code hosts make it from a heading: dots go, dashes and underscores stay."""
    return rule_id.replace(".", "")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _code(example: str) -> str:
    """JSON fragments as code, sentences as they are."""
    return f"`{example}`" if example.startswith(("{", "[", '"')) else example


if __name__ == "__main__":
    PAGE.write_text(page(RULES), encoding="utf-8")
    print(f"{len(RULES)} rules written to {PAGE.name}", file=sys.stderr)
