"""JSON that somebody wrote by hand or by a script: in a file, or among a command's words."""

from __future__ import annotations

import json
from typing import Any


def parse_json(text: str) -> Any:
    """ValueError, with what is wrong, for what is none; also for brackets without end, which Python cannot follow."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
