"""Record modes: a test's own cassette is played, or made by letting the test's client talk to a real backend.

An *episode* is one play of a test's own cassette; its second one has a file of its own beside the first.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from pytest_wiretape.settings import cassette_directory, refuse, resolve
from wiretape.cassette import Cassette, CassetteError, Provenance, load_cassette
from wiretape.redaction import DEFAULT, RedactionRules, Redactor, RulesError, load_rules
from wiretape.report import printable, shown
from wiretape.transcript import Transcript
from wiretape.verdict import transcript_of
from wiretape_server.options import OptionError
from wiretape_server.playback import Playback
from wiretape_server.recording.beginning import begin
from wiretape_server.recording.finishing import finish, partial_of
from wiretape_server.recording.recovery import EmptyRecordingError, recover
from wiretape_server.recording.server import RecorderThread
from wiretape_server.recording.session import Recording
from wiretape_server.recording.upstream import Address, Upstream, parse, trust

if TYPE_CHECKING:
    from wiretape.drift import Drift

MODES: Final = ("none", "once", "new_episodes", "all", "rewrite")
RECORDED: Final = "wiretape.recorded"
"""The user property that says what was recorded."""
_NOT_IN_A_FILE_NAME: Final = re.compile(r'[\x00-\x1f<>:"/\\|?*]+')


def own_cassette(item: pytest.Item, episode: int) -> Path:
    """Where a test's own cassette is: ``cassettes/<module>/<test>.yaml``; of its second play ``…-2.yaml``."""
    folder = cassette_directory(item.config) or item.config.rootpath / "cassettes"
    test = ".".join(item.nodeid.split("::")[1:])
    name = _NOT_IN_A_FILE_NAME.sub("-", test) + (f"-{episode}" if episode > 1 else "")
    return folder / item.path.stem / f"{name}.yaml"


def is_recorded(item: pytest.Item, episode: int) -> bool:
    """Whether this play of the test's own cassette is to be recorded now."""
    mode = record_mode(item.config)
    there = own_cassette(item, episode).exists()
    if mode == "once":
        return not there and not any(own_cassette(item, each).exists() for each in range(1, episode))
    return mode in ("all", "rewrite") or (mode == "new_episodes" and not there)


def record_mode(config: pytest.Config) -> str:
    """The mode. One that does not exist fails the test."""
    mode = str(resolve(config, "record") or "none")
    if mode not in MODES:
        refuse(f"record is {mode!r}; give {', '.join(MODES)}")
    return mode


def missing(path: Path, config: pytest.Config) -> str:
    """What to do about a test's own cassette that is not there."""
    mode = record_mode(config)
    why = f" (mode {mode}: another cassette of this test is there)" if mode == "once" else ""
    return (
        f"{path} does not exist{why}. Record it: pytest --wiretape-record=new_episodes "
        "--wiretape-upstream=URL"
    )


class RecordingPlayback(Playback):
    """A session that is being recorded, in the place of one that is played.

    What the client's user says and which tools it declares comes from the cassette that is there already; for
    a new one the test has to know.
    """

    def __init__(self, item: pytest.Item, path: Path) -> None:
        self._path = path
        self._item = item
        self._known = _known(path)
        self._told = self._known.expect
        self._redactor = Redactor(_rules(item.config))
        upstream = Upstream(_address(item.config), trust(None))
        self._recording = _begin(path, self._redactor, upstream)
        self._recorder = RecorderThread(upstream, self._recording).start()
        self.base_url = self._recorder.base_url

    @property
    def cassette(self) -> Cassette:
        return self._known

    def transcript(self) -> Transcript:
        """What was recorded so far, without secrets."""
        try:
            return transcript_of(replace(self._made(), name=self._known.name))
        except EmptyRecordingError as empty:
            return Transcript(protocol="flow_a", name=self._known.name, errors=(str(empty),))

    def wait_idle(self, timeout: float) -> bool:
        """Wait until every answer has ended; whether they did in ``timeout`` seconds."""
        return self._recorder.wait_idle(timeout)

    def save(self) -> None:
        """Make the cassette. What was there is replaced, once the difference was noted."""
        self._end()
        if self._recording.failure:
            refuse(f"the recording broke off: {self._recording.failure}")
        there = self._path.exists()
        try:
            if there:
                self._note(f"{self._path} is replaced: {difference(self._known, self._made())}")
            finish(self._recording.partial, self._path, self._redactor, overwrite=there)
        except CassetteError as error:
            refuse(str(error))
        if not there:
            self._note(f"{self._path} is new")

    def close(self) -> None:
        """End the recording; what was not saved is thrown away."""
        self._end()
        self._recording.discard()

    def _end(self) -> None:
        self._recorder.stop()
        self._recording.close()

    def _made(self) -> Cassette:
        return self._redactor.cassette(recover(self._recording.partial))

    def _note(self, text: str) -> None:
        """Put it where the summary finds it, also from another process."""
        self._item.user_properties.append((RECORDED, text))


def _known(path: Path) -> Cassette:
    """The cassette that is to be replaced; one that says nothing where there is none."""
    if not path.exists():
        provenance = Provenance(kind="recorded")
        return Cassette(protocol="flow_a", provenance=provenance, name=str(path), source=str(path))
    try:
        known = load_cassette(path)
    except CassetteError as error:
        refuse(f"{error}\nmend it, or remove it to record it anew")
    if known.protocol != "flow_a":
        refuse(f"{path} holds {known.protocol}, and tests record flow_a: remove it, or rename the test")
    return known


def _address(config: pytest.Config) -> Address:
    url = resolve(config, "upstream")
    if not url:
        refuse("recording needs the address of a real backend: --wiretape-upstream=URL")
    try:
        return parse(str(url))
    except OptionError as error:
        refuse(str(error))


def _rules(config: pytest.Config) -> RedactionRules:
    file = resolve(config, "redact")
    try:
        return load_rules(config.rootpath / str(file)) if file else DEFAULT
    except RulesError as error:
        refuse(str(error))


def _begin(path: Path, redactor: Redactor, upstream: Upstream) -> Recording:
    basis = f"a reverse proxy before {upstream.address.authority}, under pytest"
    try:
        return begin(path, redactor, basis=basis)
    except FileExistsError:
        refuse(
            f"{partial_of(path)} exists: another process is recording this test, or one was killed. "
            f"Save what is in it with: wiretape record --recover {partial_of(path)} --out FILE; or remove it"
        )
    except OSError as error:
        refuse(f"{partial_of(path)} can't be written: {error.strerror or error}")


def difference(before: Cassette, after: Cassette) -> str:
    """What is not the same in two recordings but ids, tokens and times."""
    from wiretape.drift import compare

    drifts = compare(transcript_of(before), transcript_of(after))
    return "\n".join(["", *map(_line, drifts)]) if drifts else "nothing is different but ids and times"


def _line(drift: Drift) -> str:
    values = f": {shown(drift.was)} → {shown(drift.now)}" if drift.kind == "changed" else ""
    return printable(f"  {drift.kind} {drift.what}: {drift.message} {drift.path}{values}")
