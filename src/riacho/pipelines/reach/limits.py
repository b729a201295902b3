"""What connectors may reach: the worker's settings, as the catalog, the runner and the connectors carry them.

riacho.connectors.allowed.paths      folders whose files they may read and write; * is all
riacho.connectors.kept.paths         folders under these that no connector may reach
riacho.connectors.allowed.urls       public, private, loopback, or addresses such as http://api.example/v1; * is all
riacho.connectors.allowed.formats    formats of Spark's that SparkSource and SparkSink may name
riacho.connectors.allowed.jdbc       databases, by the name after `jdbc:`
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

PATHS = "riacho.connectors.allowed.paths"
KEPT = "riacho.connectors.kept.paths"
URLS = "riacho.connectors.allowed.urls"
FORMATS = "riacho.connectors.allowed.formats"
JDBC = "riacho.connectors.allowed.jdbc"
ALL = "*"
DEFAULT_URLS = ("public", "private")
DEFAULT_FORMATS = (
    "avro", "binaryfile", "csv", "delta", "jdbc", "json", "kafka", "noop", "orc", "parquet", "rate",
    "rate-micro-batch", "riacho", "text",
)  # fmt: skip
DEFAULT_JDBC = ("mariadb", "mysql", "oracle", "postgresql", "sqlite", "sqlserver")


def default_paths(files: Path | None = None) -> tuple[str, ...]:
    """The working directory, the temporary one, and `files`, the folder for this in the data directory."""
    try:
        working = Path.cwd()
    except OSError:
        # It was removed under us.
        working = Path("/")
    # A service that was started in / or in /home would have everything.
    is_too_wide = working == Path(working.anchor) or working in Path.home().parents
    chosen = [] if is_too_wide else [str(working)]
    return (*chosen, *([] if files is None else [str(files)]), tempfile.gettempdir())


def own_code() -> tuple[str, ...]:
    """Where this program and its packages are: whoever may write there may run anything."""
    return (sys.prefix, str(Path(__file__).resolve().parents[2]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits are what a worker lets its connectors reach: paths, addresses, Spark's formats and databases.

    `kept` are folders that no connector may reach even where they lie under an allowed one, unless a folder in them is
    allowed by itself.
    """

    paths: tuple[str, ...] = field(default_factory=default_paths)
    kept: tuple[str, ...] = field(default_factory=own_code)
    urls: tuple[str, ...] = DEFAULT_URLS
    formats: tuple[str, ...] = DEFAULT_FORMATS
    jdbc: tuple[str, ...] = DEFAULT_JDBC

    def as_json(self) -> dict[str, Sequence[str]]:
        """Return the limits as JSON can carry them, for another process."""
        return asdict(self)

    @classmethod
    def from_json(cls, given: Mapping[str, Any] | None) -> Limits:
        """Return the limits that `as_json` gave; the defaults hold where nothing is said."""
        return cls(**{name: tuple(values) for name, values in (given or {}).items()})


def without_limits() -> Limits:
    """For whoever runs a connector in a program of their own."""
    return Limits(paths=(ALL,), kept=(), urls=(ALL,), formats=(ALL,), jdbc=(ALL,))


def home_of_data() -> Path:
    """As `riacho up` has it where nobody says otherwise."""
    given = os.environ.get("RIACHO_DATA_DIR")
    return Path(given) if given else Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "riacho"
