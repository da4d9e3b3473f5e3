"""Loads the Hypothesis profile before any property test is collected."""

from __future__ import annotations

from tests.property.profiles import register

register()
