"""The lines of a growing file, without Spark around the reader."""

from __future__ import annotations

from pathlib import Path

import pytest

from riacho.pipelines.connectors.file_stream.line_stream import LineStreamReader, line_end, read_lines
from riacho.pipelines.connectors.file_stream.source import FileStreamSource
from riacho.pipelines.plugin import ConnectError, Context, SourceOffset


def reader(file: Path, batch_size: int = 2) -> LineStreamReader:
    return LineStreamReader(str(file), 0, batch_size)


def rows(source: LineStreamReader, begin: int, end: int) -> list[str]:
    parts = source.partitions({"position": begin}, {"position": end})
    return [line for part in parts for batch in source.read(part) for line in batch.column(0).to_pylist()]


def test_a_line_counts_when_it_has_ended(tmp_path: Path) -> None:
    file = tmp_path / "in.txt"
    file.write_bytes(b"one\ntwo\r\nthr")
    source = reader(file)
    first = source.latestOffset(source.initialOffset())
    assert first == {"position": 9}
    assert rows(source, 0, 9) == ["one", "two"]
    file.write_bytes(b"one\ntwo\r\nthree\n")
    second = source.latestOffset(first)
    assert rows(source, 9, second["position"]) == ["three"]
    assert source.latestOffset(second) == second
    assert rows(source, 15, 15) == []


def test_a_file_that_is_not_there_yet_has_no_lines(tmp_path: Path) -> None:
    assert line_end(str(tmp_path / "later.txt"), 0) == 0


def test_one_that_was_replaced_or_is_gone_is_told(tmp_path: Path) -> None:
    file = tmp_path / "in.txt"
    file.write_bytes(b"one\n")
    with pytest.raises(ConnectError, match="has 4 bytes, fewer than the 100"):
        line_end(str(file), 100)
    file.unlink()
    with pytest.raises(ConnectError, match="gone"):
        line_end(str(file), 100)


def test_batches_end_with_a_line_and_long_lines_are_taken_whole(tmp_path: Path) -> None:
    file = tmp_path / "in.txt"
    file.write_bytes(b"aa\nbb\ncc\n" + b"x" * 50 + b"\nend\n")
    position, seen = 0, []
    while (end := line_end(str(file), position, size_bytes_max=8)) > position:
        seen.append(list(read_lines(str(file), position, end)))
        position = end
    assert seen == [["aa", "bb"], ["cc"], ["x" * 50], ["end"]]


def test_empty_lines_and_bytes_that_are_no_text_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "in.txt"
    file.write_bytes(b"\n\xff\n")
    assert list(read_lines(str(file), 0, 3)) == ["", "�"]


def test_offsets_are_kafkas(tmp_path: Path) -> None:
    file = str(tmp_path / "in.txt")
    configs = {"file": file, "topic": "lines"}
    source = FileStreamSource(FileStreamSource.CONFIG.parse(configs), Context("lines", configs, "127.0.0.1:9092"))
    assert source.source_offsets({"position": 7}) == [SourceOffset({"filename": file}, {"position": 7})]
    assert source._beginning([SourceOffset({"filename": file}, {"position": 7})]) == 7
    assert source._beginning([SourceOffset({"filename": "other"}, {"position": 7})]) == 0
    assert source._beginning([SourceOffset({"filename": file}, None)]) == 0
