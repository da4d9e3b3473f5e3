"""A program to record: it says what it is told to, and answers each line that it reads with that line."""

from __future__ import annotations

import sys

LAST_WORDS = "one\ntwo\n"
SECRET = "sk-live4711abcdefghij"


def main() -> int:
    """``speaking.py app-server EXIT_CODE``."""
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
    sys.stderr.write(LAST_WORDS + SECRET)
    return int(sys.argv[2])


if __name__ == "__main__":
    raise SystemExit(main())
