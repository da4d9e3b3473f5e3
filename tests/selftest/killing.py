"""The kit under its own attack: which broken clients the verifier kills, and whether it would show if not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tests.selftest.codex_mutants import codex_mutations
from tests.selftest.flow_a_faults import fault_mutants
from tests.selftest.flow_a_requests import request_mutations
from tests.selftest.flow_a_returns import behavior_mutations, return_mutations
from tests.selftest.flow_a_sessions import Sessions, sessions
from tests.selftest.mutants import Fate, Mutant, fate, trace
from tests.selftest.pairs import codex_pairs, flow_a_pairs
from wiretape.contract import Verifier
from wiretape_server.thread import ServerThread

LEAST: Final = 40
"""Broken clients that each family of rules is attacked with, at least."""
PAIRS: Final = "pairs"
EQUIVALENT: Final[dict[str, str]] = {
    "request.challenge-issued + return.fresh-challenge": (
        "the return carries the challenge that its turn left out, so it is used once"
    ),
    "return.id-is-fresh-uuid + return.call-id-equals-message-id": (
        "the made-up call_id is the return's id, which the other fault makes the call's: so it is right"
    ),
    "return.metadata-object + return.metadata-profile": (
        "both faults are the value of one member: the second takes the first away"
    ),
    "response.content-items-list + response.no-legacy-output [dynamic_tool_text]": (
        "output beside contentItems is a member that nobody asked for, and no longer the old shape"
    ),
}
"""Pairs that are one fault, with the reason. Each must live on, or it does not belong here."""


@dataclass(slots=True, kw_only=True)
class Family:
    """The rules that share a protocol and the first word of their ids, and what they were attacked with."""

    name: str
    fates: list[Fate] = field(default_factory=list)

    @property
    def counted(self) -> list[Fate]:
        return [each for each in self.fates if each.mutant.name not in EQUIVALENT]

    @property
    def equivalent(self) -> list[Fate]:
        return [each for each in self.fates if each.mutant.name in EQUIVALENT]

    @property
    def killed(self) -> int:
        return sum(each.killed for each in self.counted)

    @property
    def faults(self) -> list[str]:
        """What must not be: who lives, who is blamed for nothing, what is no pair of one fault after all."""
        wrong = [str(each) for each in self.counted if not each.clean]
        stale = (each for each in self.equivalent if each.killed)
        return wrong + [f"{each.mutant.name}: is killed, and listed as equivalent" for each in stale]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What was played over HTTP: the reference client's sessions, and broken clients under faults."""

    sessions: Sessions
    faulty: Sequence[Mutant]

    @classmethod
    def played(cls) -> Stage:
        with ServerThread() as server:
            return cls(sessions=sessions(server), faulty=[*fault_mutants(server)])


def mutants_of(protocol: str, stage: Stage, *, every: int = 1) -> Iterator[Mutant]:
    """All broken clients of a protocol, each trace once for each rule; of the pairs one in ``every``."""
    played = stage.sessions
    singles: Iterable[Mutant] = (
        (
            each.mutant(played)
            for each in (
                *request_mutations(),
                *return_mutations(played),
                *behavior_mutations(played),
            )
        )
        if protocol == "flow_a"
        else (wrong.mutant(name) for wrong in codex_mutations() for name in wrong.cassettes)
    )
    seen: set[tuple[object, ...]] = set()
    for mutant in singles:
        known = (*mutant.rules, trace(mutant.play()))
        if known not in seen:
            seen.add(known)
            yield mutant
    if protocol == "flow_a":
        yield from stage.faulty
        yield from flow_a_pairs(played, every=every)
    else:
        yield from codex_pairs(every=every)


def attack(verifier: Verifier, mutants: Iterable[Mutant]) -> list[Family]:
    """Judge every mutant; the families in order of appearance, pairs last."""
    families: dict[str, Family] = {}
    for mutant in mutants:
        name = f"{verifier.protocol} {mutant.family}"
        families.setdefault(name, Family(name=name)).fates.append(fate(mutant, verifier))
    return sorted(families.values(), key=lambda family: family.name.endswith(PAIRS))


def blind(verifier: Verifier, rule_id: str) -> Verifier:
    """The same verifier, with one rule that finds nothing."""
    rules = (replace(rule, check=lambda _: None) if rule.id == rule_id else rule for rule in verifier.rules)
    return Verifier(protocol=verifier.protocol, read=verifier.read, rules=rules, unseen=verifier.unseen)


def unnoticed(verifier: Verifier, mutants: Sequence[Mutant]) -> list[str]:
    """The rules that could be switched off and nobody would know: their mutants are killed all the same."""
    of_rule: defaultdict[str, list[Mutant]] = defaultdict(list)
    for mutant in mutants:
        if len(mutant.rules) == 1:
            of_rule[f"{verifier.protocol}.{mutant.rules[0]}"].append(mutant)
    return [
        rule.id
        for rule in verifier.rules
        if not of_rule[rule.id]
        or any(fate(mutant, blind(verifier, rule.id)).killed for mutant in of_rule[rule.id])
    ]
