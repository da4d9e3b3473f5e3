"""``make selftest``: attack the verifier with broken clients, print the kill rate, fail below 100 %."""

from __future__ import annotations

import sys

from tests.selftest.killing import EQUIVALENT, LEAST, Family, Stage, attack, mutants_of, unnoticed
from wiretape.verdict import VERIFIERS

_ROW = "{:<24}{:>8}{:>8}{:>10}{:>8}"


def main() -> int:
    stage = Stage.played()
    families: list[Family] = []
    off: list[str] = []
    for protocol, verifier in VERIFIERS.items():
        mutants = [*mutants_of(protocol, stage)]
        families += attack(verifier, mutants)
        off += unnoticed(verifier, mutants)
    _print_table(families)
    rules = sum(len(verifier.rules) for verifier in VERIFIERS.values())
    print(f"\nrules switched off, one at a time: {rules}, noticed: {rules - len(off)}")
    wrong = [fault for family in families for fault in family.faults] + [
        f"not noticed: {each}" for each in off
    ]
    wrong += [f"{each.name}: fewer than {LEAST}" for each in families if len(each.counted) < LEAST]
    print(*(["", *wrong] if wrong else []), sep="\n")
    return 1 if wrong else 0


def _print_table(families: list[Family]) -> None:
    print(_ROW.format("family", "mutants", "killed", "survived", "rate"))
    for family in families:
        mutants = len(family.counted)
        rate = f"{family.killed / mutants:.1%}"
        print(_ROW.format(family.name, mutants, family.killed, mutants - family.killed, rate))
    counted, killed = (sum(len(each.counted) for each in families), sum(each.killed for each in families))
    print(_ROW.format("all", counted, killed, counted - killed, f"{killed / counted:.1%}"))
    print("\nequivalent, not counted:")
    for name, reason in EQUIVALENT.items():
        print(f"  {name}: {reason}")


if __name__ == "__main__":
    sys.exit(main())
