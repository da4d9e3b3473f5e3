"""A fault in the recording itself, as in a hook of --redact, ends the recording and not the traffic."""

from __future__ import annotations

from traceback import walk_tb

from wiretape_server.recording.session import Recording


def give_up(recording: Recording, fault: Exception) -> None:
    """Record nothing more, and say where the fault is. Not its text: that may be what a client said."""
    place = [f"{frame.f_globals.get('__name__')}:{line}" for frame, line in walk_tb(fault.__traceback__)][-1]
    recording.failure = recording.failure or (
        f"{recording.partial}: {type(fault).__name__} at {place}, while secrets were looked for. "
        "Correct the hook of --redact, where that is in it; else please report it"
    )
