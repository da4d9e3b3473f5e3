"""What becomes of a client's answer to item/tool/call: the item that is shown, and what the model gets."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from wiretape_server.codex import serde
from wiretape_server.codex.profile import Profile
from wiretape_server.codex.serde import UnreadableError

INVALID: Final = "dynamic tool response was invalid"
FAILED: Final = "dynamic tool request failed"
REMOTE_IMAGE: Final = "remote image URLs are not supported; use an inline data URL instead"
REMOTE_AUDIO: Final = "audio URLs must use an inline data URL"
_NO_IMAGE: Final = "image content omitted because it could not be processed"
_NO_AUDIO: Final = "audio content omitted because you do not support audio input"
_BAD_AUDIO: Final = "audio content omitted because it could not be processed"

_IMAGE_HEADS: Final = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"RIFF")
_AUDIO_HEADS: Final = (b"RIFF", b"ID3", b"\xff\xfb", b"OggS", b"fLaC")
_PNG_END: Final = b"IEND\xaeB`\x82"
"""The last chunk of a PNG, which one that breaks off has not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a call ended."""

    success: bool
    content: list[dict[str, Any]]
    """The item's ``contentItems``."""
    output: Any
    """The model's ``output``: a text or a list."""
    complaint: str = ""
    """What stderr says of an answer that has its shape and is not taken."""

    @property
    def status(self) -> str:
        return "completed" if self.success else "failed"


def outcome(result: Any, profile: Profile) -> Outcome:
    """Take a client's result. Raises UnreadableError when it has not the shape of an answer."""
    content = _read(result, profile)
    refused = next(filter(None, map(_refused, content)), "") if profile.judges_images else ""
    if refused:
        return replace(failure(refused, profile), complaint=f"{INVALID} {refused}")
    success: bool = result["success"]
    return Outcome(success=success, content=content, output=_output(content, profile))


def failure(text: str, profile: Profile) -> Outcome:
    """The outcome of a call that has no good answer."""
    content = [{"type": "inputText", "text": text}]
    return Outcome(success=False, content=content, output=_output(content, profile))


def _read(result: Any, profile: Profile) -> list[dict[str, Any]]:
    """Read an answer's content items, without members that nobody knows."""
    types = {"contentItems": serde.SEQUENCE, "success": serde.BOOLEAN}
    bare = profile.schema.bare_numbers
    serde.check_members(result, types, types, "struct DynamicToolCallResponse", bare=bare)
    return [_read_item(item, profile) for item in result["contentItems"]]


def _read_item(item: Any, profile: Profile) -> dict[str, Any]:
    bare, members = profile.schema.bare_numbers, profile.content_members
    tagged = "internally tagged enum DynamicToolCallOutputContentItem"
    serde.check_members({} if item == [] else item, {}, ("type",), tagged, bare=bare)
    kind = item["type"]
    if not isinstance(kind, str):
        raise UnreadableError(serde.invalid_type(kind, "variant identifier", bare=bare))
    if kind not in members:
        raise UnreadableError(serde.unknown_variant(kind, members))
    name = members[kind]
    serde.check_members(item, {name: serde.STRING}, (name,), "struct")
    return {"type": kind, name: item[name]}


def _refused(item: Mapping[str, Any]) -> str:
    """Why an item that has its shape fails the call; empty when it does not."""
    if item["type"] == "inputImage" and item["imageUrl"].lower().startswith(("http://", "https://")):
        return REMOTE_IMAGE
    if item["type"] == "inputAudio" and not item["audioUrl"].startswith("data:"):
        return REMOTE_AUDIO
    return ""


def _output(content: list[dict[str, Any]], profile: Profile) -> Any:
    items = [_output_item(item, profile) for item in content]
    if profile.output_limit is None:
        return items
    if [item["type"] for item in content] == ["inputText"]:
        return _shortened(items[0]["text"], profile.output_limit)
    return _within(items, profile.output_limit)


def _output_item(item: Mapping[str, Any], profile: Profile) -> dict[str, Any]:
    if item["type"] == "inputText":
        return _input_text(item["text"])
    if item["type"] == "inputAudio":
        return _input_text(_NO_AUDIO if _data(item["audioUrl"]).startswith(_AUDIO_HEADS) else _BAD_AUDIO)
    url = item["imageUrl"]
    image = {"type": "input_image", "image_url": url}
    if not profile.judges_images:
        return image
    taken = not url.startswith("data:") or _is_image(_data(url))
    return {**image, "detail": "high"} if taken else _input_text(_NO_IMAGE)


def _input_text(text: str) -> dict[str, Any]:
    return {"type": "input_text", "text": text}


def _is_image(data: bytes) -> bool:
    """Whether a file begins like an image, and a PNG is whole. The real server decodes all of it."""
    return data.startswith(_IMAGE_HEADS) and (not data.startswith(_IMAGE_HEADS[0]) or _PNG_END in data)


def _data(url: str) -> bytes:
    """What a data URL holds; nothing where it is not base64."""
    head, _, data = url.partition(",")
    if not head.endswith(";base64"):
        return b""
    try:
        return base64.b64decode(data, validate=True)
    except binascii.Error:
        return b""


def _within(items: list[dict[str, Any]], limit: int) -> list[dict[str, Any]]:
    """Keep that many bytes of the texts: the one that goes beyond is shortened, others behind it left out."""
    kept: list[dict[str, Any]] = []
    omitted = 0
    for item in items:
        if item["type"] != "input_text":
            kept.append(item)
        elif limit <= 0:
            omitted += 1
        elif item["text"]:
            kept.append(_input_text(_shortened(item["text"], limit)))
            limit -= len(_encoded(item["text"]))
    return [*kept, _input_text(f"[omitted {omitted} text items ...]")] if omitted else kept


def _shortened(text: str, limit: int) -> str:
    """Keep the head and the tail of a text, and say how many tokens (four bytes each) are gone."""
    data = _encoded(text)
    if len(data) <= limit:
        return text
    half = limit // 2
    head, tail = data[:half].decode("utf-8", "ignore"), data[-half:].decode("utf-8", "ignore")
    return f"{head}…{-(-(len(data) - limit) // 4)} tokens truncated…{tail}"


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
