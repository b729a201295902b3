"""Where `riacho up` keeps things: one directory for data, logs and what is running."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def data_dir_option(function: F) -> F:
    return click.option(
        "--data-dir",
        type=click.Path(file_okay=False, path_type=Path),
        help="Where data and logs are; default $RIACHO_DATA_DIR, $XDG_DATA_HOME/riacho or ~/.local/share/riacho.",
    )(function)


def default_data_dir(environment: Mapping[str, str] = os.environ) -> Path:
    if environment.get("RIACHO_DATA_DIR"):
        return Path(environment["RIACHO_DATA_DIR"]).absolute()
    home = environment.get("XDG_DATA_HOME")
    return (Path(home) if home else Path.home() / ".local" / "share") / "riacho"


@dataclass(frozen=True, slots=True)
class DataDir:
    """The layout of a data directory."""

    path: Path

    @property
    def state_file(self) -> Path:
        return self.path / "riacho.json"

    @property
    def lock_file(self) -> Path:
        return self.path / "riacho.lock"

    @property
    def cluster_file(self) -> Path:
        return self.path / "cluster.json"

    @property
    def orders_file(self) -> Path:
        return self.path / "orders.json"

    @property
    def handover_file(self) -> Path:
        return self.path / "supervisor.json"

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    @property
    def supervisor_log(self) -> Path:
        return self.logs / "up.log"

    @property
    def checkpoints(self) -> Path:
        return self.path / "checkpoints"

    @property
    def ksql(self) -> Path:
        """Checkpoints of its queries, and the rows of tables."""
        return self.path / "ksql"

    @property
    def console(self) -> Path:
        """Its history and its audit log."""
        return self.path / "console"

    @property
    def files(self) -> Path:
        """For what connectors read and write."""
        return self.path / "files"

    def broker_data(self, node_id: int) -> Path:
        return self.path / f"broker-{node_id}"

    def broker_ids(self) -> list[int]:
        """Those that have a directory here."""
        names = [path.name.removeprefix("broker-") for path in self.path.glob("broker-*") if path.is_dir()]
        return sorted(int(name) for name in names if name.isdecimal())

    def broker_properties(self, node_id: int) -> Path:
        return self.path / f"server-{node_id}.properties"

    def access_log(self, node_id: int) -> Path:
        return self.logs / f"access-{node_id}.log"

    def error_log(self, node_id: int) -> Path:
        return self.logs / f"error-{node_id}.log"

    def audit_log(self, node_id: int) -> Path:
        return self.logs / f"audit-{node_id}.log"

    def agent_log(self, node_id: int) -> Path:
        return self.logs / f"agent-{node_id}.log"

    def referrer_log(self, node_id: int) -> Path:
        return self.logs / f"referrer-{node_id}.log"

    def service_properties(self, name: str) -> Path:
        return self.path / f"{name}.properties"

    def service_log(self, name: str) -> Path:
        return self.logs / f"{name}.log"

    def create(self) -> None:
        self.logs.mkdir(parents=True, exist_ok=True)
        self.files.mkdir(exist_ok=True)
