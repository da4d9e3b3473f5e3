"""``python -m wiretape_cli``: the same as ``wiretape``."""

from __future__ import annotations

import sys

from wiretape_cli.main import main

if __name__ == "__main__":
    sys.exit(main())
