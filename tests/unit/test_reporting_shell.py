"""A command in a report is one line, and a shell makes the same words of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from wiretape.reporting.shell import line

WORDS = [
    "it's",
    "a\nb",
    "a\tb'c\\d",
    "\x1b[31m",
    "\u202e",
    "\udcff\udcfe",
    "",
    "$HOME `id` *",
    "ünï",
    "\x01" + "23",
]


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_a_shell_reads_the_words_as_they_were() -> None:
    show = "import os, sys; sys.stdout.buffer.write(b'\\0'.join(map(os.fsencode, sys.argv[1:])))"
    written = line([sys.executable, "-c", show, *WORDS])
    assert written.isprintable()
    done = subprocess.run(["bash", "-c", written], capture_output=True, check=True, timeout=60)
    assert done.stdout.split(b"\0") == [os.fsencode(word) for word in WORDS]


def test_plain_words_stay_plain() -> None:
    assert line(["python", "my client.py", "-x"]) == "python 'my client.py' -x"


def test_half_a_surrogate_pair_that_no_argument_can_hold_is_shown_all_the_same() -> None:
    assert line(["\ud800"]) == r"$'\355\240\200'"
