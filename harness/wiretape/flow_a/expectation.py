"""What a recorded session expects of a client: what its user said, the tools, what each tool gave."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from wiretape import strictjson
from wiretape.cassette.model import Expect, Interaction
from wiretape.flow_a.facts import read_stream
from wiretape.flow_a.json_body import read_json
from wiretape.flow_a.messages import member, sent_messages
from wiretape.strictjson import ABSENT


def expectation(interactions: Iterable[Interaction]) -> Expect:
    """Read the first user's message, the first declared tools and each tool's result out of a recording.

    A tool whose result was its own argument each time is an ``echo``; one that gave different results is left
    out: a client under test need not give them again.
    """
    interactions = list(interactions)
    requests = [read_json(each.request.body, "").value for each in interactions]
    declared = (each.get("local_function_signatures") for each in requests)
    tools = next((each for each in declared if isinstance(each, list) and each), [])
    return Expect(
        user_message=next(_user_messages(requests), None),
        tools=tuple(each for each in tools if isinstance(each, dict)),
        results=_results(interactions, requests),
    )


def _user_messages(requests: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for message in chain.from_iterable(map(sent_messages, requests)):
        parts = member(message, "content", "parts")
        text = "".join(each for each in parts if isinstance(each, str)) if isinstance(parts, list) else ""
        if member(message, "author", "role") == "user" and text:
            yield text


def _results(interactions: Iterable[Interaction], requests: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    calls = {call.id: call for each in interactions for call in read_stream(each.response.body).calls}
    given: dict[str, list[Any]] = {}
    for text in map(_return_text, chain.from_iterable(map(sent_messages, requests))):
        call = calls.get(str(text.get("call_id")))
        result = text.get("result")
        if call is not None and isinstance(result, dict):
            echoed = strictjson.equal(strictjson.loads_or(call.text, ABSENT), result)
            given.setdefault(call.tool, []).append("echo" if echoed else result)
    return {
        tool: results[0]
        for tool, results in given.items()
        if all(strictjson.equal(each, results[0]) for each in results)
    }


def _return_text(message: Any) -> Mapping[str, Any]:
    if member(message, "author", "role") != "tool":
        return {}
    text = member(message, "content", "text")
    value = strictjson.loads_or(text, ABSENT) if isinstance(text, str) else ABSENT
    return value if isinstance(value, dict) else {}
