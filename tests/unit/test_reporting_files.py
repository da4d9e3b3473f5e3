"""Which reports can be asked for, and how they are written: as a whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tests.unit.reported import fine_document, hostile_document
from wiretape.reporting.faces import FACES
from wiretape.reporting.files import KINDS, Target, TargetError, replace_file, write


def test_the_kinds_of_reports_are_those_that_have_a_face() -> None:
    assert set(KINDS) == set(FACES)


@pytest.mark.parametrize(
    "text", ["json", "json:", "pdf:x", "github:no/such/r", ":x", "", "html:.", "json:no/x"]
)
def test_a_report_that_can_not_be_written_is_refused(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TargetError):
        Target.parse(text)


def test_a_report_is_a_kind_and_a_file(tmp_path: Path) -> None:
    assert Target.parse("github") == Target("github", None)
    assert Target.parse("badge:a:b.json", tmp_path) == Target("badge", tmp_path / "a:b.json")


def test_every_report_that_is_asked_for_is_written_and_nothing_else(tmp_path: Path) -> None:
    said: list[str] = []
    targets = [*(Target(kind, tmp_path / kind) for kind in KINDS), Target("github", None)]
    write(targets, [hostile_document()], said.append)
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted(KINDS)
    assert said == [(tmp_path / "github").read_text("utf-8").rstrip("\n")]


def test_where_there_is_nothing_to_annotate_nothing_is_said() -> None:
    said: list[str] = []
    write([Target("github", None)], [fine_document()], said.append)
    assert said == []


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    file = tmp_path / "report"
    file.write_text("old")
    before = file.stat().st_ino
    replace_file(file, b"new")
    assert file.read_bytes() == b"new"
    assert file.stat().st_ino != before
    assert [each.name for each in tmp_path.iterdir()] == ["report"]


def test_a_file_that_can_not_be_replaced_is_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "report"
    file.write_text("old")
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        replace_file(file, b"new")
    assert file.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["report"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs links and pipes")
def test_a_link_stays_a_link_and_a_device_a_device(tmp_path: Path) -> None:
    link, file = tmp_path / "link", tmp_path / "file"
    file.write_text("old")
    link.symlink_to(file)
    replace_file(link, b"new")
    assert link.is_symlink()
    assert file.read_bytes() == b"new"
    replace_file(Path(os.devnull), b"x")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_a_report_may_have_as_long_a_name_as_any_file(tmp_path: Path) -> None:
    file = tmp_path / ("a" * 255)
    replace_file(file, b"x")
    assert file.read_bytes() == b"x"


def test_a_report_that_can_not_be_written_is_named_itself(tmp_path: Path) -> None:
    file = tmp_path / "gone" / "r.html"
    with pytest.raises(OSError, match=r"gone/r\.html"):
        replace_file(file, b"x")
