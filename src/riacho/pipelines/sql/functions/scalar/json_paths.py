"""Paths into JSON, as EXTRACTJSONFIELD has them: `$.name`, `$["name"]`, `$[0]`, one after the other."""

from __future__ import annotations

import re

_STEP = re.compile(r"""\.([^.\[\]"'*]+)|\[(\d{1,9})\]|\["([^"]*)"\]|\['([^']*)'\]""")
PATH_LENGTH_MAX = 10_000


def spark_path(path: str) -> str | None:
    """The same for Spark's get_json_object; None where it is no path to one element."""
    if not path.startswith("$") or len(path) > PATH_LENGTH_MAX:
        return None
    steps, at = "$", 1
    while at < len(path):
        found = _STEP.match(path, at)
        if found is None:
            return None
        at = found.end()
        name = next((group for group in found.group(1, 3, 4) if group is not None), None)
        if name is None:
            steps += f"[{int(found[2])}]"
        elif re.fullmatch(r"[^.\[\]'?*]+", name):
            steps += f"['{name}']"
        elif re.fullmatch(r"[^.\[]+", name) and name != "*":
            # Spark takes no quote and no question mark in brackets, but behind a dot it does.
            steps += f".{name}"
        else:
            return None
    return steps
