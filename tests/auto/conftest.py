"""The Hypothesis profile."""

from __future__ import annotations

from tests.property.profiles import register

register()
