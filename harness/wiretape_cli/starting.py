"""``init``: what a repository needs to check its client with wiretape, written into it."""

from __future__ import annotations

import configparser
import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from string import Template
from typing import Final

from wiretape import __version__
from wiretape.reporting.files import replace_file
from wiretape_cli.errors import SetupError
from wiretape_cli.exits import Exit
from wiretape_cli.screen import say

TEST: Final = "tests/test_wiretape.py"
WORKFLOW: Final = ".github/workflows/wiretape.yml"
EXAMPLE: Final = "tests/wiretape_client"
CASSETTES: Final = "tests/cassettes"

_TEMPLATES: Final = Path(__file__).with_name("starter")
_INI: Final = "wiretape_cassette_dir = "


@dataclass(frozen=True, slots=True, kw_only=True)
class Starter:
    """What a test of one protocol plays, with which method of the fixture, and the example client's files."""

    play: str
    cassettes: tuple[str, ...]
    client: tuple[str, ...]
    """The program first, then what it imports."""


STARTERS: Final[Mapping[str, Starter]] = {
    "flow_a": Starter(
        play="play",
        cassettes=("alefita_way", "handoff", "two_calls"),
        client=("flow_a_client.py", "flow_a_stream.py"),
    ),
    "codex": Starter(
        play="codex",
        cassettes=("dynamic_tool_text", "parallel_calls", "success_false"),
        client=("codex_client.py",),
    ),
}


def start(folder: Path, protocol: str, command: Sequence[str]) -> Exit:
    """Write the files, all or none, and say what to do next. Raises SetupError."""
    files = contents(protocol, command)
    setting = _setting(folder)
    _refuse_existing(folder, files)
    if isinstance(setting, Written):
        files[setting.file] = setting.text
    _write({folder / name: text for name, text in files.items()})
    if isinstance(setting, Advice):
        say(f"left {setting.file} as it is; to keep cassettes of your own, add to its settings of pytest:")
        say(f"  {setting.line}")
    if root := _repository_around(folder):
        say(f"GitHub reads only the workflows of {root}: move {WORKFLOW} there, and let its steps run here.")
    say(f"\nNow run: python -m pytest {TEST}")
    if not command:
        say(f"Then put your client's command into {TEST}, and remove {EXAMPLE}.")
    return Exit.FINE


def _write(files: Mapping[Path, str]) -> None:
    new = [path for path in files if not path.exists()]
    try:
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(path, text.encode())
    except OSError:
        for path in new:
            path.unlink(missing_ok=True)
        raise
    for path in files:
        say(f"wrote {path}")


def contents(protocol: str, command: Sequence[str]) -> dict[str, str]:
    """The new files, by their names in the repository."""
    starter = STARTERS[protocol]
    values = {
        "client": _list(list(command)) if command else f'[sys.executable, "{EXAMPLE}/{starter.client[0]}"]',
        "import_sys": "" if command else "import sys\n",
        "about": "" if command else _ABOUT_EXAMPLE,
        "cassettes": _list(starter.cassettes),
        "play": starter.play,
        "version": __version__,
    }
    files = {
        TEST: _fill("test_wiretape.py.template", values),
        WORKFLOW: _fill("wiretape.yml.template", values),
    }
    if not command:
        example = _examples()
        files |= {f"{EXAMPLE}/{name}": (example / name).read_text("utf-8") for name in starter.client}
    return files


_ABOUT_EXAMPLE: Final = f'''"""The client's command. Put yours here, and remove {EXAMPLE}."""
'''


def _list(items: Sequence[str]) -> str:
    """A Python list of strings, in the double quotes that formatters like."""
    return "[" + ", ".join(_quoted(item) for item in items) + "]"


def _quoted(text: str) -> str:
    plain = text.isprintable() and '"' not in text and "\\" not in text
    return f'"{text}"' if plain else repr(text)


def _fill(template: str, values: Mapping[str, str]) -> str:
    return Template((_TEMPLATES / template).read_text("utf-8")).substitute(values)


def _examples() -> Path:
    """Where the example clients are: package data when installed, the checkout's own in development."""
    packaged = Path(__file__).with_name("clients")
    return packaged if packaged.is_dir() else Path(__file__).parents[2] / "tests" / "examples" / "clients"


def _refuse_existing(folder: Path, files: Mapping[str, str]) -> None:
    existing = [str(folder / name) for name in files if os.path.lexists(folder / name)]
    parts = {folder / part for name in files for part in PurePath(name).parents}
    existing += sorted(str(part) for part in parts if os.path.lexists(part) and not part.is_dir())
    if existing:
        raise SetupError(
            f"expected none of the files that init writes, found {', '.join(existing)}. Nothing was written. "
            "Move them away, or go on with them: init is needed once."
        )


@dataclass(frozen=True, slots=True)
class Written:
    """A file of settings that init writes, and all of its text."""

    file: str
    text: str


@dataclass(frozen=True, slots=True)
class Advice:
    """A file of settings that the user has, and the line for it."""

    file: str
    line: str


def _setting(folder: Path) -> Written | Advice:
    """Where pytest's settings belong. A file that pytest reads is the user's, and a second would hide it."""
    if advice := _advice(folder):
        return advice
    for parent in folder.resolve().parents:
        if advice := _advice(parent, folder.resolve().relative_to(parent).as_posix() + "/"):
            return Advice(str(parent / advice.file), advice.line)
    project = folder / "pyproject.toml"
    if not project.exists():
        return Written("pytest.ini", f"[pytest]\n{_INI}{CASSETTES}\n")
    text = _appended(project)
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:  # its tool is no table that can grow
        return Advice(project.name, f'{_INI}"{CASSETTES}"')
    return Written(project.name, text)


def _advice(folder: Path, inside: str = "") -> Advice | None:
    """What to add to the settings of pytest that a folder has. ``inside``: from there to the repository."""
    in_toml, in_ini = f'{_INI}"{inside}{CASSETTES}"', f"{_INI}{inside}{CASSETTES}"
    for name in ("pytest.toml", ".pytest.toml"):
        if (folder / name).exists():
            return Advice(name, in_toml)
    for name in ("pytest.ini", ".pytest.ini"):
        if (folder / name).exists():
            return Advice(name, in_ini)
    if "pytest" in _tools(folder / "pyproject.toml"):
        return Advice("pyproject.toml", in_toml)
    for name, section in (("tox.ini", "pytest"), ("setup.cfg", "tool:pytest")):
        if _has_section(folder / name, section):
            return Advice(name, in_ini)
    return None


def _tools(project: Path) -> Mapping[str, object]:
    """The tables below ``tool`` in a pyproject.toml. Raises SetupError."""
    if not project.exists():
        return {}
    try:
        tool = tomllib.loads(project.read_text("utf-8")).get("tool", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SetupError(f"{project} can't be read: {error}. Repair it, then run init again.") from None
    return tool if isinstance(tool, dict) else {}


def _appended(project: Path) -> str:
    """A pyproject.toml with a section for pytest. A table can stand at the end of any TOML file."""
    text = project.read_bytes().decode()
    end = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text.strip() else end if text.endswith("\n") else end + end
    return f'{text}{gap}[tool.pytest.ini_options]{end}{_INI}"{CASSETTES}"{end}'


def _has_section(file: Path, section: str) -> bool:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read(file, encoding="utf-8")
    except (configparser.Error, UnicodeDecodeError) as error:
        raise SetupError(f"{file} can't be read: {error}. Repair it, then run init again.") from None
    return parser.has_section(section)


def _repository_around(folder: Path) -> Path | None:
    """The root of the Git repository that a folder is only a part of."""
    folder = folder.resolve()
    tops = (each for each in (folder, *folder.parents) if (each / ".git").exists())
    top = next(tops, folder)
    return None if top == folder else top
