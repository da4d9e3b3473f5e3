"""Deltas in few words, for the decoder's tests."""

from __future__ import annotations

from typing import Any

import pytest

from wiretape.delta import ABSENT, DeltaDecoder, DeltaError

HIGH, LOW = "\ud83d", "\ude00"
T = "/message/content/parts/0"


def message(message_id: str = "m1", text: str = "") -> dict[str, Any]:
    return {
        "message": {
            "id": message_id,
            "author": {"role": "assistant"},
            "content": {"content_type": "text", "parts": [text]},
            "status": "in_progress",
            "recipient": "all",
            "channel": "final",
            "end_turn": None,
            "metadata": {},
        }
    }


def holding(root: Any) -> DeltaDecoder:
    decoder = DeltaDecoder()
    decoder.push({"v": root})
    return decoder


def after(root: Any, *deltas: Any) -> Any:
    """The value of channel 0 after a root add and some deltas."""
    decoder = holding(root)
    for delta in deltas:
        decoder.push(delta)
    return decoder.values.get(0, ABSENT)


def op(name: str, path: str, *value: Any) -> dict[str, Any]:
    return {"p": path, "o": name, **({"v": value[0]} if value else {})}


def kind_of(decoder: DeltaDecoder, delta: object) -> str:
    with pytest.raises(DeltaError) as caught:
        decoder.push(delta)
    return caught.value.kind
