"""``wiretape init`` in the repositories that people have: the test that it writes passes at once."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from tests.reader import Done, run
from wiretape_cli.main import main
from wiretape_cli.starting import STARTERS, contents

EXAMPLES = Path(__file__).parents[1] / "examples" / "clients"
TEST = "tests/test_wiretape.py"
WORKFLOW = ".github/workflows/wiretape.yml"


def pytest_in(folder: Path, *arguments: str) -> Done:
    """Run pytest as a user would."""
    return run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:asyncio", *arguments], folder
    )


@pytest.mark.parametrize("protocol", STARTERS)
def test_in_an_empty_folder_the_test_passes_at_once(protocol: str, tmp_path: Path) -> None:
    assert main(["init", "--folder", str(tmp_path), "--protocol", protocol]) == 0
    done = pytest_in(tmp_path, TEST)
    assert done.code == 0, done.printed
    assert "3 passed" in done.printed
    assert "configfile: pytest.ini" in done.printed


def test_a_client_that_breaks_a_rule_fails_the_written_test(tmp_path: Path) -> None:
    assert main(["init", "--folder", str(tmp_path)]) == 0
    client = tmp_path / "tests" / "wiretape_client" / "flow_a_client.py"
    right = client.read_text("utf-8")
    wrong = right.replace('"recipient": "all"', '"recipient": name or "all"')
    assert wrong != right
    client.write_text(wrong, encoding="utf-8")
    done = pytest_in(tmp_path, TEST, "-k", "alefita_way")
    assert done.code == 1
    assert "FAIL flow_a.return.recipient-is-all" in done.printed


def test_beside_a_conftest_and_settings_of_its_own_nothing_is_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = {
        "conftest.py": "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef own():\n    yield\n",
        "tests/conftest.py": "OWNER = 'the user'\n",
        "tests/__init__.py": "",
        "tests/test_own.py": "def test_own():\n    assert True\n",
        "pyproject.toml": '[tool.pytest.ini_options]\naddopts = "--strict-markers"\n',
        "harness/__init__.py": "",
    }
    for name, text in own.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert main(["init", "--folder", str(tmp_path)]) == 0
    assert {name: (tmp_path / name).read_text("utf-8") for name in own} == own
    assert not (tmp_path / "pytest.ini").exists()
    assert 'wiretape_cassette_dir = "tests/cassettes"' in capsys.readouterr().err
    done = pytest_in(tmp_path)
    assert done.code == 0, done.printed
    assert "4 passed" in done.printed


@pytest.mark.parametrize("before", ["", "[project]\nname = 'mine'", "[project]\nname = 'mine'\n"])
def test_a_pyproject_without_a_word_of_pytest_gets_a_section(before: str, tmp_path: Path) -> None:
    project = tmp_path / "pyproject.toml"
    project.write_text(before, encoding="utf-8")
    assert main(["init", "--folder", str(tmp_path)]) == 0
    text = project.read_text("utf-8")
    assert text.startswith(before)
    settings = tomllib.loads(text)["tool"]["pytest"]["ini_options"]
    assert settings == {"wiretape_cassette_dir": "tests/cassettes"}
    assert not (tmp_path / "pytest.ini").exists()


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("pytest.ini", "[pytest]\n", "wiretape_cassette_dir = tests/cassettes"),
        (".pytest.ini", "", "wiretape_cassette_dir = tests/cassettes"),
        ("pytest.toml", "[pytest]\n", 'wiretape_cassette_dir = "tests/cassettes"'),
        ("tox.ini", "[pytest]\n", "wiretape_cassette_dir = tests/cassettes"),
        ("setup.cfg", "[tool:pytest]\n", "wiretape_cassette_dir = tests/cassettes"),
    ],
)
def test_settings_that_exist_are_left_and_the_line_is_said(
    name: str, text: str, line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert main(["init", "--folder", str(tmp_path)]) == 0
    assert (tmp_path / name).read_text("utf-8") == text
    said = capsys.readouterr().err
    assert f"left {name} as it is" in said
    assert f"  {line}\n" in said


@pytest.mark.parametrize(("name", "text"), [("tox.ini", "[tox]\n"), ("setup.cfg", "[metadata]\n")])
def test_settings_of_others_are_none_of_pytests(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert main(["init", "--folder", str(tmp_path)]) == 0
    assert (tmp_path / "pytest.ini").read_text("utf-8").startswith("[pytest]\n")


@pytest.mark.parametrize(
    ("name", "text"), [("pyproject.toml", "tool = [\n"), ("tox.ini", "no section\n"), ("setup.cfg", "x\n")]
)
def test_settings_that_cannot_be_read_are_an_error_and_nothing_is_written(
    name: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert main(["init", "--folder", str(tmp_path)]) == 2
    assert f"{name} can't be read" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", [TEST, WORKFLOW])
def test_nothing_is_overwritten_and_then_nothing_is_written(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_text("mine", encoding="utf-8")
    assert main(["init", "--folder", str(tmp_path)]) == 2
    assert str(tmp_path / name) in capsys.readouterr().err
    assert [path.read_text("utf-8") for path in tmp_path.rglob("*") if path.is_file()] == ["mine"]


@pytest.mark.parametrize("blocked", ["tests", ".github", ".github/workflows"])
def test_a_file_in_the_place_of_a_folder_is_refused_and_nothing_is_written(
    blocked: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / blocked).parent.mkdir(exist_ok=True)
    (tmp_path / blocked).touch()
    assert main(["init", "--folder", str(tmp_path)]) == 2
    assert str(tmp_path / blocked) in capsys.readouterr().err
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [tmp_path / blocked]


def test_a_disk_that_is_full_leaves_nothing_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    replace = Path.replace

    def full(draft: Path, file: Path) -> Path:
        if file.name == "pyproject.toml":
            raise OSError(28, "No space left on device")
        return replace(draft, file)

    monkeypatch.setattr(Path, "replace", full)
    assert main(["init", "--folder", str(tmp_path)]) == 2
    assert "pyproject.toml: No space left on device" in capsys.readouterr().err
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [tmp_path / "pyproject.toml"]
    assert (tmp_path / "pyproject.toml").read_text() == "[project]\n"


def test_the_line_ends_of_a_project_stay_as_they_are(tmp_path: Path) -> None:
    before = b'[project]\r\nname = "x"\r\n'
    (tmp_path / "pyproject.toml").write_bytes(before)
    assert main(["init", "--folder", str(tmp_path)]) == 0
    after = (tmp_path / "pyproject.toml").read_bytes()
    assert after.startswith(before)
    assert after.count(b"\n") == after.count(b"\r\n") == 5


@pytest.mark.parametrize("project", ["tool = {black = {line-length = 99}}\n", "tool = 3\n"])
def test_a_project_whose_tools_can_not_grow_is_left_as_it_is(
    project: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pyproject.toml").write_text(project)
    assert main(["init", "--folder", str(tmp_path)]) == 0
    assert (tmp_path / "pyproject.toml").read_text() == project
    assert "left pyproject.toml as it is" in capsys.readouterr().err


def test_the_settings_around_a_part_of_a_repository_are_not_hidden(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    part = tmp_path / "packages" / "client"
    part.mkdir(parents=True)
    (part / "pyproject.toml").write_text("[project]\n")
    assert main(["init", "--folder", str(part)]) == 0
    said = capsys.readouterr().err
    assert f"left {tmp_path / 'pyproject.toml'} as it is" in said
    assert 'wiretape_cassette_dir = "packages/client/tests/cassettes"' in said
    assert f"GitHub reads only the workflows of {tmp_path}" in said
    assert not (part / "pytest.ini").exists()
    assert (part / "pyproject.toml").read_text() == "[project]\n"


def test_a_command_of_ones_own_takes_the_place_of_the_example(tmp_path: Path) -> None:
    command = [sys.executable, str(EXAMPLES / "flow_a_client.py")]
    assert main(["init", "--folder", str(tmp_path), "--", *command]) == 0
    assert not (tmp_path / "tests" / "wiretape_client").exists()
    assert "import sys" not in (tmp_path / TEST).read_text("utf-8")
    done = pytest_in(tmp_path, TEST, "-k", "two_calls")
    assert done.code == 0, done.printed


@pytest.mark.parametrize("odd", ['say "hi"', "back\\slash", "new\nline", "it's", "naïve"])
def test_any_argument_of_a_command_stands_in_the_test_as_it_is(odd: str) -> None:
    text = contents("flow_a", ["client", odd])[TEST]
    line = next(line for line in text.splitlines() if line.startswith("CLIENT = "))
    assert ast.literal_eval(line.removeprefix("CLIENT = ")) == ["client", odd]


@pytest.mark.parametrize("protocol", STARTERS)
@pytest.mark.parametrize("command", [[], ["node", "client.mjs"]])
def test_the_written_test_is_formatted(protocol: str, command: list[str], tmp_path: Path) -> None:
    file = tmp_path / "test_wiretape.py"
    file.write_text(contents(protocol, command)[TEST], encoding="utf-8")
    subprocess.run([sys.executable, "-m", "ruff", "format", "--isolated", "--check", file], check=True)
    subprocess.run([sys.executable, "-m", "ruff", "check", "--isolated", file], check=True)


def test_the_workflow_installs_this_version_and_runs_the_written_test(tmp_path: Path) -> None:
    from wiretape import __version__

    assert main(["init", "--folder", str(tmp_path)]) == 0
    workflow = yaml.safe_load((tmp_path / WORKFLOW).read_text("utf-8"))
    steps = [step["run"] for step in workflow["jobs"]["wiretape"]["steps"] if "run" in step]
    installs, makes_folder, tests = steps
    assert installs == f'python -m pip install "wiretape~={__version__}"'
    assert makes_folder == "mkdir reports"
    (tmp_path / "reports").mkdir()
    program, option, *arguments = tests.split()
    assert (program, option, arguments[0], arguments[1]) == ("python", "-m", "pytest", TEST)
    assert pytest_in(tmp_path, *arguments[1:]).code == 0
    assert "<html" in (tmp_path / "reports" / "wiretape.html").read_text("utf-8")
    assert (tmp_path / "reports" / "tests.xml").exists()
