"""How much may be read for callers at a time (`places.py` counts them)."""

from __future__ import annotations

SCANS_MAX = 16
EXPORTS_MAX = 4
WHOLES_MAX = 16
TAILS_MAX = 1_000
# Questions where reads begin and end, of one cluster: asked at a time, and those that wait for their turn.
PLANS_MAX = 16
PLANS_WAITING_MAX = 1_000
