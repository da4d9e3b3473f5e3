"""``fuzz decoder``: attack a decoder, keep what is found, and report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from wiretape import strictjson
from wiretape.fuzzing import Contract, CrashedError, Decoder, Difference, Find, RefusedError, difference
from wiretape_cli import fuzzing
from wiretape_cli.corpus import Corpus, stream_in
from wiretape_cli.decoders import EMPTY, OneShot, Served, argv, from_python
from wiretape_cli.errors import SetupError
from wiretape_cli.exits import Exit
from wiretape_cli.screen import end_of, quoted, say


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The decoder under attack: exactly one of ``command`` and ``python``."""

    command: str | None
    python: str | None
    one_shot: bool
    limit: float

    @contextmanager
    def opened(self) -> Iterator[Decoder]:
        """The decoder, when it answers at all. Raises SetupError."""
        if self.python is not None:
            yield from_python(self.python)
            return
        decoder = (OneShot if self.one_shot else Served)(argv(self.command or ""), self.limit)
        try:
            decoder(EMPTY)
        except RefusedError:
            pass  # it speaks
        except CrashedError as crashed:
            decoder.close()
            how = (
                f"{self.command}: {crashed}. It was asked to decode a stream without messages; see wiretape "
                "fuzz decoder --help for how it is asked, and --one-shot for a command that ends each time"
            )
            written = end_of("decoder", "stderr", crashed.stderr)
            raise SetupError("\n".join(filter(None, (how, written)))) from None
        try:
            yield decoder
        finally:
            decoder.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Finds:
    """Streams that are read wrongly."""

    contract: Contract
    corpus: Corpus

    def name(self, _found: Difference) -> str:
        return ""

    def keep(self, kind: str, about: str, found: Difference) -> fuzzing.Kept:
        files = self.corpus.keep(Find(kind=kind, about=about, contract=self.contract, difference=found))
        _say_difference(about, found, files)
        return fuzzing.Kept(files=files)


def run(target: Target, contract: Contract, attack: fuzzing.Attack[bytes], *, as_json: bool) -> Exit:
    """Attack, report on the way and at the end. Raises SetupError."""
    finds = _Finds(contract=contract, corpus=attack.corpus)
    with target.opened() as decoder:
        return fuzzing.run(attack, lambda data: difference(decoder, data, contract), finds, as_json=as_json)


def replay(target: Target, contract: Contract, files: Sequence[Path]) -> Exit:
    """Try saved finds again. Raises SetupError."""
    wrong = 0
    with target.opened() as decoder:
        for file in files:
            found = difference(decoder, stream_in(file), contract)
            wrong += found is not None
            say(f"{'FAIL' if found else 'ok  '}  {file}")
            if found:
                _say_difference("", found, ())
    return Exit.VIOLATIONS if wrong else Exit.FINE


def _say_difference(about: str, found: Difference, files: Sequence[Path]) -> None:
    say(f"\nFAIL  {about}" if about else "")
    say(quoted(found.data.decode(errors="replace").replace("\r", "\\r")))
    say(f"  want  {strictjson.dumps(found.want)}")
    say(f"  got   {found.refusal or shown(found.got)}")
    if written := end_of("decoder", "stderr", found.stderr):
        say(written)
    for file in files:
        say(f"  file  {file}")


def shown(value: object) -> str:
    """What a decoder gave, as JSON where it is any."""
    try:
        return strictjson.dumps(value)
    except (TypeError, ValueError):
        return repr(value)
