"""``diff``: say what changed on the wire between two recordings of the same scenario."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wiretape import strictjson
from wiretape.cassette import Cassette
from wiretape.drift import Drift, compare
from wiretape.report import ABSENT_JSON, counted, printable, shown
from wiretape.strictjson import ABSENT
from wiretape.transcript import Transcript
from wiretape.verdict import transcript_of
from wiretape_cli.errors import SetupError
from wiretape_cli.exits import Exit
from wiretape_cli.screen import put
from wiretape_cli.sources import find_session


def run(old: str, new: str, *, shape: bool, as_json: bool) -> Exit:
    """Compare two sessions. Raises SetupError or CassetteError."""
    before, after = (_transcript(find_session(name)) for name in (old, new))
    try:
        drifts = compare(before, after, shape=shape)
    except ValueError as error:
        raise SetupError(f"{old}, {new}: {error}") from None
    put(strictjson.dumps(_machine(old, new, drifts)) if as_json else _text(old, new, drifts))
    return Exit.DRIFT if drifts else Exit.FINE


def _transcript(subject: Cassette | Transcript) -> Transcript:
    return transcript_of(subject) if isinstance(subject, Cassette) else subject


def _text(old: str, new: str, drifts: Sequence[Drift]) -> str:
    count = counted(len(drifts), "difference") if drifts else "no drift"
    return "\n\n".join([printable(f"{old} → {new}: {count}"), *map(_drift, drifts)])


def _drift(drift: Drift) -> str:
    """One difference: what it is and of which message, then where, and both values."""
    often = f" ({drift.count} times)" if drift.count > 1 else ""
    rows = (
        ("at", " → ".join(part for part in (drift.old_at, drift.new_at) if part)),
        ("path", drift.path),
        ("was", "" if drift.was is ABSENT else shown(drift.was)),
        ("now", "" if drift.now is ABSENT else shown(drift.now)),
    )
    head = printable(f"{drift.kind.upper()} {drift.what}: {drift.message}{often}")
    return "\n".join([head, *(f"  {label:<5} {printable(text)}" for label, text in rows if text)])


def _machine(old: str, new: str, drifts: Sequence[Drift]) -> dict[str, Any]:
    return {"ok": not drifts, "old": old, "new": new, "drifts": [_drift_json(each) for each in drifts]}


def _drift_json(drift: Drift) -> dict[str, Any]:
    return {
        "kind": drift.kind,
        "what": drift.what,
        "message": drift.message,
        "path": drift.path,
        "was": ABSENT_JSON if drift.was is ABSENT else drift.was,
        "now": ABSENT_JSON if drift.now is ABSENT else drift.now,
        "old_at": drift.old_at,
        "new_at": drift.new_at,
        "count": drift.count,
    }
