"""How much may be read for callers at a time (`places.py` counts them)."""

from __future__ import annotations

SCANS_MAX = 16
EXPORTS_MAX = 4
WHOLES_MAX = 16
TAILS_MAX = 1_000
