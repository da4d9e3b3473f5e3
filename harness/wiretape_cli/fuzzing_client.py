"""``fuzz client``: attack a client, keep what is found, and report."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from wiretape.cassette import Cassette, load_cassette
from wiretape.cassette.model import ModelItem, ModelText
from wiretape.fuzzing import CLIENT_KINDS, Examiner, Misdeed, Trial
from wiretape.report import finding_text, printable, shown
from wiretape_cli import fuzzing
from wiretape_cli.corpus import Corpus, plain_of
from wiretape_cli.exits import Exit
from wiretape_cli.fuzzed_clients import Target
from wiretape_cli.screen import end_of, quoted, say


@dataclass(frozen=True, slots=True, kw_only=True)
class _Finds:
    """Sessions in which the client does something wrong."""

    target: Target
    corpus: Corpus

    def name(self, found: Misdeed) -> str:
        return found.rule

    def keep(self, kind: str, about: str, found: Misdeed) -> fuzzing.Kept:
        files = self.corpus.keep_session(kind, found)
        again = _replay(self.target, found, files[0])
        _say_misdeed(about, found)
        for file in files:
            say(f"  file  {file}")
        say(f"  again {again}")
        return fuzzing.Kept(files=files, details={"rule": found.rule, "again": again})


def run(target: Target, protocol: str, attack: fuzzing.Attack[Trial], *, as_json: bool) -> Exit:
    """Attack, report on the way and at the end. Raises SetupError."""
    with target.opened(simplest(protocol)) as player:
        finds = _Finds(target=target, corpus=attack.corpus)
        return fuzzing.run(attack, Examiner(player), finds, as_json=as_json)


def simplest(protocol: str) -> Trial:
    """The session that is asked first: whoever sends nothing there is not set up."""
    from hypothesis import Phase, find, settings

    first = settings(max_examples=1, phases=[Phase.generate], database=None, deadline=None)
    return find(CLIENT_KINDS[protocol][0].examples, lambda _: True, settings=first)


def replay(target: Target, files: Sequence[Path]) -> Exit:
    """Try saved finds again. Raises SetupError and CassetteError."""
    wrong = 0
    trials = [_trial(file) for file in files]
    with target.opened(trials[0]) as player:
        for file, trial in zip(files, trials, strict=True):
            found = Examiner(player)(trial)
            wrong += found is not None
            say(f"{'FAIL' if found else 'ok  '}  {file}")
            if found:
                _say_misdeed("", found)
    return Exit.VIOLATIONS if wrong else Exit.FINE


def _trial(file: Path) -> Trial:
    cassette, plain = load_cassette(file), plain_of(file)
    about = cassette.extensions.get("x-find")
    faults = about.get("faults", ()) if isinstance(about, dict) else ()
    return Trial(
        cassette=cassette,
        plain=load_cassette(plain) if plain.is_file() else None,
        faults=tuple(map(str, faults)),
    )


def _say_misdeed(about: str, found: Misdeed) -> None:
    say(f"\nFAIL  {about}" if about else "")
    for line in _told(found.trial.cassette):
        say(line)
    for fault in found.trial.faults:
        say(f"  fault {fault}")
    for finding in found.findings:
        say(finding_text(finding))
    if found.difference:
        _, path, was, now = found.difference
        say(f"FAIL {found.rule}\n  at    {path}\n  usual {shown(was)}\n  got   {shown(now)}")
    for line in found.unplayed:
        say(f"FAIL {found.rule}\n  {printable(line)}")
    if written := end_of("client", "stderr", found.stderr):
        say(written)


def _told(cassette: Cassette) -> Iterator[str]:
    """What is said in a session: the bytes of its answers, or what the app-server's model does."""
    for number, interaction in enumerate(cassette.interactions, 1):
        yield f"  answer {number}"
        yield quoted(interaction.response.body.decode(errors="replace").replace("\r", "\\r"))
    for number, step in enumerate(cassette.model, 1):
        yield f"  model step {number}"
        yield quoted("\n".join(map(_item, step.items)))
    for deed in cassette.client:
        yield f"  client {deed.do}: {printable(deed.value)}"


def _item(item: ModelItem) -> str:
    if isinstance(item, ModelText):
        return f"says {shown(item.text)}"
    return f"calls {'.'.join(filter(None, (item.namespace, item.tool)))} with {item.arguments}"


def _replay(target: Target, found: Misdeed, file: Path) -> str:
    """The one command that shows the find again: a check, where a check can show it."""
    profile = ["--profile", target.profile] if target.profile else []
    if target.stays or found.difference:
        head = ["fuzz", "client", *(["--persistent"] if target.stays else []), "--replay", str(file)]
    else:
        faults = [part for each in found.trial.faults for part in ("--fault", each)]
        head = ["check", "--cassette", str(file), *faults]
    return shlex.join(["wiretape", *head, *profile, "--", *target.command])
