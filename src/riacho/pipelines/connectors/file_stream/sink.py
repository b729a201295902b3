"""Records of topics as lines of one file: Kafka's FileStreamSink, but each record once.

    {"connector.class": "FileStreamSink", "file": "/var/lib/orders.txt", "topics": "orders"}

Before a batch is appended, its id and the length that the file had are noted beside the checkpoint; a batch that comes
again is preceded by cutting the file back to that length. A value that is no text is written as JSON, none as `null`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition, Importance, Outside
from riacho.pipelines.plugin import ConnectError, Rejected, SinkConnector
from riacho.pipelines.reach.paths import open_within

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_NOTE = "file-length.json"


class FileStreamSink(SinkConnector):
    CLASS = "org.apache.kafka.connect.file.FileStreamSinkConnector"
    DOC = "Records as lines at the end of a file."
    CONFIG = ConfigDef(
        Definition(
            "file",
            ConfigType.STRING,
            doc="The file to append to.",
            required=True,
            importance=Importance.HIGH,
            outside=Outside.FILE,
        )
    )

    def prepare(self) -> None:
        directory = Path(str(self.settings["file"])).absolute().parent
        if not directory.is_dir():
            raise ConnectError(f"The directory {directory} of the file to write does not exist.")

    def put(self, batch: DataFrame, batch_id: int) -> Sequence[Rejected]:
        from riacho.pipelines.connectors.row_text import as_text

        lines = batch.select(as_text(batch, "value")).toLocalIterator(prefetchPartitions=True)
        file = str(self.settings["file"])
        try:
            stream = open_within(file, self.context.limits, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            append_once(stream, Path(self.context.scratch) / _NOTE, batch_id, (row[0] for row in lines))
        except OSError as error:
            raise ConnectError(f"The file {file} cannot be written: {error.strerror or error}.") from None
        return ()


def append_once(file: Path | int, note: Path, batch_id: int, lines: Iterable[str]) -> None:
    """Append `lines` for this batch; what an earlier try of the same batch has left is cut off first. A `file` that is
    open already is closed."""
    with open(file, "ab") as stream:
        begin = _noted(note, batch_id)
        if begin is None:
            begin = os.fstat(stream.fileno()).st_size
            _remember(note, batch_id, begin)
        stream.truncate(begin)
        for line in lines:
            stream.write(line.encode() + b"\n")
        stream.flush()
        os.fsync(stream.fileno())


def _noted(note: Path, batch_id: int) -> int | None:
    try:
        noted = json.loads(note.read_text())
    except (OSError, ValueError):
        return None
    return int(noted["length"]) if noted["batch"] == batch_id else None


def _remember(note: Path, batch_id: int, length: int) -> None:
    note.parent.mkdir(parents=True, exist_ok=True)
    fresh = note.with_suffix(".new")
    with fresh.open("w") as stream:
        json.dump({"batch": batch_id, "length": length}, stream)
        stream.flush()
        os.fsync(stream.fileno())
    fresh.replace(note)
