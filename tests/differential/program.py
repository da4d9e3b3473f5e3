"""The real app-server that wiretape is compared with: one version of a public npm package, in a cache folder.

``python -m tests.differential.program`` installs it, unless it is there.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

VERSION: Final = "0.171.0"
PACKAGE: Final = f"@openai/codex@{VERSION}"
_NATIVE: Final = "node_modules/@openai/codex-*/vendor/*/bin/codex*"
"""The package's own ``codex`` is a wrapper: its child goes on running when it is killed."""


def folder() -> Path:
    """Where it is installed."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache, "wiretape", f"codex-{VERSION}")


def binary() -> Path | None:
    """The native program; None where it is not installed."""
    return next(iter(sorted(folder().glob(_NATIVE))), None)


def missing() -> str:
    """Why there is no program, and what to do."""
    return f"{PACKAGE} is not installed below {folder()}: run `make differential`"


def install() -> Path:
    """Install it with npm, some 420 MB. Raises CalledProcessError, FileNotFoundError."""
    folder().mkdir(parents=True, exist_ok=True)
    command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder()), PACKAGE]
    subprocess.run(command, check=True, shell=sys.platform == "win32")
    found = binary()
    if found is None:
        raise FileNotFoundError(f"npm has installed {PACKAGE}, but there is no {folder() / _NATIVE}")
    return found


if __name__ == "__main__":
    print(binary() or install())
