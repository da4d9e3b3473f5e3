"""``wiretape rules``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from wiretape_cli.errors import SetupError
from wiretape_cli.exits import Exit
from wiretape_cli.screen import put

if TYPE_CHECKING:
    from wiretape.contract import Rule

EPILOG = """\b
Examples:
  wiretape rules
  wiretape rules flow_a.return.recipient-is-all
  wiretape rules codex.call.id-exact
  wiretape rules --json | jq -r '.[].id'
"""


@click.command(short_help="Show the rule catalogue.", epilog=EPILOG)
@click.option(
    "--json", "as_json", is_flag=True, help="JSON instead of text: a list, or one object for RULE_ID."
)
@click.argument("rule_id", required=False)
def rules(*, as_json: bool, rule_id: str | None) -> Exit:
    """Show the rule catalogue, or one rule with its quoted sentence, evidence, good and bad example."""
    from wiretape import strictjson
    from wiretape.verdict import VERIFIERS

    known = tuple(rule for verifier in VERIFIERS.values() for rule in verifier.rules)
    if rule_id is None:
        put(strictjson.dumps([as_data(rule) for rule in known]) if as_json else catalogue(known))
    else:
        rule = find(rule_id, known)
        put(strictjson.dumps(as_data(rule)) if as_json else page(rule))
    return Exit.FINE


def find(rule_id: str, catalogue: tuple[Rule, ...]) -> Rule:
    """The rule of this id; its protocol's prefix may be left out. Raises SetupError with the nearest ids."""
    from difflib import get_close_matches

    by_name = {rule.id.partition(".")[2]: rule for rule in catalogue} | {rule.id: rule for rule in catalogue}
    if rule_id in by_name:
        return by_name[rule_id]
    near = [by_name[name].id for name in get_close_matches(rule_id, by_name, n=1)]
    meant = f" Did you mean {near[0]}?" if near else ""
    raise SetupError(f"no rule is called {rule_id!r}.{meant} 'wiretape rules' lists all {len(catalogue)}.")


def as_data(rule: Rule) -> dict[str, Any]:
    """A rule as the JSON that ``--json`` shows."""
    return {
        "id": rule.id,
        "level": rule.level,
        "title": rule.title,
        "spec": {"document": rule.spec.document, "section": rule.spec.section, "quote": rule.spec.quote},
        "evidence": rule.evidence,
        "scope": rule.scope,
        "good": rule.good,
        "bad": list(rule.bad),
        "hint": rule.hint,
    }


def catalogue(rules: tuple[Rule, ...]) -> str:
    """One line a rule: id, level, title."""
    width = max(len(rule.id) for rule in rules)
    return "\n".join(f"{rule.id:<{width}}  {rule.level:<8}  {rule.title}" for rule in rules)


def page(rule: Rule) -> str:
    """Everything about one rule."""
    rows = [
        ("level", f"{rule.level} · evidence: {rule.evidence}"),
        ("spec", f"{rule.spec.document} {rule.spec}"),
        ("good", rule.good),
        *(("bad", example) for example in rule.bad),
        ("hint", rule.hint),
    ]
    lines = [f"  {name:<6} {_indented(text)}" for name, text in rows if text]
    return "\n".join([rule.id, f"  {rule.title}", "", *lines])


def _indented(text: str) -> str:
    return text.replace("\n", "\n" + " " * 9)
