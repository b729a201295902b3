"""How long pip was downloading, from the log that PIP_LOG names: each of its lines begins with a time."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

_LINE = re.compile(r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d,\d{3}) (.*)$")
# What pip says when it waits for the network next: for an index page, for a package.
_ASKS = re.compile(
    r"\s*(?:Downloading |Looking up |No cache entry|Starting new HTTPS? |Found index url |Getting page "
    r"|https?://\S+ \"(?:GET|HEAD) )"
)


def download_seconds(path: Path) -> float:
    """All waits for the network, of nested runs of pip (a build's own environment) as well."""
    seconds = 0.0
    asked: datetime | None = None
    for line in path.read_text(errors="replace").splitlines():
        found = _LINE.match(line)
        if found is None:
            continue
        now = datetime.strptime(found[1], "%Y-%m-%dT%H:%M:%S,%f")
        if asked is not None:
            seconds += (now - asked).total_seconds()
        asked = now if _ASKS.match(found[2]) else None
    return seconds
