"""What is built is whole, and an installed wheel works in a stranger's folder."""

from __future__ import annotations

import re
import shutil
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from tests.reader import printed_by

ROOT = Path(__file__).parents[2]
CLIENTS = ROOT / "tests" / "examples" / "clients"
IMPORT_PACKAGES = ("wiretape", "wiretape_server", "pytest_wiretape", "wiretape_cli")
README_TEST = re.compile(r"```python\n(# test_my_client\.py\n.*?)```", re.DOTALL)


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A source distribution of the checkout, and the wheel that is built from it."""
    folder = tmp_path_factory.mktemp("dist")
    printed_by([sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT], folder)
    return folder


@pytest.fixture(scope="module")
def in_wheel(dist: Path) -> set[str]:
    with zipfile.ZipFile(next(dist.glob("*.whl"))) as archive:
        return set(archive.namelist())


def below(folder: str, pattern: str) -> set[str]:
    return {path.relative_to(ROOT / folder).as_posix() for path in (ROOT / folder).rglob(pattern)}


def test_the_wheel_holds_every_module_and_says_that_it_is_typed(in_wheel: set[str]) -> None:
    assert below("harness", "*.py") | below("mock_server", "*.py") <= in_wheel
    assert {f"{package}/py.typed" for package in IMPORT_PACKAGES} <= in_wheel


def test_the_wheel_holds_cassettes_and_schemas(in_wheel: set[str]) -> None:
    cassettes = {f"wiretape/cassettes/{name}" for name in below("cassettes", "*.yaml")}
    assert cassettes
    assert cassettes <= in_wheel
    assert below("harness", "*.schema.json") <= in_wheel


def test_the_wheel_holds_what_pages_are_made_from(in_wheel: set[str]) -> None:
    pages = below("harness", "*.jinja") | below("harness", "*.css")
    assert pages
    assert pages <= in_wheel


def test_the_wheel_holds_the_inspectors_pages_scripts_and_styles(in_wheel: set[str]) -> None:
    names = {f"*.{ending}" for ending in ("html", "js", "css", "svg")}
    shown = {name for pattern in names for name in below("mock_server/wiretape_server/inspector", pattern)}
    assert {"templates/timeline.html", "static/timeline.js", "static/inspector.css"} <= shown
    assert {f"wiretape_server/inspector/{name}" for name in shown} <= in_wheel


def test_the_wheel_holds_nothing_else(in_wheel: set[str]) -> None:
    tops = {name.partition("/")[0] for name in in_wheel}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(IMPORT_PACKAGES)
    assert not [name for name in in_wheel if "__pycache__" in name]


def test_the_source_distribution_can_be_built_and_tested_from(dist: Path) -> None:
    with tarfile.open(next(dist.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = ["pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "Makefile", "docs/rules.md"]
    wanted += ["tests/unit/test_packaging.py", "harness/wiretape/py.typed"]
    assert set(wanted) <= names
    assert {f"cassettes/{name}" for name in below("cassettes", "*.yaml")} <= names


@pytest.fixture(scope="module")
def python(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter of its own that has the wheel installed; its dependencies it borrows from this one."""
    home = tmp_path_factory.mktemp("venv")
    builder = venv.EnvBuilder()
    builder.create(home)
    context = builder.ensure_directories(home)
    wheel = next(dist.glob("*.whl"))
    pip = [sys.executable, "-m", "pip", "--python", context.env_exe, "install", "--quiet"]
    printed_by([*pip, "--no-deps", "--no-index", wheel], home)
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(home)}))
    assert (site / "wiretape" / "py.typed").exists()
    # .pth files in a folder that came by a .pth file are not read: the editable install stays out.
    site.joinpath("borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return Path(context.env_exe)


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    """A stranger's folder, with packages of their own that bear the names of our source roots."""
    for name in ("harness", "mock_server", "cassettes"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("OWNER = 'the stranger'\n", encoding="utf-8")
    for client in CLIENTS.glob("*.py"):
        shutil.copy(client, tmp_path)
    readme = (ROOT / "README.md").read_text("utf-8")
    example = README_TEST.search(readme)
    assert example, "README.md shows no test_my_client.py"
    (tmp_path / "test_my_client.py").write_text(example[1], encoding="utf-8")
    (tmp_path / "test_own_folders.py").write_text(
        "import cassettes, harness, mock_server, wiretape\n\n"
        "def test_every_name_means_its_own():\n"
        "    assert {cassettes.OWNER, harness.OWNER, mock_server.OWNER} == {'the stranger'}\n"
        "    assert 'borrowed' not in wiretape.__file__ and 'site-packages' in wiretape.__file__\n",
        encoding="utf-8",
    )
    return tmp_path


def test_the_readmes_test_passes_in_a_strangers_folder(python: Path, scratch: Path) -> None:
    printed = printed_by(
        [python, "-m", "pytest", "-W", "error", "-p", "no:cacheprovider", "-p", "no:asyncio"], scratch
    )
    assert re.search(r"\b[2-9] passed", printed), printed


def test_an_installed_wheel_finds_its_bundled_cassettes(python: Path, scratch: Path) -> None:
    printed = printed_by([python, "-c", "from wiretape.cassette import bundled; print(*bundled())"], scratch)
    assert {name.removesuffix(".yaml") for name in below("cassettes/flow_a", "*.yaml")} <= {
        name.removeprefix("flow_a/") for name in printed.split()
    }


def test_the_command_runs_from_an_installed_wheel(python: Path, scratch: Path) -> None:
    command = python.with_name("wiretape.exe" if sys.platform == "win32" else "wiretape")
    assert printed_by([command, "--version"], scratch).startswith("wiretape")


def test_a_repository_that_init_made_passes_with_an_installed_wheel(python: Path, tmp_path: Path) -> None:
    printed_by([python, "-m", "wiretape_cli", "init"], tmp_path)
    printed = printed_by([python, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:asyncio"], tmp_path)
    assert "3 passed" in printed
