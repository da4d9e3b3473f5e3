"""``wiretape record`` says what it can't do, before or after, and overwrites nothing."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from wiretape_cli.main import main


def record(out: Path, *options: str, upstream: str = "http://127.0.0.1:9") -> int:
    return main(["record", "flow-a", "--upstream", upstream, "--out", str(out), *options])


def test_a_file_that_exists_is_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "my.yaml"
    out.write_text("mine")
    assert record(out) == 2
    assert f"{out} exists. Choose another --out" in capsys.readouterr().err
    assert [each.read_text() for each in tmp_path.iterdir()] == ["mine"]


def test_the_rest_of_another_recording_is_not_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "my.yaml.partial").write_text("theirs")
    assert record(tmp_path / "my.yaml") == 2
    assert "wiretape record --recover" in capsys.readouterr().err
    assert [each.read_text() for each in tmp_path.iterdir()] == ["theirs"]


def test_a_port_that_is_taken_is_said_and_leaves_no_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert record(tmp_path / "my.yaml", "--port", str(taken.getsockname()[1])) == 2
    assert "Choose another port" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--upstream", "backend"), "expected an upstream such as https://host"),
        (
            ("--upstream", "https://x", "--ca", "no-such-file"),
            "no-such-file: expected a file of certificates",
        ),
    ],
)
def test_an_option_that_can_not_be_is_said(
    options: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["record", "flow-a", "--out", str(tmp_path / "my.yaml"), *options]) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_folder_that_can_not_be_written_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert record(tmp_path / "file" / "my.yaml") == 2
    assert "can't be written" in capsys.readouterr().err


@pytest.mark.parametrize("behind", [[], ["flow-a", "--upstream", "http://127.0.0.1:9", "--out", "b.yaml"]])
def test_a_file_alone_is_nothing_to_record(
    behind: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["record", "--out", "a.yaml", *behind]) == 2
    assert "--out: give it behind flow-a or codex" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_recover_needs_to_know_where_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.partial").write_text("")
    assert main(["record", "--recover", str(tmp_path / "x.partial")]) == 2
    assert "--recover FILE.partial needs --out FILE" in capsys.readouterr().err
