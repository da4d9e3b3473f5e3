"""The reference client without any tool, as a command."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # as a command it starts without the checkout on its path
from tests.conformance.reference_client import ReferenceClient

if __name__ == "__main__":
    ReferenceClient.from_environment(os.environ).run()
