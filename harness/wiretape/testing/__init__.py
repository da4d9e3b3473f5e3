"""Hypothesis strategies for what goes over the wire: messages, deltas, framings, right and wrong answers.

Everything is valid by construction and nothing is filtered; a strategy whose name begins with ``broken``
gives what is wrong in exactly one way, and says in which. Nothing else of wiretape needs Hypothesis. ::

    from hypothesis import given, strategies as st
    from wiretape import testing

    @given(testing.streams())
    def test_my_decoder(stream):
        assert my_decoder(stream.data) == stream.messages
"""

from __future__ import annotations

from wiretape.testing.broken import DAMAGE, BrokenReturn, broken_returns
from wiretape.testing.changes import CHANGES, operations
from wiretape.testing.codex import (
    CODEX_FAULTS,
    BrokenAnswer,
    broken_codex_answers,
    codex_answers,
    rpc_errors,
    tool_answers,
)
from wiretape.testing.codex_machine import CodexClient, CodexClientMachine
from wiretape.testing.codex_server_machine import CodexServer, CodexServerMachine
from wiretape.testing.deltas import DeltaStream, delta_streams, wire_deltas
from wiretape.testing.encodings import ANY_FORM, BACKEND_FORM, Form, encodings
from wiretape.testing.events import delta_events, delta_texts, json_texts, typed_events
from wiretape.testing.flow_a_machine import FlowAClient, FlowAClientMachine
from wiretape.testing.flow_a_server_machine import FlowAServer, FlowAServerMachine
from wiretape.testing.framings import chunkings, framings
from wiretape.testing.interleavings import (
    CodexFrame,
    CodexSession,
    codex_interleavings,
    tool_arguments,
    tool_specs,
)
from wiretape.testing.messages import (
    MESSAGE_KINDS,
    calls,
    declarations,
    message_lists,
    messages,
    results,
    returns,
)
from wiretape.testing.streams import Stream, streams
from wiretape.testing.values import characters, ids, json_objects, json_values, keys, numbers, scalars, texts

__all__ = [
    "ANY_FORM",
    "BACKEND_FORM",
    "CHANGES",
    "CODEX_FAULTS",
    "DAMAGE",
    "MESSAGE_KINDS",
    "BrokenAnswer",
    "BrokenReturn",
    "CodexClient",
    "CodexClientMachine",
    "CodexFrame",
    "CodexServer",
    "CodexServerMachine",
    "CodexSession",
    "DeltaStream",
    "FlowAClient",
    "FlowAClientMachine",
    "FlowAServer",
    "FlowAServerMachine",
    "Form",
    "Stream",
    "broken_codex_answers",
    "broken_returns",
    "calls",
    "characters",
    "chunkings",
    "codex_answers",
    "codex_interleavings",
    "declarations",
    "delta_events",
    "delta_streams",
    "delta_texts",
    "encodings",
    "framings",
    "ids",
    "json_objects",
    "json_texts",
    "json_values",
    "keys",
    "message_lists",
    "messages",
    "numbers",
    "operations",
    "results",
    "returns",
    "rpc_errors",
    "scalars",
    "streams",
    "texts",
    "tool_answers",
    "tool_arguments",
    "tool_specs",
    "typed_events",
    "wire_deltas",
]
