"""Riacho and Apache Kafka side by side: the same client, the same bytes, one run. See `python -m bench --help`."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]

# `python -m bench` works from a bare checkout, and so do the load clients that it starts.
for _room in ("tests", "src"):
    if str(ROOT / _room) not in sys.path:
        sys.path.insert(0, str(ROOT / _room))
