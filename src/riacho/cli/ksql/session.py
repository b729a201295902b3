"""What one session of the command line knows: its server, properties, variables, and how it shows results."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from riacho.cli.ksql.console import Console
from riacho.cli.ksql.server import KsqlServer
from riacho.pipelines.sql.parsing.variables import Variables


class Output(Enum):
    TABULAR = "TABULAR"
    JSON = "JSON"


@dataclass(slots=True)
class Session:
    """`sequence` is of the last command that the server took: without pipelining the next statement waits for it."""

    server: KsqlServer
    console: Console
    authorization: str | None = None
    output: Output = Output.TABULAR
    properties: dict[str, str] = field(default_factory=dict)
    variables: Variables = field(default_factory=Variables)
    history: list[str] = field(default_factory=list)
    is_pipelining: bool = False
    sequence: int | None = None
    row_limit: int | None = None
    query_timeout_s: float | None = None
    # Counts what may have changed the names that completion offers.
    changes: int = 0

    def connect(self, url: str) -> None:
        """ServerError where it is no URL; then everything is as before."""
        server = KsqlServer(url, self.authorization)
        self.server.close()
        self.server = server
        self.sequence = None
        self.changes += 1
