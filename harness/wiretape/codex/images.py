"""Whether a data URL holds an image, as far as its first bytes say."""

from __future__ import annotations

import base64
from typing import Final

_SIGNATURES: Final = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a")


def is_data_url(url: str) -> bool:
    """Whether a URL carries its data itself."""
    return url[:5].lower() == "data:"


def holds_image(url: str) -> bool:
    """Whether a data URL is base64 of something that begins like a PNG, JPEG, GIF or WebP image."""
    head, _, body = url.partition(",")
    if not head.lower().endswith(";base64"):
        return False
    try:
        data = base64.b64decode(body, validate=True)
    except ValueError:
        return False
    return data.startswith(_SIGNATURES) or (data[:4] == b"RIFF" and data[8:12] == b"WEBP")
