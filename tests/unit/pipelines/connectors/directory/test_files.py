"""The files that one task writes: by directory, whole or not at all, replaced by a second try."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from riacho.pipelines.connectors.directory.files import FileWriter, remove_batch
from riacho.pipelines.connectors.scratch_id import file_token

ROWS = pa.RecordBatch.from_pylist(
    [{"id": 1, "land": "pt"}, {"id": 2, "land": "br/sp"}, {"id": 3, "land": None}, {"id": 4, "land": "pt"}]
)


def names(directory: Path) -> list[str]:
    return sorted(str(each.relative_to(directory)) for each in directory.rglob("*") if each.is_file())


def test_rows_go_to_the_directory_of_their_fields(tmp_path: Path) -> None:
    written = FileWriter(str(tmp_path), "parquet", ("land",), "orders-000000007", "snappy").write([ROWS], 3)
    assert written == 4
    assert names(tmp_path) == [
        "land=__HIVE_DEFAULT_PARTITION__/orders-000000007-00003.parquet",
        "land=br%2Fsp/orders-000000007-00003.parquet",
        "land=pt/orders-000000007-00003.parquet",
    ]
    table = parquet.ParquetFile(tmp_path / "land=pt" / "orders-000000007-00003.parquet").read()
    assert table.to_pydict() == {"id": [1, 4]}


def test_a_second_try_replaces_the_files_of_the_first(tmp_path: Path) -> None:
    writer = FileWriter(str(tmp_path), "csv", (), "orders-000000001", "none")
    writer.write([ROWS.slice(0, 1)], 0)
    writer.write([ROWS], 0)
    assert csv.read_csv(tmp_path / "orders-000000001-00000.csv").num_rows == 4


def test_the_files_of_one_batch_are_removed_and_no_others(tmp_path: Path) -> None:
    for batch in (1, 2):
        for task in (0, 1):
            FileWriter(str(tmp_path), "parquet", ("land",), f"orders-{batch:09d}", "none").write([ROWS], task)
    remove_batch(str(tmp_path), "orders-000000001")
    assert {each[-25:-8] for each in names(tmp_path)} == {"s-000000002-00000", "s-000000002-00001"}
    remove_batch(str(tmp_path / "nowhere"), "orders-000000001")


def test_json_is_lines(tmp_path: Path) -> None:
    lines = pa.RecordBatch.from_pylist([{"value": '{"id":1}'}, {"value": '{"id":2}'}])
    FileWriter(str(tmp_path), "json", (), "o-000000000", "none").write([lines], 0)
    assert (tmp_path / "o-000000000-00000.json").read_text() == '{"id":1}\n{"id":2}\n'


def test_too_many_directories_are_refused(tmp_path: Path) -> None:
    many = pa.RecordBatch.from_pylist([{"id": n, "land": str(n)} for n in range(201)])
    with pytest.raises(ValueError, match="more than 200 directories by land"):
        FileWriter(str(tmp_path), "csv", ("land",), "o-000000000", "none").write([many], 0)


def test_file_names_tell_connectors_and_checkpoints_apart(tmp_path: Path) -> None:
    first = file_token("my orders", f"{tmp_path}/a")
    assert first.startswith("my-orders-")
    assert file_token("my orders", f"{tmp_path}/a") == first
    assert file_token("my orders", f"{tmp_path}/b") != first
