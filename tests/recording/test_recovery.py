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


HEAD = b'{"recording":1,"protocol":"flow_a","captured_at":"2030-01-02T03:04:05Z","basis":"a test"}\n'
ASKED = (
    b'{"entry":"request","number":1,"at":0.1,"method":"POST","path":"/backend-api/f/conversation",'
    b'"headers":[["a","b"]],"body":"{}"}\n'
)
ANSWERED = b'{"entry":"response","number":1,"at":0.2,"status":200,"headers":[]}\n'
CHUNKS = b'{"entry":"chunks","number":1,"cuts":[[0.3,2]],"body":"ab","held":""}\n'
WHOLE = HEAD + ASKED + ANSWERED + CHUNKS


def test_a_recording_that_is_whole_is_recovered(tmp_path: Path) -> None:
    partial, out = tmp_path / "x.partial", tmp_path / "x.yaml"
    partial.write_bytes(WHOLE)
    assert main(["record", "--recover", str(partial), "--out", str(out)]) == 0
    assert load_cassette(out).interactions[0].response.body == b"ab"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "got no whole line. There is nothing to recover"),
        (HEAD[:-9], "got no whole line"),
        (b"[1]\n", "line 1: expected a record, a JSON object, got b'[1]"),
        (b"hello\n", "line 1: expected a record"),
        (b'{"a": 1}\n', "Name the FILE.partial that wiretape record left."),
        (WHOLE.replace(b'"captured_at"', b'"x"'), "line 1: expected the head of a recording"),
        (WHOLE.replace(b"0.1", b'"0.1"'), "line 2: expected a record"),
        (WHOLE.replace(b'"POST"', b"5"), "method: 5"),
        (WHOLE.replace(b'"/backend-api/f/conversation"', b"null"), "path: None"),
        (WHOLE.replace(b'["a","b"]', b'["a",5]'), "headers: [['a', 5]]"),
        (WHOLE.replace(b'"status":200', b'"status":true'), "status: True"),
        (WHOLE.replace(b"[0.3,2]", b"[0.3,-2]"), "line 4: expected a record"),
        (HEAD + b"no\n" + ASKED, "line 2: expected a record"),
        (HEAD + ANSWERED, "is no entry of a recording"),
        (WHOLE + b'{"entry":"other"}\n', "is no entry of a recording"),
        (WHOLE.replace(b'"recording":1', b'"recording":2'), "line 1: expected the head of a recording"),
    ],
)
def test_a_file_that_is_damaged_or_no_recording_is_kept_and_told(
    data: bytes, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    partial = tmp_path / "x.partial"
    partial.write_bytes(data)
    assert main(["record", "--recover", str(partial), "--out", str(tmp_path / "x.yaml")]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert f"{partial} is kept" in told
    assert "a fault of wiretape" not in told
    assert partial.read_bytes() == data
