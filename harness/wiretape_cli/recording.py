"""``record``: run a recorder until a signal comes, then save the cassette; or save one that was left."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from wiretape import strictjson
from wiretape.cassette import Cassette, CassetteError
from wiretape.redaction import DEFAULT, Redactor, RulesError, SaveRefused, load_rules
from wiretape_cli.errors import SetupError
from wiretape_cli.exits import Exit
from wiretape_cli.recording_screen import watch
from wiretape_cli.screen import put, say
from wiretape_cli.serving import ended_by_signal, started
from wiretape_server.head import content_type
from wiretape_server.recording import beginning
from wiretape_server.recording.finishing import finish, partial_of
from wiretape_server.recording.server import RecorderThread
from wiretape_server.recording.session import Recording
from wiretape_server.recording.upstream import Upstream, parse, trust
from wiretape_server.script import build, is_conversation, is_event_stream


def record_flow_a(upstream: str, out: Path, *, port: int, ca: Path | None, redact: Path | None) -> Exit:
    """Record until a signal. Raises SetupError, OptionError, CassetteError."""
    refuse_existing(out)
    backend = Upstream(parse(upstream), trust(ca))
    redactor = redactor_of(redact)
    recording = begin(out, redactor, basis=f"a reverse proxy before {backend.address.authority}")
    ended = ended_by_signal()
    try:
        with started(RecorderThread(backend, recording, port=port)) as recorder:
            put(strictjson.dumps({"base_url": recorder.base_url, "pid": os.getpid()}))
            watch(recording, ended)
    except SetupError:
        recording.discard()
        raise
    recording.close()
    return conclude(recording, out)


def redactor_of(redact: Path | None) -> Redactor:
    """A redactor with the rules of a file beside its own. Raises SetupError."""
    try:
        return Redactor(load_rules(redact) if redact else DEFAULT)
    except RulesError as error:
        raise SetupError(str(error)) from None


def refuse_existing(out: Path) -> None:
    """Raise SetupError where a recording would overwrite a cassette or the rest of another recording."""
    if out.exists():
        raise SetupError(f"{out} exists. Choose another --out, or move it away.")
    refuse_partial(out)


def refuse_partial(out: Path) -> None:
    """Raise SetupError where the rest of another recording is."""
    partial = partial_of(out)
    if partial.exists():
        raise SetupError(
            f"{partial} exists: another recording is writing it, or one was killed. "
            f"Save that one with: wiretape record --recover {partial} --out FILE; or remove it."
        )


def begin(
    out: Path, redactor: Redactor, *, basis: str, protocol: Literal["flow_a", "codex"] = "flow_a"
) -> Recording:
    """Open the sidecar of a cassette's file. Raises SetupError."""
    try:
        return beginning.begin(out, redactor, basis=basis, protocol=protocol)
    except OSError as error:
        raise SetupError(f"{partial_of(out)} can't be written: {error.strerror or error}") from None


def conclude(recording: Recording, out: Path, *, behind: Cassette | None = None) -> Exit:
    """Save a recording that was closed. Raises SetupError when it broke off, and what ``save`` raises."""
    if recording.failure:
        raise SetupError(
            f"the recording broke off: {recording.failure}. The client's traffic went on. "
            f"What was written is kept: wiretape record --recover {recording.partial} --out FILE"
        )
    return save(recording.partial, out, recording.redactor, behind=behind)


def save(
    partial: Path, out: Path, redactor: Redactor | None = None, *, behind: Cassette | None = None
) -> Exit:
    """Make the cassette of a sidecar, which goes away then. Raises CassetteError.

    ``behind``: the cassette at ``out``, of the session so far.
    """
    try:
        cassette = finish(partial, out, redactor or Redactor(), behind=behind, overwrite=behind is not None)
    except SaveRefused as refused:
        say(f"Error: {out} was not saved, {partial} is kept: {refused}")
        return Exit.LINT
    except CassetteError as error:
        kept = f"\n{partial} is kept" if partial.exists() else ""
        raise SetupError(f"{error}{kept}") from None
    what, parts = ("message", cassette.frames) if cassette.frames else ("interaction", cassette.interactions)
    say(f"saved {out}: {len(parts)} {what}{'s' if len(parts) != 1 else ''}")
    for note in (*_no_streams(cassette), *cassette.provenance.gaps):
        say(f"  note: {note}")
    return _playable(cassette, out)


def _no_streams(cassette: Cassette) -> Iterator[str]:
    """Conversation requests that got something else for their answer: it plays as it came."""
    for number, interaction in enumerate(cassette.interactions, 1):
        response = interaction.response
        if is_conversation(interaction) and not is_event_stream(response.status, response.headers):
            kind = content_type(response.headers)
            yield f"interaction {number}: answered with {response.status} {kind}, which is no event stream"


def _playable(cassette: Cassette, out: Path) -> Exit:
    if cassette.protocol == "codex":
        return Exit.FINE
    try:
        build(cassette)
    except CassetteError as error:
        say(f"  {out} holds what was recorded, but can't be played: {error}")
        return Exit.LINT
    return Exit.FINE
