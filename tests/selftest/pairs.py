"""Two faults in one client: both must be reported, whatever the other one is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations, islice, product
from typing import Any, Final

from tests.conformance.codex_reference import Message
from tests.selftest.codex_mutants import codex_mutations
from tests.selftest.codex_sessions import ALL, Wrong, answered, both, play
from tests.selftest.flow_a_requests import request_mutations
from tests.selftest.flow_a_returns import behavior_mutations, damaged, return_mutations, with_return
from tests.selftest.flow_a_sessions import BASE, Mutation, Sessions, put
from tests.selftest.mutants import Mutant, trace
from wiretape.testing import DAMAGE
from wiretape.transcript import Transcript

_DAMAGED: Final = frozenset(f"return.{rule}" for rule in DAMAGE)
_CANT: Final = (KeyError, IndexError, TypeError, AttributeError, ValueError)
"""What happens when a fault has nothing left to be done to."""


# --- Flow A


def flow_a_pairs(sessions: Sessions, *, every: int = 1) -> Iterator[Mutant]:
    """A client for every two rules that one client can break in the same session.

    ``every``: 5 takes each fifth couple of rules.
    """
    found: dict[str, Mutation] = {}
    for mutation in (
        *request_mutations(),
        *return_mutations(sessions, examples=1),
        *behavior_mutations(sessions),
    ):
        if mutation.session == BASE and mutation.name not in _UNFIT:
            found.setdefault(mutation.rule, mutation)
    base = sessions[BASE]
    for one, other in islice(combinations(found.values(), 2), 0, None, every):
        transcript = _with_both(base, one, other)
        if transcript is not None:
            yield Mutant(
                name=f"{one.rule} + {other.rule}",
                rules=(one.rule, other.rule),
                play=lambda transcript=transcript: transcript,
            )


_UNFIT: Final = frozenset({"no return"})
"""They leave nothing for another fault."""


def _with_both(base: Transcript, one: Mutation, other: Mutation) -> Transcript | None:
    """The session with both faults; None where one leaves nothing of the other."""
    alone = [trace(_damage(base, each)) for each in (one, other)]
    for first, second in ((one, other), (other, one)):
        try:
            transcript = _damage(base, first, second)
        except _CANT:
            continue
        if trace(transcript) not in alone:
            return transcript
    return None


def _damage(base: Transcript, *mutations: Mutation) -> Transcript:
    """Do the changes of whole sessions first, then those of the return's body."""
    damages = [each.rule.removeprefix("return.") for each in mutations if each.rule in _DAMAGED]
    for each in mutations:
        if each.rule not in _DAMAGED:
            base = each.change(base)
    if not damages:
        return base
    (body,) = damaged(base, damages, 1)
    return with_return(base, body=body, expect="result-shape" not in damages)


# --- codex


def _item(item: object) -> Callable[[Message], Any]:
    return lambda answer: answer["result"]["contentItems"].append(item)


_EDITS: Final[dict[str, Callable[[Message], Any]]] = {
    "response.result-xor-error": put("error", {"code": -32000, "message": "no"}),
    "response.content-items-list": put("result.contentItems", "hi"),
    "response.item-type": _item({"type": "text", "text": "hi"}),
    "response.text-is-string": _item({"type": "inputText"}),
    "response.image-url-string": _item({"type": "inputImage"}),
    "response.image-inline": _item({"type": "inputImage", "imageUrl": "https://a.example/x.png"}),
    "response.image-decodable": _item({"type": "inputImage", "imageUrl": "data:image/png;base64,AAA"}),
    "response.success-boolean": put("result.success", "true"),
    "response.no-legacy-output": lambda answer: answer.update(result={"output": "hi", "success": True}),
    "response.no-snake-case": _item({"type": "input_text", "text": "hi"}),
    "response.result-as-expected": put("result.success", False),
}
"""Faults in answers that others can be added to."""


def codex_pairs(*, every: int = 1) -> Iterator[Mutant]:
    """A client for every two rules that one client can break in the same session, as above."""
    found = {
        rule: [Wrong(rule=rule, name="", hooks=answered(edit), cassettes=ALL)]
        for rule, edit in _EDITS.items()
    }
    for wrong in codex_mutations(examples=1):
        special = wrong.leaves is not None or wrong.fault or wrong.behind
        if not special and wrong.rule not in _EDITS and not _is_whole(wrong):
            found.setdefault(wrong.rule, []).append(wrong)
    for one, other in islice(combinations(found, 2), 0, None, every):
        couples = product(found[one][:_TRIED], found[other][:_TRIED])
        pair = next(filter(None, map(_couple, *zip(*couples, strict=True))), None)
        if pair is not None:
            yield pair


_TRIED: Final = 2
"""How many ways to break a rule are tried until two go together."""


def _is_whole(wrong: Wrong) -> bool:
    """Whether it is another answer altogether, which leaves nothing of a second fault."""
    return wrong.name.startswith(("form ", "not handled"))


def _couple(one: Wrong, other: Wrong) -> Mutant | None:
    """A client with both faults; None where one leaves nothing of the other."""
    cassette = next((name for name in one.cassettes if name in other.cassettes), None)
    if cassette is None:
        return None
    setting = replace(one, busy=one.busy or other.busy, free=one.free or other.free)
    played = setting.played(cassette)
    alone = [trace(play(played, each.hooks)) for each in (one, other)]
    for first, second in ((one.hooks, other.hooks), (other.hooks, one.hooks)):
        hooks = both(first, second)
        if hooks is None:
            continue
        try:
            transcript = play(played, hooks)
        except _CANT:
            continue
        if trace(transcript) not in alone:
            return Mutant(
                name=f"{one.rule} + {other.rule} [{cassette}]",
                rules=(one.rule, other.rule),
                play=partial(_given, transcript),
            )
    return None


def _given(transcript: Transcript) -> Transcript:
    return transcript
