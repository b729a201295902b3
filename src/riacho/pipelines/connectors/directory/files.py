"""Writes the files of one Spark task, in the worker: one for each directory that its rows belong to."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, fs, parquet
from pyspark import TaskContext

from riacho.pipelines.late_pandas import put_off_pandas

# As Hive and Spark name the directory of rows that have no value there.
_NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
_OPEN_MAX = 200


@dataclass(frozen=True, slots=True)
class FileWriter:
    """For `mapInArrow`: takes the task's rows, gives how many there were."""

    directory: str
    kind: str
    fields: tuple[str, ...]
    prefix: str
    compression: str

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        put_off_pandas()
        context = TaskContext.get()
        task = 0 if context is None else context.partitionId()
        yield pa.RecordBatch.from_pydict({"rows": pa.array([self.write(batches, task)], pa.int64())})

    def write(self, batches: Iterable[pa.RecordBatch], task: int) -> int:
        files, root = filesystem(self.directory)
        parts: dict[str, _Part] = {}
        rows = 0
        for batch in batches:
            rows += batch.num_rows
            for place, piece in split(batch, self.fields):
                if place not in parts and len(parts) == _OPEN_MAX:
                    raise ValueError(f"A batch has more than {_OPEN_MAX} directories by {', '.join(self.fields)}.")
                if place not in parts:
                    folder = f"{root}/{place}" if place else root
                    parts[place] = _Part(files, folder, f"{self.prefix}-{task:05d}", self.kind, self.compression)
                parts[place].add(piece)
        for part in parts.values():
            part.finish()
        return rows


class _Part:
    """One file: hidden until it is whole."""

    def __init__(self, files: fs.FileSystem, folder: str, name: str, kind: str, compression: str) -> None:
        files.create_dir(folder, recursive=True)
        self._files = files
        self._hidden = f"{folder}/.{name}.{kind}.tmp"
        self._final = f"{folder}/{name}.{kind}"
        self._kind = kind
        self._compression = compression
        self._stream: Any = files.open_output_stream(self._hidden)
        self._writer: Any = None

    def add(self, piece: pa.RecordBatch) -> None:
        if self._kind == "json":
            lines = piece.column("value").to_pylist()
            self._stream.write("".join(f"{line}\n" for line in lines).encode())
            return
        if self._writer is None:
            self._writer = self._made(piece.schema)
        self._writer.write_batch(piece)

    def _made(self, schema: pa.Schema) -> Any:
        if self._kind == "csv":
            return csv.CSVWriter(self._stream, schema)
        return parquet.ParquetWriter(self._stream, schema, compression=self._compression)

    def finish(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._stream.close()
        self._files.move(self._hidden, self._final)


def split(batch: pa.RecordBatch, fields: Sequence[str]) -> Iterator[tuple[str, pa.RecordBatch]]:
    """The rows by the directory they belong to, `a=1/b=x`, without the fields that it says."""
    if not batch.num_rows:
        return
    if not fields:
        yield "", batch
        return
    texts = [pc.cast(batch.column(field), pa.string()) for field in fields]
    rest = batch.select([name for name in batch.schema.names if name not in fields])
    places = list(zip(*(text.to_pylist() for text in texts), strict=True))
    rows_of: dict[tuple[str | None, ...], list[int]] = {}
    for row, place in enumerate(places):
        rows_of.setdefault(place, []).append(row)
    for place, rows in rows_of.items():
        named = (f"{field}={_directory(value)}" for field, value in zip(fields, place, strict=True))
        yield "/".join(named), rest.take(pa.array(rows))


def remove_batch(directory: str, prefix: str) -> None:
    """Files that an earlier try of a batch has left."""
    files, root = filesystem(directory)
    for found in files.get_file_info(fs.FileSelector(root, recursive=True, allow_not_found=True)):
        if found.type == fs.FileType.File and fnmatch.fnmatch(found.base_name.lstrip("."), f"{prefix}-*"):
            files.delete_file(found.path)


def filesystem(directory: str) -> tuple[fs.FileSystem, str]:
    if "://" in directory:
        files, root = fs.FileSystem.from_uri(directory)
        return files, root
    return fs.LocalFileSystem(), directory.rstrip("/") or "/"


def _directory(value: str | None) -> str:
    return _NO_VALUE if value is None or value == "" else quote(value, safe=" -_.+@,;")
