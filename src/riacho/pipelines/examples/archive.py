"""Looks into the Parquet archive that the demo's connector writes."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq


class Archive(NamedTuple):
    rows: int
    reversals: int
    # Reversals that stand before the transfer they take back, in the order of their partition.
    before_their_transfer: int


def row_count(directory: Path) -> int:
    """From the files' footers; a file appears when it is whole."""
    return sum(pq.read_metadata(file).num_rows for file in _files(directory))


def read_archive(directory: Path) -> Archive:
    rows: list[tuple[int, int, int, int | None]] = []
    for file in _files(directory):
        table = pq.ParquetFile(file).read(columns=["_partition", "_offset", "id", "reverses"])
        rows += zip(*(table.column(name).to_pylist() for name in table.column_names), strict=True)
    rows.sort(key=lambda row: row[:2])
    seen: set[int] = set()
    reversals = early = 0
    for _, _, number, reverses in rows:
        seen.add(number)
        if reverses is not None:
            reversals += 1
            early += reverses not in seen
    return Archive(len(rows), reversals, early)


def _files(directory: Path) -> list[Path]:
    return sorted(file for file in directory.rglob("*.parquet") if not file.name.startswith((".", "_")))
