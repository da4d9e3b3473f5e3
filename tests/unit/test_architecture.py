"""Who may import whom, and how long a file may be: read from the sources by the standard library alone.

import-linter checks the same graph (and the indirect ways through it) in `make lint`; this test runs wherever
the tests run. Each boundary is also shown a source that breaks it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE_ROOTS = ("harness", "mock_server")

IO_CLOCK_AND_CHANCE = (
    *("aiohttp", "asyncio", "http", "select", "selectors", "socket", "socketserver", "ssl", "urllib.request"),
    *("multiprocessing", "queue", "signal", "subprocess", "threading"),
    *("datetime", "random", "secrets", "time"),
)
OTHER_PARTS = ("wiretape_server", "pytest_wiretape", "wiretape_cli")
JUDGING = ("wiretape.contract", "wiretape.report", "wiretape.verdict")
HEAVY = (
    *("aiohttp", "asyncio", "click", "hypothesis", "jsonschema", "rich"),
    *("wiretape", "wiretape_server", "yaml"),
)
BEHIND_FIXTURES = tuple(
    f"pytest_wiretape.{each}" for each in ("playing", "recording", "reporting", "session_server", "settings")
)
"""Modules of the plugin that are imported when a fixture is first used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    module: str
    """The imported name with all its dots: ``wiretape.strictjson.equal``."""
    line: int
    when_loaded: bool
    """False inside functions and under TYPE_CHECKING: there an import costs nothing until it is reached."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundary:
    """``who`` imports nothing of ``never``, and of what lies in ``among`` only what ``only`` lists."""

    why: str
    who: str
    except_for: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    among: str = ""
    only: tuple[str, ...] = ()
    when_loaded: bool = False
    """Whether imports inside functions are left alone."""

    def concerns(self, module: str) -> bool:
        return below(module, self.who) and not any(below(module, each) for each in self.except_for)

    def forbids(self, found: Import) -> bool:
        if self.when_loaded and not found.when_loaded:
            return False
        if any(below(found.module, each) for each in self.never):
            return True
        return bool(self.among) and below(found.module, self.among) and not self.allows(found.module)

    def allows(self, module: str) -> bool:
        return any(below(module, each) for each in self.only)


def core(who: str, *only: str, why: str) -> Boundary:
    """A module of the core, and the only other modules of the core that it may import."""
    return Boundary(
        who=f"wiretape.{who}",
        among="wiretape",
        only=tuple(f"wiretape.{each}" for each in (who, *only)),
        why=why,
    )


BOUNDARIES = (
    Boundary(
        who="wiretape",
        never=IO_CLOCK_AND_CHANCE,
        why="the core gets bytes, its clock and its ids as arguments",
    ),
    Boundary(
        who="wiretape",
        never=(*OTHER_PARTS, "click", "rich", "pytest"),
        why="the core knows none of its users",
    ),
    Boundary(
        who="wiretape",
        except_for=("wiretape.testing", "wiretape.fuzzing"),
        never=("hypothesis", "jsonschema"),
        why="judging, loading and serving never wait for a schema or a strategy",
    ),
    Boundary(who="wiretape.flow_a", never=("wiretape.codex",), why="the two protocols never meet"),
    Boundary(who="wiretape.codex", never=("wiretape.flow_a",), why="the two protocols never meet"),
    Boundary(
        who="wiretape_server",
        never=("pytest_wiretape", "wiretape_cli", "click", "hypothesis", "jsonschema", "pytest", "rich"),
        why="the server plays; it neither prints nor tests",
    ),
    Boundary(
        who="pytest_wiretape",
        never=("wiretape_cli", "click", "rich"),
        why="the plugin is no command line",
    ),
    Boundary(
        who="pytest_wiretape",
        except_for=BEHIND_FIXTURES,
        never=(*HEAVY, *BEHIND_FIXTURES),
        when_loaded=True,
        why="every pytest run loads the plugin, also those that use none of it",
    ),
    core("strictjson", why="the ground floor"),
    core("profiles", why="a table of names"),
    core("sse", "strictjson", why="frames know no deltas"),
    core("pointer", "strictjson", why="paths know no deltas"),
    core("javascript", "strictjson", why="JavaScript's conversions know no deltas"),
    core("document", "javascript", "pointer", "strictjson", why="a growing value knows no channels"),
    core("delta", "document", "pointer", "strictjson", why="deltas know no messages"),
    core(
        *("delta_encoder", "document", "javascript", "pointer", "sse", "strictjson"),
        why="deltas know no messages",
    ),
    core("jsonrpc", "strictjson", why="JSON-RPC knows no method"),
    core("transcript", "strictjson", why="a transcript knows no protocol"),
    core("transcript_file", "redaction", "transcript", "strictjson", why="a transcript knows no protocol"),
    core("cassette", "strictjson", why="a cassette knows no protocol"),
    core("redaction", "cassette", "delta", "pointer", "sse", "strictjson", why="redaction knows no protocol"),
    *(
        Boundary(who=f"wiretape.{each}", never=JUDGING, why="it shows or brings in, and judges nothing")
        for each in ("drift", "imports", "scenario", "timeline")
    ),
    core("contract", "transcript", "strictjson", why="a rule is data, of any protocol"),
    core("report", "contract", "strictjson", why="a report is of any protocol"),
    core("flow_a.messages", "strictjson", why="messages know no stream"),
    core(
        "flow_a.stream",
        *("flow_a.messages", "delta", "document", "javascript", "sse", "strictjson"),
        why="a stream knows no conversation",
    ),
    core("codex.messages", why="messages are plain types"),
    core("codex.session", why="a session takes no side"),
    core(
        "codex.rules",
        *("codex.dialects", "codex.images", "codex.messages", "codex.session", "codex.tool_specs"),
        *("codex.unreadable", "codex.view", "contract", "jsonrpc", "redaction", "strictjson"),
        why="a rule reads what the reader digested, never a transcript's entries or a server",
    ),
    core("flow_a.session", "flow_a.facts", "flow_a.messages", "strictjson", why="a session takes no side"),
    core(
        *("flow_a.rules", "contract", "strictjson"),
        *(f"flow_a.{each}" for each in ("view", "messages", "json_body", "damage", "declarations")),
        why="a rule reads what the reader digested, never a transcript's entries or a server",
    ),
)


def below(module: str, prefix: str) -> bool:
    return module == prefix or module.startswith(prefix + ".")


def imports(source: str) -> list[Import]:
    """Every import statement of a source text, wherever it stands."""
    finder = _Finder()
    finder.visit(ast.parse(source))
    return finder.found


class _Finder(ast.NodeVisitor):
    def __init__(self) -> None:
        self.found: list[Import] = []
        self.later = 0

    def visit_Import(self, node: ast.Import) -> None:
        self.add(node.lineno, *(name.name for name in node.names))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = "." * node.level + (node.module or "")
        self.add(node.lineno, *(f"{module}.{name.name}" for name in node.names))

    def add(self, line: int, *names: str) -> None:
        self.found += [Import(module=name, line=line, when_loaded=not self.later) for name in names]

    def generic_visit(self, node: ast.AST) -> None:
        later = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or _for_types_only(node)
        self.later += later
        super().generic_visit(node)
        self.later -= later


def _for_types_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def crossings(module: str, source: str) -> Iterator[tuple[Boundary, str]]:
    """Each boundary that a module's source crosses, with a sentence about the place."""
    boundaries = [each for each in BOUNDARIES if each.concerns(module)]
    for found in imports(source):
        for boundary in boundaries:
            if boundary.forbids(found):
                yield boundary, f"{module} line {found.line} imports {found.module}: {boundary.why}"


def modules() -> Iterator[tuple[str, Path]]:
    """Name and file of every module that is shipped."""
    for root in SOURCE_ROOTS:
        for path in sorted((ROOT / root).rglob("*.py")):
            parts = path.relative_to(ROOT / root).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def test_no_module_crosses_a_boundary() -> None:
    found = [text for name, path in modules() for _, text in crossings(name, path.read_text("utf-8"))]
    assert not found, "\n".join(found)


def test_no_shipped_module_imports_relatively() -> None:
    relative = [
        f"{name} line {found.line}"
        for name, path in modules()
        for found in imports(path.read_text("utf-8"))
        if found.module.startswith(".")
    ]
    assert not relative


def test_the_sources_are_where_the_boundaries_look() -> None:
    names = {name for name, _ in modules()}
    assert {"wiretape", *OTHER_PARTS, *(each.who for each in BOUNDARIES)} <= names


@pytest.mark.parametrize("boundary", BOUNDARIES, ids=lambda each: f"{each.who}: {each.why}")
def test_each_boundary_notices_a_source_that_crosses_it(boundary: Boundary) -> None:
    forbidden = boundary.never or ("wiretape.verdict",)
    for name in forbidden:
        broken = f'"""Words."""\nimport json\n\nfrom {name} import anything\n'
        assert boundary in [crossed for crossed, _ in crossings(boundary.who, broken)]
        assert boundary in [crossed for crossed, _ in crossings(f"{boundary.who}.deep.down", broken)]


@pytest.mark.parametrize(
    "source",
    [
        "import time",
        "import time as clock",
        "import json, time",
        "from time import monotonic",
        "def now():\n    if True:\n        import time",
        "class A:\n    def now(self):\n        from time import time",
        "try:\n    import time\nexcept ImportError:\n    pass",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import time",
    ],
)
def test_an_import_is_found_wherever_it_stands(source: str) -> None:
    assert [found.module.partition(".")[0] for found in imports(source)].count("time") == 1
    assert list(crossings("wiretape.sse", source))


@pytest.mark.parametrize(
    "source",
    [
        "def fixture():\n    import aiohttp",
        "async def fixture():\n    with x:\n        from wiretape_server.thread import ServerThread",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from wiretape.cassette import Cassette",
        "import pytest\nfrom pytest_wiretape.options import read",
    ],
)
def test_the_plugin_may_import_late_what_it_may_not_import_at_once(source: str) -> None:
    assert not list(crossings("pytest_wiretape.plugin", source))


def test_a_name_that_only_begins_like_a_forbidden_one_is_free() -> None:
    assert not list(crossings("wiretape.sse", "import timeit_tables\nfrom wiretape.strictjson import equal"))
    assert not list(crossings("wiretape_cli.main", "import time, socket, wiretape_server, wiretape.codex"))


LONGEST = 300
MAY_BE_LONGER: dict[str, str] = {}
"""Path to the reason why this one file is better whole."""


def is_long(text: str) -> bool:
    return len(text.splitlines()) >= LONGEST


def test_files_are_short_or_say_why_not() -> None:
    paths = [path for folder in (*SOURCE_ROOTS, "tests", "docs") for path in (ROOT / folder).rglob("*.py")]
    long = {path.relative_to(ROOT).as_posix() for path in paths if is_long(path.read_text("utf-8"))}
    assert long == set(MAY_BE_LONGER)


def test_the_three_hundredth_line_is_one_too_many() -> None:
    assert is_long("x = 1\n" * LONGEST)
    assert not is_long("x = 1\n" * (LONGEST - 1))
