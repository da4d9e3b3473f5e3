"""The words and counts of a verdict, the same in every face."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final

from wiretape.contract import Finding
from wiretape.report import ABSENT_JSON, finding_text, printable, printable_lines, shown
from wiretape.reporting import shell
from wiretape.reporting.model import Document
from wiretape.strictjson import ABSENT, equal

LEVELS: Final = {"must": "failed", "should": "warnings", "observed": "notes"}
"""What a failed finding of each level counts as."""
_OUTCOMES: Final = {"pass": "passed", "not_observed": "not observed", "not_applicable": "not applicable"}
COLUMNS: Final = ("passed", *LEVELS.values(), "not observed", "not applicable")
"""What findings are counted as, in the order of a table."""
_ENDING: Final = {
    "ok": "read to its end",
    "violated": "left early",
    "unplayed": "not played to its end",
    "not_observed": "not observed",
}
"""What the second verdict says, for people."""
_FIELDS: Final = tuple(each.name for each in fields(Finding))


def for_people(value: Any) -> Any:
    """The report with nothing in it that moves a cursor or forges a line; wire values are escaped later."""
    if isinstance(value, str):
        return printable_lines(value)
    if isinstance(value, list):
        return [for_people(each) for each in value]
    if isinstance(value, dict):
        return {key: each if key in ("want", "got") else for_people(each) for key, each in value.items()}
    return value


def word(cassette: Mapping[str, Any]) -> str:
    """PASS, FAIL or UNPLAYED, for a session or a whole report."""
    if not cassette["ok"]:
        return "FAIL"
    return "PASS" if cassette["played"] else "UNPLAYED"


def fine(document: Document) -> bool:
    """Whether nothing is wrong in a whole report."""
    return word(document) == "PASS" and not document["stale"]


def counts(cassette: Mapping[str, Any]) -> dict[str, int]:
    """How many findings there are of each sort, by column."""
    seen = Counter(_column(finding) for finding in cassette["findings"])
    return {column: seen[column] for column in COLUMNS}


def judged(cassette: Mapping[str, Any]) -> str:
    """How many findings there are of each sort that there is, in one line."""
    return ", ".join(f"{count} {column}" for column, count in counts(cassette).items() if count)


def _column(finding: Mapping[str, Any]) -> str:
    """What a finding counts as."""
    level, outcome = finding["level"], finding["outcome"]
    return LEVELS[level] if outcome == "fail" else _OUTCOMES[outcome]


def failures(cassette: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Everything that failed, what makes the client wrong first."""
    failed = [finding for finding in cassette["findings"] if finding["outcome"] == "fail"]
    return sorted(failed, key=lambda finding: [*LEVELS].index(finding["level"]))


def by_rule(cassette: Mapping[str, Any]) -> dict[str, list[Mapping[str, Any]]]:
    """The findings of each rule, in the report's order."""
    grouped: dict[str, list[Mapping[str, Any]]] = {}
    for finding in cassette["findings"]:
        grouped.setdefault(finding["rule"], []).append(finding)
    return grouped


def not_played(cassette: Mapping[str, Any]) -> list[str]:
    """Why the session was not played to its end, one explanation each."""
    return [*map(printable_lines, (*cassette["unplayed"], *cassette["errors"]))]


def label(cassette: Mapping[str, Any]) -> str:
    """The session's name: its cassette's, and the test's."""
    test = cassette["test"]
    return printable(f"{cassette['name']} in {test}" if test else cassette["name"])


def client(document: Document) -> str:
    """Whose report it is: the name it was given, or what was run."""
    run = document["run"]
    return printable(document.get("client") or command(run) or " ".join(run.get("files", ())) or "wiretape")


def command(run: Mapping[str, Any]) -> str:
    """The client's command as a line of a shell; empty where none was run."""
    return shell.line(run.get("command", ()))


def wire(value: object) -> object:
    """A wanted or received value as findings have it."""
    return ABSENT if equal(value, ABSENT_JSON) else value


def value(value: object) -> str:
    """A wanted or received value in one line."""
    return shown(wire(value))


def text(finding: Mapping[str, Any]) -> str:
    """A failed finding in the layout of the screen, with what a file has room for."""
    known: dict[str, Any] = {name: wire(finding[name]) for name in _FIELDS}
    rows = [*_difference_rows(finding), *_exhibit_rows(finding)]
    return "\n".join([finding_text(Finding(**known)), *(f"  {name:<5} {said}" for name, said in rows)])


def ending(cassette: Mapping[str, Any]) -> str:
    """How the session's streams ended: the second verdict, and how many ended how."""
    how = ", ".join(f"{count} {name}" for name, count in cassette["ending"]["streams"].items())
    return f"{_ENDING[cassette['ending']['verdict']]}{f' ({how})' if how else ''}"


def how_played(cassette: Mapping[str, Any]) -> str:
    """How the session was played: its pace, and what went wrong on purpose."""
    return " ".join((cassette["pace"], *cassette["faults"]))


def place(exhibit: Mapping[str, Any]) -> str:
    """Where the bytes are."""
    return f"bytes {exhibit['offset']} to {exhibit['offset'] + exhibit['length']} of {exhibit['place']}"


def _difference_rows(finding: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    difference = finding["difference"] or {}
    if "parts_at" in difference:
        yield "diff", f"the texts part at character {difference['parts_at'] + 1}"
    for line in difference.get("lines", ()):
        if line["mark"] != "same":
            want, got = (line[side] or "" for side in ("want", "got"))
            yield "diff", f"{line['path']} {line['mark']}: want {want or 'nothing'}, got {got or 'nothing'}"


def _exhibit_rows(finding: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if exhibit := finding["exhibit"]:
        excerpt = f"{exhibit['before']}⟦{exhibit['value']}⟧{exhibit['after']}"
        yield "bytes", f"{place(exhibit).removeprefix('bytes ')}: {excerpt}"


def about(run: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What there is to say about a run, in rows."""
    hashed = (("source document", "sources"), ("cassette", "cassettes"))
    rows = [("wiretape", run["version"]), ("command", command(run))]
    rows += [(name, " ".join(map(str, run.get(name, ())))) for name in ("files", "faults")]
    rows += [
        (name, f"{each['name']}  sha256 {each['sha256']}")
        for name, key in hashed
        for each in run.get(key, ())
    ]
    plain = ("seed", "pace", "chunks", "ids", "strict", "profile", "timeout", "seconds")
    rows += [(name, shown(run[name]).strip('"')) for name in plain if name in run]
    rows += [("client", _ended(each)) for each in run.get("clients", ())]
    return [(name, printable(said)) for name, said in rows if said]


def _ended(client: Mapping[str, Any]) -> str:
    how = "time limit" if client["timed_out"] else f"exit code {client['exit_code']}"
    return f"{client['cassette']}: {how} after {client['seconds']:g} s"


def share(coverage: Mapping[str, Any]) -> str:
    """How many of the must rules were exercised."""
    must = coverage["must"]
    return f"{must['exercised']} of {must['of']} must rules exercised ({int(must['share'] * 100)} %)"


def summary(documents: Sequence[Document]) -> str:
    """All verdicts in one sentence."""
    cassettes = [each for document in documents for each in document["cassettes"]]
    wrong = sum(word(each) != "PASS" for each in cassettes)
    many = f"{len(cassettes)} session{'s' * (len(cassettes) != 1)}"
    stale = sum(len(document["stale"]) for document in documents)
    said = f"{wrong} of {many} went wrong" if wrong else f"{many} as the protocol demands"
    return said + (f", and {_many(stale, 'accepted finding')} stale" if stale else "")


def _many(count: int, thing: str) -> str:
    return f"1 {thing} is" if count == 1 else f"{count} {thing}s are"
