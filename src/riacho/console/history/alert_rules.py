"""Rules of alerts: what is looked at, above which number, for how long. Kept in a file, a cluster's own.

The file is written whole and put in the place of the one before, so a crash leaves the one or the other.
"""

from __future__ import annotations

import hashlib
import logging
import os
from pathlib import Path
from typing import Annotated, Literal, get_args

import msgspec
from msgspec import Meta

_log = logging.getLogger("riacho.console")
RULES_MAX = 100

Kind = Literal[
    "lag", "under_replicated", "offline", "failed_tasks", "failed_queries", "disk", "broker_down", "cluster_down"
]
KINDS: tuple[Kind, ...] = get_args(Kind)


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """Fires when what `kind` names is above `above` for `for_s` seconds, and is resolved when it has not been for as
    long. `target` is a group, connector, query or broker, with `*` at the end for all that begin so; empty: any.
    `above` is records of lag, partitions, tasks, or percent of a disk; it means nothing for `failed_queries`,
    `broker_down` and `cluster_down`. `webhook` is the name of one in the settings file."""

    name: Annotated[str, Meta(min_length=1, max_length=200)]
    kind: Kind
    above: Annotated[float, Meta(ge=0, le=1e15)] = 0
    for_s: Annotated[int, Meta(ge=0, le=86_400)] = 60
    target: Annotated[str, Meta(max_length=300)] = ""
    webhook: Annotated[str, Meta(max_length=64)] | None = None
    is_on: bool = True

    def is_about(self, name: str) -> bool:
        target = self.target
        return not target or name == target or (target.endswith("*") and name.startswith(target[:-1]))


# What a console watches before anybody has said what.
DEFAULTS = (
    Rule(name="Partitions without a leader", kind="offline", for_s=15),
    Rule(name="Under-replicated partitions", kind="under_replicated", for_s=60),
    Rule(name="Broker down", kind="broker_down", for_s=30),
    Rule(name="Disk almost full", kind="disk", above=90, for_s=300),
    Rule(name="Failed connector tasks", kind="failed_tasks", for_s=60),
    Rule(name="Failed queries", kind="failed_queries", for_s=60),
    Rule(name="Group far behind", kind="lag", above=100_000, for_s=300),
)


class RuleFile:
    def __init__(self, directory: Path, cluster_id: str) -> None:
        digest = hashlib.sha256(cluster_id.encode()).hexdigest()[:16]
        self._path = directory / f"alerts-{digest}.json"

    def load(self) -> list[Rule]:
        """The defaults where there is no file, or none that can be read."""
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=list[Rule])[:RULES_MAX]
        except FileNotFoundError:
            pass
        except (OSError, msgspec.DecodeError) as error:
            _log.warning("rules of alerts cannot be read, the usual ones hold reason=%s", error)
        return list(DEFAULTS)

    def save(self, rules: list[Rule]) -> None:
        """OSError."""
        beside = self._path.with_suffix(".new")
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(msgspec.json.encode(rules))
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, self._path)
