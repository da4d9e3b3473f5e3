"""What becomes of a client's answer to item/tool/call: the item that is shown, and what the model gets."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from wiretape_server.codex import serde
from wiretape_server.codex.profiles import Profile
from wiretape_server.codex.serde import UnreadableError

INVALID: Final = "dynamic tool response was invalid"
FAILED: Final = "dynamic tool request failed"
REMOTE_IMAGE: Final = "remote image URLs are not supported; use an inline data URL instead"
_NO_IMAGE: Final = "image content omitted because it could not be processed"
_NO_AUDIO: Final = "audio content omitted because you do not support audio input"

_IMAGE_HEADS: Final = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"RIFF")
_HEAD_LENGTH: Final = 64
"""Characters of base64 that hold enough of an image to tell what it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a call ended."""

    success: bool
    content: list[dict[str, Any]]
    """The item's ``contentItems``."""
    output: Any
    """The model's ``output``: a text or a list."""

    @property
    def status(self) -> str:
        return "completed" if self.success else "failed"


def outcome(result: Any, profile: Profile) -> Outcome:
    """Take a client's result. Raises UnreadableError when it has not the shape of an answer."""
    content = _read(result, profile)
    if profile.judges_images and any(_is_remote(item) for item in content):
        return failure(REMOTE_IMAGE, profile)
    success: bool = result["success"]
    return Outcome(success=success, content=content, output=_output(content, profile))


def failure(text: str, profile: Profile) -> Outcome:
    """The outcome of a call that has no good answer."""
    content = [{"type": "inputText", "text": text}]
    return Outcome(success=False, content=content, output=_output(content, profile))


def _read(result: Any, profile: Profile) -> list[dict[str, Any]]:
    """Read an answer's content items, without members that nobody knows."""
    types = {"contentItems": serde.SEQUENCE, "success": serde.BOOLEAN}
    serde.check_members(result, types, types, "struct DynamicToolCallResponse")
    return [_read_item(item, profile.content_members) for item in result["contentItems"]]


def _read_item(item: Any, members: Mapping[str, str]) -> dict[str, Any]:
    serde.check_members(item, {}, ("type",), "internally tagged enum DynamicToolCallOutputContentItem")
    kind = item["type"]
    if not isinstance(kind, str) or kind not in members:
        raise UnreadableError(serde.unknown_variant(str(kind), members))
    name = members[kind]
    serde.check_members(item, {name: serde.STRING}, (name,), "struct")
    return {"type": kind, name: item[name]}


def _is_remote(item: Mapping[str, Any]) -> bool:
    return item["type"] == "inputImage" and not item["imageUrl"].startswith("data:")


def _output(content: list[dict[str, Any]], profile: Profile) -> Any:
    if profile.plain_text_output and [item["type"] for item in content] == ["inputText"]:
        return _shortened(content[0]["text"], profile.output_limit)
    return [_output_item(item, profile) for item in content]


def _output_item(item: Mapping[str, Any], profile: Profile) -> dict[str, Any]:
    if item["type"] == "inputText":
        return _input_text(item["text"])
    if item["type"] == "inputAudio":
        return _input_text(_NO_AUDIO)
    image = {"type": "input_image", "image_url": item["imageUrl"]}
    if not profile.judges_images:
        return image
    return {**image, "detail": "high"} if _is_decodable(item["imageUrl"]) else _input_text(_NO_IMAGE)


def _input_text(text: str) -> dict[str, Any]:
    return {"type": "input_text", "text": text}


def _is_decodable(data_url: str) -> bool:
    """Whether a data URL begins like an image. The real server decodes all of it."""
    head, comma, data = data_url.partition(",")
    if not comma or not head.endswith(";base64"):
        return False
    try:
        return base64.b64decode(data[:_HEAD_LENGTH], validate=True).startswith(_IMAGE_HEADS)
    except binascii.Error:
        return False


def _shortened(text: str, limit: int | None) -> str:
    """Keep the head and the tail of a long text, and say how many tokens (four characters) are gone."""
    if limit is None or len(text) <= limit:
        return text
    half = limit // 2
    tokens = -(-(len(text) - 2 * half) // 4)
    return f"{text[:half]}…{tokens} tokens truncated…{text[-half:]}"
