"""Makes a conversation up: the model calls each tool that the client declares, one after the other."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from wiretape import strictjson
from wiretape.cassette.model import (
    Cassette,
    Interaction,
    RecordedRequest,
    RecordedResponse,
)
from wiretape.scenario import said
from wiretape.scenario.adaptive import ANSWER_PIECES, NAME, TITLE, USER_MESSAGE, expectation, provenance
from wiretape.scenario.draw import Draw
from wiretape.scenario.plan import Plan, PlannedCall, plan
from wiretape.scenario.signatures import callable_tools
from wiretape.scenario.stream import Tape

_WEAK_SPOT: Final = re.compile(r"\\|[\U00010000-\U0010ffff]")
_TEXT: Final = "/message/content/text"
_ANSWER: Final = "/message/content/parts/0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A made-up turn, and the plan that it follows."""

    plan: Plan
    cassette: Cassette


def of_signatures(declared: object, *, seed: int = 0) -> Cassette:
    """Make a conversation up for ``local_function_signatures``, of any shape; what can't be called is not."""
    return scene(declared, seed=seed).cassette


def scene(
    declared: object,
    *,
    seed: int = 0,
    called: Collection[str] = (),
    conversation_id: str = "",
    number: int = 0,
) -> Scene:
    """Make turn ``number`` of a conversation up: it calls each tool that was not ``called`` before."""
    draw = Draw.about(seed, [declared, sorted(called), number])
    tools = [tool for tool in callable_tools(declared) if tool.name not in called]
    planned = plan(tools, draw)
    turn = _Turn(planned, draw, declared, conversation_id)
    cassette = Cassette(
        protocol="flow_a",
        provenance=provenance(f"Its seed is {seed}.", *planned.gaps),
        interactions=turn.interactions(begins=not conversation_id),
        title=TITLE,
        expect=expectation(declared),
        name=NAME,
    )
    return Scene(plan=planned, cassette=cassette)


class _Turn:
    """One turn of the user's, with as many returns as calls."""

    def __init__(self, planned: Plan, draw: Draw, declared: object, conversation_id: str) -> None:
        self.plan = planned
        self.draw = draw
        self.declared = declared
        self.conversation_id = conversation_id or draw.at("conversation").uuid()

    def interactions(self, *, begins: bool) -> tuple[Interaction, ...]:
        user = self._user_message()
        ids = {} if begins else {"conversation_id": self.conversation_id}
        requests = [said.request(user, self.declared, **ids)]
        requests += [self._return(number) for number in range(len(self.plan.calls))]
        answers = [self._call(number) for number in range(len(self.plan.calls))]
        answers.append(self._last())
        return tuple(
            Interaction(request=request, response=answer)
            for request, answer in zip(requests, answers, strict=True)
        )

    def _user_message(self) -> dict[str, Any]:
        content = {"content_type": "text", "parts": [USER_MESSAGE]}
        return said.from_client("user", None, content, id=self._id("user"), create_time=said.BEGAN)

    def _return(self, number: int) -> RecordedRequest:
        """What a client sends back. Nobody is held to what the tool gave."""
        tool, call_id = self.plan.calls[number].tool.name, self._id("call", number)
        handed_off = {"accepted": True, "thread_id": self._id("handoff", number)}
        result = handed_off if tool == "handoff" else {"message": "made up"}
        text = strictjson.dumps({"call_id": call_id, "result": result, "tool": tool})
        message = said.from_client(
            "tool",
            tool,
            {"content_type": "code", "text": text},
            channel="commentary",
            id=self._id("return", number),
            create_time=_time(number) + 5,
        )
        ids = {"conversation_id": self.conversation_id, "parent_message_id": call_id}
        return said.request(message, self.declared, **ids)

    def _call(self, number: int) -> RecordedResponse:
        tape, draw, call = self._tape(number), self.draw.at("call", number), self.plan.calls[number]
        if draw.at("thinks").below(2):
            tape.message(said.thought(self._id("thought", number), _time(number)))
        text = _written(call, draw)
        # Every other one grows, so that a client which takes the first frame for the call is seen to do so.
        whole = (number + draw.seed) % 2 == 1
        *pieces, last = ["", ""] if whole else _pieces(text, draw.at("pieces"))
        content = {"content_type": "code", "language": "json", "text": text if whole else ""}
        recipient = draw.at("recipient").pick(("local.", "functions.")) + call.tool.name
        tape.message(said.from_model(self._id("call", number), content, _time(number), recipient=recipient))
        tape.grow(_TEXT, [piece for piece in pieces if piece])
        tape.close(_TEXT, last)
        return tape.response()

    def _last(self) -> RecordedResponse:
        """The answer, after a call of a tool that is the server's own."""
        number = len(self.plan.calls)
        tape = self._tape(number)
        if self.plan.calls:
            self._search(tape, _time(number))
        content = {"content_type": "text", "parts": [""]}
        tape.message(said.from_model(self._id("answer"), content, _time(number) + 2, channel="final"))
        tape.grow(_ANSWER, list(ANSWER_PIECES))
        tape.close(_ANSWER, "", end_turn=True)
        return tape.response()

    def _search(self, tape: Tape, time: float) -> None:
        query = {"content_type": "code", "language": "json", "text": ""}
        tape.message(said.from_model(self._id("search"), query, time, recipient="web.run"))
        tape.close(_TEXT, '{"search_query": [{"q": "wiretape"}]}', end_turn=False)
        tape.message(said.search_result(self._id("found"), time + 1))

    def _tape(self, number: int) -> Tape:
        tape = Tape(self.conversation_id)
        if number == 0:
            tape.typed(4, {"type": "input_message", "input_message": self._user_message()})
        return tape

    def _id(self, *place: object) -> str:
        return self.draw.at("id", *place).uuid()


def _time(number: int) -> float:
    """When the model begins the answer after so many calls."""
    return said.BEGAN + 10 * number + 3


def _written(call: PlannedCall, draw: Draw) -> str:
    """The arguments as the model writes them: spaced or compact, raw or escaped."""
    spaced = draw.at("spaced").below(2) == 1
    separators = (", ", ": ") if spaced else (",", ":")
    return json.dumps(call.arguments, ensure_ascii=draw.at("escaped").below(2) == 1, separators=separators)


def _pieces(text: str, draw: Draw) -> list[str]:
    """Cut a text anywhere, and inside its first escape or between the halves of its first long character."""
    units = text.encode("utf-16-le", "surrogatepass")
    stops = {2 * draw.at(number).below(len(text) + 1) for number in range(4)}
    if weak := _WEAK_SPOT.search(text):
        stops.add(len(text[: weak.start()].encode("utf-16-le", "surrogatepass")) + 2)
    cuts = [0, *sorted(stops), len(units)]
    return [units[start:stop].decode("utf-16-le", "surrogatepass") for start, stop in pairwise(cuts)]
