"""A cassette file as plain data.

libyaml reads long blocks as fast as they can be cut out by hand. The parser in Python takes sixty times as
long, so there the blocks of a file of canonical layout are cut out, and only the rest is read as YAML.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from wiretape.cassette.blocks import cut_blocks, is_mark, mark
from wiretape.cassette.model import CassetteError
from wiretape.cassette.plain_yaml import IN_C, read_yaml

_PLACES = (("request", "body"), ("response", "chunks"), ("response", "body"))


def read_document(data: bytes) -> Any:
    """Read a file. Bodies and tables are bytes where they were cut out, text where YAML read them.

    Raises CassetteError with the line.
    """
    cut = None if IN_C else cut_blocks(data)
    if cut is not None:
        rest, blocks = cut
        with suppress(CassetteError):  # it is raised again below, with the line in the whole file
            document = read_yaml(rest)
            if _put_back(document, blocks):
                return document
    return read_yaml(data)


def _put_back(document: Any, blocks: list[tuple[str, bytes]]) -> bool:
    """Put the blocks in the place of their marks; False when a mark is not where a block belongs."""
    number = 0
    for holder, key in _places(document):
        if is_mark(holder.get(key)):
            if holder[key] != mark(number) or number == len(blocks) or blocks[number][0] != key:
                return False
            holder[key] = blocks[number][1]
            number += 1
    return number == len(blocks)


def _places(document: Any) -> Iterator[tuple[dict[str, Any], str]]:
    """Where a block may stand: the holder and its key, in the order of the file."""
    if not isinstance(document, dict):
        return
    interactions = document.get("interactions")
    for interaction in interactions if isinstance(interactions, list) else ():
        for side, key in _PLACES:
            holder = interaction.get(side) if isinstance(interaction, dict) else None
            if isinstance(holder, dict):
                yield holder, key
    yield document, "frames"
