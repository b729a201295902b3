"""The logs of a data directory: whose each is, and of which kind.

access-1.log agent-1.log audit-1.log error-1.log referrer-1.log     of broker 1; error-1 goes by the name broker-1
connect.log                                                         of a service: what it did, and who asked what
up.log                                                              of the supervisor
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from riacho.cli.data_dir import DataDir

ACCESS, AGENT, AUDIT, ERROR, REFERRER = "access", "agent", "audit", "error", "referrer"
KINDS = (ACCESS, ERROR, AGENT, REFERRER, AUDIT)
SUPERVISOR = "supervisor"
_OF_BROKERS = re.compile(rf"({'|'.join(KINDS)})-(\d+)")


@dataclass(frozen=True, slots=True)
class Source:
    """`owner` is `broker-1`, a service's name or `supervisor`."""

    name: str
    path: Path
    owner: str
    # Of a broker's logs each is of one; a service has one for what it did (error) and who asked (access).
    kinds: tuple[str, ...]


def sources(directory: DataDir) -> dict[str, Source]:
    """By the names that people use: broker-1, access-1, connect, supervisor."""
    found = (_source(path, directory) for path in sorted(directory.logs.glob("*.log")))
    return {source.name: source for source in found}


def chosen(
    known: Iterable[Source], parts: Collection[str], owners: Collection[str], kinds: Collection[str]
) -> list[Source]:
    """Those that are named, or all; of these owners, and with lines of these kinds. Empty is any."""
    return [
        source
        for source in known
        if (not parts or source.name in parts)
        and (not owners or source.owner in owners)
        and (not kinds or not set(kinds).isdisjoint(source.kinds))
    ]


def _source(path: Path, directory: DataDir) -> Source:
    if path == directory.supervisor_log:
        return Source(SUPERVISOR, path, SUPERVISOR, (ERROR,))
    match = _OF_BROKERS.fullmatch(path.stem)
    if match is None:
        return Source(path.stem, path, path.stem, (ERROR, ACCESS))
    kind, owner = match[1], f"broker-{match[2]}"
    return Source(owner if kind == ERROR else path.stem, path, owner, (kind,))
