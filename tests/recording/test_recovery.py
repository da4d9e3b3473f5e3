"""``record --recover``: what can be made of a sidecar, and when it is refused."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

import pytest

from tests.recording.codex_stage import session
from tests.recording.stage import answer, recorder, sends, upstream
from tests.recording.test_cli_record import command, until
from tests.recording.test_passing_on import HEADERS, STREAM
from tests.server.making import PATH, user_turn
from tests.server.wire import Wire
from wiretape import load_cassette
from wiretape.cassette import CassetteError
from wiretape.redaction import Redactor
from wiretape_cli.main import main
from wiretape_server.recording.finishing import finish
from wiretape_server.recording.growth import Growth
from wiretape_server.recording.locking import lock

HALF = json.dumps(user_turn()).replace('"Hi"', '"Hi \\ud83d there"').encode()


@pytest.mark.skipif(sys.platform == "win32", reason="signals to another process")
def test_a_recording_that_goes_on_is_not_recovered_and_one_that_was_killed_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, partial = tmp_path / "my.yaml", tmp_path / "my.yaml.partial"
    with upstream(sends(answer(STREAM))) as backend, command(backend.base_url, out) as live:
        live.converse()
        assert until(lambda: b'"how":"complete"' in partial.read_bytes())
        recovered = ["record", "--recover", str(partial), "--out", str(tmp_path / "other.yaml")]
        assert main(recovered) == 2
        said = capsys.readouterr().err
        assert f"{partial} is still being written: the recording goes on. End it" in said
        assert partial.exists()
        live.end(signal.SIGKILL)
        assert main(recovered) == 0
    assert len(load_cassette(tmp_path / "other.yaml").interactions) == 1


def test_a_file_that_is_locked_is_so_until_it_is_closed(tmp_path: Path) -> None:
    with (tmp_path / "x").open("w+b") as first, (tmp_path / "x").open("r+b") as second:
        assert lock(first)
        assert not lock(second)
        first.close()
        assert lock(second)


def test_halves_of_characters_are_saved_and_named(tmp_path: Path) -> None:
    with upstream(sends(answer(STREAM))) as backend, recorder(backend.base_url, tmp_path) as stage:
        with Wire(stage.base_url) as wire:
            wire.ask("POST", PATH, HALF, **HEADERS).body()
        cassette = stage.finish()
    assert cassette.title == "Recorded: Hi \ufffd there"
    assert cassette.interactions[0].request.body == HALF
    assert "stand as U+FFFD" in cassette.provenance.gaps[-1]
    assert not stage.recording.partial.exists()


def test_a_codex_session_with_halves_of_characters_is_saved(tmp_path: Path) -> None:
    said = [
        b'{"id":1,"method":"thread/start","params":{"dynamicTools":[{"name":"a","description":"\\udc00"}]}}',
        b'{"id":2,"method":"turn/start","params":{"threadId":"t","input":[{"type":"text","text":"\\ud83d!"}]}}',
    ]
    recording = session(tmp_path / "my.yaml")
    recording.messages("client", said, "", recording.stamp())
    recording.close()
    finish(recording.recording.partial, tmp_path / "my.yaml", recording.recording.redactor)
    assert [frame.data for frame in load_cassette(tmp_path / "my.yaml").frames] == said


def test_a_record_that_holds_more_than_came_is_none(tmp_path: Path) -> None:
    partial = tmp_path / "my.yaml.partial"
    head = {"recording": 1, "protocol": "codex", "captured_at": "x", "basis": "x"}
    message = {"entry": "message", "by": "client", "connection": "", "order": 0, "at": 0, "length": 2}
    records = [head, message | {"body": "data: {}\n\n", "held": "data: {}\n\n"}]
    partial.write_text("".join(json.dumps(each) + "\n" for each in records))
    with pytest.raises(CassetteError, match="10 bytes are held, more than came"):
        finish(partial, tmp_path / "my.yaml", Redactor())


def test_what_is_final_takes_the_place_of_what_was_there_for_now() -> None:
    growth = Growth()
    growth.add({"body": "ab", "held": "~~~"}, 5)
    assert growth.data == b"ab~~~"
    growth.add({"body": "c", "held": "~~"}, 2)
    assert growth.data == b"abc~~~~"
    growth.add({"body": "defg"}, 0)
    assert growth.data == b"abcdefg"
