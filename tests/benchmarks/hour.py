"""The very stream of P17, in its own time: 10,000 events in an hour, recorded with and without redaction.

    python -m tests.benchmarks.hour [EVENTS SECONDS]

Takes as long as the stream, so `make bench` leaves it out. It shows what is held in memory; each recorder
runs once, so that what redaction takes of the cost is no more than a hint: the machine's noise outweighs it.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from tests.benchmarks.__main__ import table
from tests.benchmarks.bench_record import HOUR, Process, fresh, process, read_bodies
from tests.benchmarks.measure import Line, at_most
from tests.benchmarks.served import body_of

_SETTLED = 1 / 6
"""The part of the time after which memory is looked at first."""


def run(events: int, seconds: float) -> Iterator[Line]:
    with (
        TemporaryDirectory() as folder,
        process("backend", str(events), str(seconds / events)) as backend,
        process("recorder", backend.base_url, str(fresh(Path(folder)))) as recorder,
        process("unredacted", backend.base_url, str(fresh(Path(folder)))) as unredacted,
    ):
        recorders = recorder, unredacted
        began = [each.ask("cpu") for each in recorders]
        early, *bodies = asyncio.run(_recorded(recorders, seconds * _SETTLED))
        assert bodies == [[body_of(events)]] * 2
        with_it, without = (each.ask("cpu") - cpu for each, cpu in zip(recorders, began, strict=True))
        what = f"{events:,} events in {seconds:,g} s"
        part, grown = (1 - without / with_it) * 100, (recorder.ask("rss") - early) / 1024
        about = f"redaction's part of the cost, {what}"
        yield Line(goal="P17", what=about, figure=part, target=None, unit="%", note="one sample")
        yield at_most("P17", f"memory that the last five sixths take, {what}", grown, 1024, unit="KiB")


async def _recorded(
    recorders: tuple[Process, Process], wait: float
) -> tuple[float, list[bytes], list[bytes]]:
    """What the first recorder holds in memory after a while, and what each passes on in the end."""

    async def memory() -> float:
        await asyncio.sleep(wait)
        return recorders[0].ask("rss")

    one, other = (read_bodies(each.base_url, 1) for each in recorders)
    return await asyncio.gather(memory(), one, other)


if __name__ == "__main__":
    count, length = sys.argv[1:] or (str(HOUR), "3600")
    Console(width=140).print(table(list(run(int(count), float(length)))))
