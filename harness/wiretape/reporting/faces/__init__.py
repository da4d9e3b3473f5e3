"""The faces of a report: each makes a text out of the JSON documents of one or several runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from wiretape.reporting.faces import badge, github, junit, machine, markdown, page, text
from wiretape.reporting.faces.words import for_people
from wiretape.reporting.model import Document

Render: TypeAlias = Callable[[Sequence[Document]], str]


def _for_people(render: Render) -> Render:
    return lambda documents: render([for_people(document) for document in documents])


FACES: Final[Mapping[str, Render]] = {
    "json": machine.render,
    "junit": _for_people(junit.render),
    "html": _for_people(page.render),
    "md": _for_people(markdown.render),
    "github": _for_people(github.render),
    "badge": badge.render,
    "text": _for_people(text.render),
}
"""By the name that ``--report`` knows."""
