"""The HTML report: one page without scripts or network; whatever came over the wire is shown as text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from wiretape.reporting.faces import charts, words
from wiretape.reporting.model import Document

if TYPE_CHECKING:
    from jinja2 import Template


def render(documents: Sequence[Document]) -> str:
    """A self-contained page."""
    matrix = charts.run_matrix(documents) if len(documents) > 1 else None
    passed = all(map(words.fine, documents))
    return _template().render(documents=documents, passed=passed, matrix=matrix, words=words, charts=charts)


@cache
def _template() -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("wiretape.reporting"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report.html.jinja")
