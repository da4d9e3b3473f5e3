"""Fixtures of the whole suite: pytest runs pytest to test the plugin."""

from __future__ import annotations

pytest_plugins = ["pytester"]
