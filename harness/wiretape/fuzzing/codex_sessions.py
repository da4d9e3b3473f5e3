"""Sessions of the Codex app-server to attack clients with, and the kinds that each vary one thing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final, TypeAlias

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from wiretape.cassette.model import (
    Cassette,
    ClientStep,
    Expect,
    ModelCall,
    ModelItem,
    ModelText,
    Step,
)
from wiretape.codex.tool_specs import refusal
from wiretape.fuzzing.campaign import Kind
from wiretape.fuzzing.faulty import faulty_trials
from wiretape.fuzzing.sessions import DRAWN
from wiretape.fuzzing.trials import Trial
from wiretape.testing import json_texts, texts, tool_answers
from wiretape.testing.changes import Draw

_ECHO: Final = "demo_echo"
_FIXED: Final = "demo_fixed"
_SPACE: Final = "demo"
_VERSION: Final = "0.171"
_USER_MESSAGE: Final = "Call a tool."
_NOTED: Final = "fixed"

Form: TypeAlias = Callable[[Draw, Cassette], Cassette]
"""Gives a session another form."""

_HI: Final = st.just('{"text":"hi"}')
_ANY_TEXT: Final = st.fixed_dictionaries(
    {"text": texts() | st.sampled_from([" x ", "\r\n", "naïve 日本", "\u2028"])}
).flatmap(json_texts)
_GIVEN: Final[SearchStrategy[Mapping[str, Any]]] = st.just(
    {"contentItems": [{"type": "inputText", "text": _NOTED}], "success": True}
)
_ANSWERS: Final = tool_answers()


def _tool(name: str) -> dict[str, Any]:
    text = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    return {"type": "function", "name": name, "description": f"The tool {name}.", "inputSchema": text}


_FUNCTIONS: Final = (_tool(_ECHO), _tool(_FIXED))
_NAMESPACES: Final = (
    {"type": "namespace", "name": _SPACE, "description": "Tools.", "tools": list(_FUNCTIONS)},
)


class _Drawing:
    """One session that is being drawn."""

    def __init__(
        self, draw: Draw, *, arguments: SearchStrategy[str], most_calls: int, most_rounds: int, said: bool
    ) -> None:
        self.draw = draw
        self.arguments = arguments
        self.most_calls = most_calls
        self.most_rounds = most_rounds
        self.said = said
        self.tools = [_ECHO]
        self.namespaces: list[str | None] = [None]
        self._numbers = iter(range(1, 100))

    def turns(self, count: int, *, steps: bool) -> tuple[list[Step], list[ClientStep]]:
        """What the model and the client do in turns; with ``steps`` also an interrupt or a resume."""
        model: list[Step] = []
        client: list[ClientStep] = []
        for number in range(count):
            turn = self.turn()
            if steps and number and self.draw(st.booleans()):
                client.append(ClientStep(do="resume", value="process"))
            interrupted = steps and self.draw(st.booleans())
            model += turn[:1] if interrupted else turn
            client.append(ClientStep(do="interrupt" if interrupted else "turn", value=_USER_MESSAGE))
        return model, client

    def turn(self) -> list[Step]:
        """What the model does in a turn: rounds of calls, and a last word."""
        rounds = self.draw(st.integers(1, self.most_rounds))
        return [
            *(Step(items=tuple(self._calls())) for _ in range(rounds)),
            Step(items=(self._text("Done."),)),
        ]

    def _calls(self) -> Iterator[ModelItem]:
        if self.said and self.draw(st.booleans()):
            yield self._text(self.draw(texts()) or "…")
        for _ in range(self.draw(st.integers(1, self.most_calls))):
            yield ModelCall(
                id=f"call_{next(self._numbers)}",
                tool=self.draw(st.sampled_from(self.tools)),
                arguments=self.draw(self.arguments),
                namespace=self.draw(st.sampled_from(self.namespaces)),
            )

    def _text(self, text: str) -> ModelText:
        return ModelText(text=text, id=f"msg_{next(self._numbers)}")


@st.composite
def codex_sessions(
    draw: Draw,
    *,
    arguments: SearchStrategy[str] = _HI,
    given: SearchStrategy[Mapping[str, Any]] = _GIVEN,
    most_turns: int = 1,
    most_rounds: int = 1,
    most_calls: int = 1,
    fixed: bool = False,
    said: bool = False,
    spaced: bool = False,
    steps: bool = False,
) -> Cassette:
    """Sessions of up to ``most_turns`` turns with rounds of calls at once.

    ``arguments`` are JSON texts, ``given`` is the whole answer of the tool that is called where ``fixed``.
    ``said``: the model says something before its calls; ``spaced``: tools stand in a namespace or not;
    ``steps``: a turn may be interrupted at its call, and the thread resumed by another process.
    """
    drawing = _Drawing(draw, arguments=arguments, most_calls=most_calls, most_rounds=most_rounds, said=said)
    if fixed:
        drawing.tools = [_ECHO, _FIXED]
    in_space = spaced and draw(st.booleans())
    if in_space:
        drawing.namespaces = [_SPACE]
    model, client = drawing.turns(draw(st.integers(1, most_turns)), steps=steps)
    return Cassette(
        protocol="codex",
        profile=_VERSION,
        provenance=DRAWN,
        model=tuple(model),
        client=() if [step.do for step in client] == ["turn"] else tuple(client),
        expect=Expect(
            user_message=_USER_MESSAGE,
            tools=_NAMESPACES if in_space else _FUNCTIONS,
            results={_ECHO: "echo", _FIXED: draw(given) if fixed else draw(_GIVEN)},
        ),
    )


def _of_another_version(draw: Draw, session: Cassette) -> Cassette:
    return replace(session, profile=draw(st.sampled_from(["0.110", "0.98"])))


def _in_deltas(draw: Draw, session: Cassette) -> Cassette:
    """The model's texts are streamed in pieces."""

    def pieces(item: ModelItem) -> ModelItem:
        if not isinstance(item, ModelText):
            return item
        at = sorted(draw(st.lists(st.integers(1, len(item.text)), max_size=3, unique=True)))
        cuts = [0, *at, len(item.text)]
        found = (item.text[start:end] for start, end in pairwise(cuts))
        return replace(item, deltas=tuple(each for each in found if each))

    return replace(
        session, model=tuple(replace(step, items=tuple(map(pieces, step.items))) for step in session.model)
    )


def _in_any_form(draw: Draw, session: Cassette) -> Cassette:
    return _of_another_version(draw, _in_deltas(draw, session))


@st.composite
def _trials(draw: Draw, about: str, drawn: SearchStrategy[Cassette], form: Form | None) -> Trial:
    session = replace(draw(drawn), title=f"Found by fuzzing: {about}")
    if form is None:
        return Trial(cassette=session)
    usual = replace(session, title=f"{session.title}; in the usual form")
    return Trial(cassette=form(draw, session), plain=usual)


_CALLS: Final = codex_sessions(most_rounds=2, most_calls=2, fixed=True)
_SAID: Final = codex_sessions(said=True, arguments=_ANY_TEXT)
_ANY: Final = codex_sessions(
    arguments=_ANY_TEXT, given=_ANSWERS, most_turns=3, most_rounds=2, most_calls=3, fixed=True, said=True
)

_FORMS: Final = tuple(
    Kind(name=name, about=about, examples=_trials(about, drawn, form))
    for name, about, drawn, form in (
        ("texts", "a call with any text for its argument", codex_sessions(arguments=_ANY_TEXT), None),
        (
            "turns",
            "several turns, with rounds of calls",
            codex_sessions(arguments=_ANY_TEXT, most_turns=3, most_rounds=3),
            None,
        ),
        ("parallel", "several calls at once", codex_sessions(most_calls=4, fixed=True), None),
        (
            "answers",
            "tools that give texts and images, or fail",
            codex_sessions(given=_ANSWERS, fixed=True),
            None,
        ),
        ("namespaces", "tools in a namespace or in none", codex_sessions(spaced=True, fixed=True), None),
        (
            "steps",
            "turns are interrupted, threads resumed",
            codex_sessions(most_turns=3, steps=True),
            None,
        ),
        ("deltas", "the model's texts are streamed in pieces", _SAID, _in_deltas),
        ("versions", "an app-server of another version", _CALLS, _of_another_version),
        ("anything", "any session in any form", _ANY, _in_any_form),
    )
)

_TROUBLE: Final = "something goes wrong between client and app-server"

CODEX_KINDS: Final[tuple[Kind[Trial], ...]] = (
    *_FORMS,
    Kind(name="trouble", about=_TROUBLE, examples=faulty_trials(_TROUBLE, _CALLS)),
)


def playable(kind: Kind[Trial], profile: str) -> bool:
    """Whether sessions of a kind can be played in this profile; in an empty one all can."""
    if kind.name == "versions":
        return not profile
    return kind.name != "namespaces" or not profile or not refusal(_NAMESPACES, profile)
