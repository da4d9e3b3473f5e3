"""How Sphinx makes the site: `make site`. Pages are Markdown that reads well in the repository too."""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx

import wiretape

project = "wiretape"
author = "The wiretape developers"
version = release = wiretape.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
html_theme = "furo"
html_title = f"wiretape {release}"
exclude_patterns = ["_build"]

myst_heading_anchors = 3
myst_enable_extensions = ["deflist"]

autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_member_order = "bysource"
autodoc_typehints = "description"

ROOT = Path(__file__).parents[1]
ROOT_PAGES = {"README": "readme", "CONTRIBUTING": "contributing", "CHANGELOG": "changelog"}
"""Pages of the repository's root, and the pages in docs/project that stand for them on the site."""


def _with_links(text: str, root: str, project: str) -> str:
    """A page's text with its links to pages of the root leading to those that stand for them."""
    for name, page in ROOT_PAGES.items():
        text = text.replace(f"]({root}{name}.md", f"]({project}{page}.md")
    return text


def _read(_app: object, docname: str, source: list[str]) -> None:
    folder, _, page = docname.rpartition("/")
    names = {page: name for name, page in ROOT_PAGES.items()}
    if folder == "project" and page in names:
        text = (ROOT / f"{names[page]}.md").read_text("utf-8").replace("](docs/", "](../")
        source[0] = _with_links(text, "", "")
    else:
        up = "../" * docname.count("/")
        source[0] = _with_links(source[0], f"{up}../", f"{up}project/")


def setup(app: Sphinx) -> None:
    app.connect("source-read", _read)
