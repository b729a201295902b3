"""The lines of a growing file as a Spark stream: offsets are positions in bytes, each at the end of a line."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from typing import IO, TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.types import StringType, StructField, StructType

from riacho.pipelines.plugin import ConnectError
from riacho.pipelines.reach.limits import Limits
from riacho.pipelines.reach.paths import open_within

if TYPE_CHECKING:
    from pyspark.sql.streaming.datasource import ReadLimit

FORMAT = "riacho_lines"
BATCH_BYTES_MAX = 16 * 1024 * 1024
_BLOCK_BYTES = 1024 * 1024
_SCHEMA = pa.schema([pa.field("value", pa.string())])


class LineDataSource(DataSource):
    @classmethod
    def name(cls) -> str:
        return FORMAT

    def schema(self) -> StructType:
        return StructType([StructField("value", StringType())])

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        return LineStreamReader(
            str(self.options["file"]),
            int(self.options.get("position", "0")),
            int(self.options.get("batchSize", "2000")),
            Limits.from_json(json.loads(self.options.get("limits", "null"))),
        )


class Lines(InputPartition):
    """A part of the file that begins and ends with a line."""

    def __init__(self, begin: int, end: int) -> None:
        super().__init__(begin)
        self.begin = begin
        self.end = end


class LineStreamReader(DataSourceStreamReader):
    def __init__(self, file: str, position: int, batch_size: int, limits: Limits | None = None) -> None:
        self.file = file
        self.position = position
        self.batch_size = batch_size
        self.limits = limits or Limits()

    def initialOffset(self) -> dict[str, Any]:
        return {"position": self.position}

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit | None = None) -> dict[str, Any]:
        return {"position": line_end(self.file, int(start["position"]), limits=self.limits)}

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        begin, stop = int(start["position"]), int(end["position"])
        return [Lines(begin, stop)] if stop > begin else []

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, Lines), partition
        lines: list[str] = []
        for line in read_lines(self.file, partition.begin, partition.end, self.limits):
            lines.append(line)
            if len(lines) == self.batch_size:
                yield pa.RecordBatch.from_arrays([pa.array(lines, pa.string())], schema=_SCHEMA)
                lines = []
        yield pa.RecordBatch.from_arrays([pa.array(lines, pa.string())], schema=_SCHEMA)


def line_end(file: str, position: int, size_bytes_max: int = BATCH_BYTES_MAX, limits: Limits | None = None) -> int:
    """Where the last line ends that is whole and not too far on; `position` where there is none yet."""
    try:
        with _opened(file, limits) as stream:
            size = os.fstat(stream.fileno()).st_size
            if size < position:
                raise ConnectError(
                    f"The file {file} has {size} bytes, fewer than the {position} that have been read: it was replaced "
                    "or cut; reset the connector's offsets to read it from its beginning."
                )
            end = _newline_before(stream, position, min(size, position + size_bytes_max))
            # A single line may be longer than what is taken in one go.
            return end if end > position else _newline_after(stream, position, size)
    except FileNotFoundError:
        if position:
            raise ConnectError(f"The file {file} is gone, of which {position} bytes have been read.") from None
        return position
    except OSError as error:
        raise ConnectError(f"The file {file} cannot be read: {error.strerror or error}.") from None


def read_lines(file: str, begin: int, end: int, limits: Limits | None = None) -> Iterator[str]:
    try:
        with _opened(file, limits) as stream:
            stream.seek(begin)
            while stream.tell() < end:
                yield stream.readline().rstrip(b"\n").removesuffix(b"\r").decode("utf-8", "replace")
    except OSError as error:
        raise ConnectError(f"The file {file} cannot be read: {error.strerror or error}.") from None


def _opened(file: str, limits: Limits | None) -> IO[bytes]:
    return open(open_within(file, limits or Limits(), os.O_RDONLY), "rb")


def _newline_before(stream: Any, begin: int, end: int) -> int:
    while end > begin:
        block = max(begin, end - _BLOCK_BYTES)
        stream.seek(block)
        found = stream.read(end - block).rfind(b"\n")
        if found >= 0:
            return int(block + found + 1)
        end = block
    return begin


def _newline_after(stream: Any, begin: int, end: int) -> int:
    at = begin
    stream.seek(begin)
    while at < end:
        block = stream.read(min(_BLOCK_BYTES, end - at))
        if not block:
            return begin
        found = block.find(b"\n")
        if found >= 0:
            return int(at + found + 1)
        at += len(block)
    return begin
