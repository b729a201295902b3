"""Following a log that goes on in new files: no line is lost, none comes twice."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from riacho.broker.log_file import LogFile
from riacho.cli.log_tail import LogTail


class Writer:
    """Numbers, a line each, in files of about a hundred bytes."""

    def __init__(self, path: Path, backups: int = 50) -> None:
        self._logger = logging.Logger("written")
        self._logger.addHandler(LogFile(path, 100, backups))
        self.count = 0

    def write(self, count: int) -> None:
        for _ in range(count):
            self._logger.info("line %d", self.count)
            self.count += 1


def _lines(begin: int, end: int) -> list[str]:
    return [f"line {number}" for number in range(begin, end)]


@pytest.mark.parametrize("step", [1, 7, 40])
def test_a_log_is_followed_from_file_to_file(tmp_path: Path, step: int) -> None:
    path = tmp_path / "log"
    writer, tail = Writer(path), LogTail(path)
    writer.write(1)
    seen = tail.new()
    while writer.count < 280:
        writer.write(step)
        seen += tail.new()
    assert seen == _lines(0, writer.count)


def test_the_end_reaches_into_earlier_files(tmp_path: Path) -> None:
    path = tmp_path / "log"
    writer = Writer(path)
    writer.write(101)
    tail = LogTail(path)
    assert tail.last(60) == _lines(41, 101)
    writer.write(30)
    assert tail.new() == _lines(101, 131)
    assert LogTail(path).last(1_000) == _lines(0, 131)
    assert list(LogTail(path).backwards()) == _lines(0, 131)[::-1]


def test_all_of_it_comes_in_its_order(tmp_path: Path) -> None:
    path = tmp_path / "log"
    writer = Writer(path)
    writer.write(75)
    tail = LogTail(path)
    found = []
    for line in tail.forwards():
        found.append(line)
        if len(found) == 10:
            # It goes on while it is read.
            writer.write(25)
    assert found == _lines(0, 100)
    writer.write(20)
    assert tail.new() == _lines(100, 120)


def test_without_the_end_what_comes_is_new(tmp_path: Path) -> None:
    path = tmp_path / "log"
    writer = Writer(path)
    writer.write(20)
    tail = LogTail(path)
    assert tail.last(0) == []
    writer.write(20)
    assert tail.new() == _lines(20, 40)


def test_a_file_that_was_moved_on_too_often_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "log"
    writer, tail = Writer(path, backups=1), LogTail(path)
    writer.write(5)
    assert tail.new() == _lines(0, 5)
    writer.write(200)
    assert tail.new()[-1] == "line 204"
    writer.write(1)
    assert tail.new() == ["line 205"]


def test_half_a_line_at_the_end_of_a_file_is_a_line(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"one\nhal")
    tail = LogTail(path)
    assert tail.last(9) == ["one"]
    path.rename(tmp_path / "log.1")
    path.write_bytes(b"next\n")
    assert tail.new() == ["hal", "next"]
    assert list(LogTail(path).backwards()) == ["next", "hal", "one"]


def test_a_long_log_is_read_from_its_end(tmp_path: Path) -> None:
    path = tmp_path / "log"
    lines = [f"{number:07d} {'x' * 90}" for number in range(20_000)]
    path.write_text("\n".join(lines) + "\n")
    assert LogTail(path).last(9_000) == lines[-9_000:]
    assert list(LogTail(path).forwards()) == lines
