"""Whether a process is still writing a file: it holds a lock, which ends with it however it ends."""

from __future__ import annotations

import errno
import os
import sys
from typing import IO, Final

_FAR: Final = 1 << 40
"""Bytes into the file: where Windows locks a byte nobody may read it."""
_TAKEN: Final = frozenset((errno.EACCES, errno.EAGAIN, errno.EDEADLK))

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        at = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        finally:
            os.lseek(descriptor, at, os.SEEK_SET)
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def lock(file: IO[bytes]) -> bool:
    """Lock a file until it is closed; whether nobody else has locked it. Where there are no locks: True."""
    try:
        _lock(file.fileno())
    except OSError as error:
        return error.errno not in _TAKEN
    return True
