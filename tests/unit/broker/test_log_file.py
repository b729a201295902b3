"""Logs that end somewhere: a file is full, the next begins, and of the old ones a few are kept."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from riacho.broker.log_file import LogFile, earlier_files
from riacho.broker.logs import open_logs


def _logger(handler: logging.Handler) -> logging.Logger:
    logger = logging.Logger("rotated", logging.INFO)
    logger.addHandler(handler)
    return logger


def _numbers(*paths: Path) -> list[int]:
    return [int(line) for path in paths for line in path.read_text().split()]


def test_a_full_file_makes_room_for_the_next(tmp_path: Path) -> None:
    path = tmp_path / "access-1.log"
    logger = _logger(LogFile(path, max_bytes=100, backups=3))
    for number in range(1_000, 1_200):
        logger.info("%d", number)
    earlier = earlier_files(path)
    assert [each.name for each in earlier] == ["access-1.log.3", "access-1.log.2", "access-1.log.1"]
    kept = _numbers(*earlier, path)
    assert kept == list(range(kept[0], 1_200))
    assert all(each.stat().st_size <= 100 for each in (*earlier, path))


def test_without_a_limit_there_is_one_file(tmp_path: Path) -> None:
    path = tmp_path / "access-1.log"
    logger = _logger(LogFile(path, max_bytes=0))
    for number in range(1_000, 1_200):
        logger.info("%d", number)
    assert (len(_numbers(path)), earlier_files(path)) == (200, [])


def test_earlier_files_come_by_their_age(tmp_path: Path) -> None:
    for name in ("a[b].log", "a[b].log.1", "a[b].log.2", "a[b].log.10", "a[b].log.gz", "ab.log.3"):
        (tmp_path / name).touch()
    assert [path.name for path in earlier_files(tmp_path / "a[b].log")] == [
        "a[b].log.10",
        "a[b].log.2",
        "a[b].log.1",
    ]


def test_logs_of_one_file_are_moved_on_together(tmp_path: Path) -> None:
    path = tmp_path / "all"
    logs = open_logs(906, access_path=path, error_path=path, max_bytes=1_000, backups=2)
    for number in range(1_000, 1_100):
        (logs.access if number % 2 else logs.error).info("%d", number)
    lines = [line for each in (*earlier_files(path), path) for line in each.read_text().splitlines()]
    kept = [int(line.split()[-1]) for line in lines]
    assert kept == list(range(kept[0], 1_100))
    assert len(kept) > 40


def test_standard_streams_go_along(tmp_path: Path) -> None:
    """As the supervisor starts its children: with the file that they log into for their output."""
    path = tmp_path / "error-1.log"
    program = (
        "import logging, os, pathlib, sys; from riacho.broker.log_file import LogFile\n"
        f"handler = LogFile(pathlib.Path({str(path)!r}), 100, 2)\n"
        "logger = logging.Logger('x'); logger.addHandler(handler)\n"
        "logger.info('a' * 80); logger.info('b' * 80)\n"
        "os.write(1, b'out\\n'); os.write(2, b'err\\n')\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with path.open("ab") as output:
        subprocess.run([sys.executable, "-c", program], stdout=output, stderr=output, env=environment, check=True)
    assert path.read_text() == f"{'b' * 80}\nout\nerr\n"
    assert (tmp_path / "error-1.log.1").read_text() == f"{'a' * 80}\n"


def test_what_others_write_is_bounded_too(tmp_path: Path) -> None:
    path = tmp_path / "up.log"
    log = LogFile(path, max_bytes=100, backups=2)
    path.write_text("x" * 99)
    log.bound()
    assert earlier_files(path) == []
    path.write_text("x" * 100)
    log.bound()
    assert (path.read_text(), [each.stat().st_size for each in earlier_files(path)]) == ("", [100])
    log.close()


def test_a_file_that_cannot_be_moved_on_grows_and_says_so_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "access-1.log"
    logger = _logger(LogFile(path, max_bytes=200, backups=1))
    tries = []

    def refuse(source: str, target: str) -> None:
        tries.append(source)
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as refusing:
        refusing.setattr(os, "rename", refuse)
        for number in range(1_000, 1_060):
            logger.info("%d", number)
    assert _numbers(path) == list(range(1_000, 1_060))
    assert len(tries) == 1
    assert capsys.readouterr().err == f"{path} goes on above its limit: Permission denied\n"
    for number in range(1_060, 1_100):
        logger.info("%d", number)
    assert _numbers(*earlier_files(path), path) == list(range(1_000, 1_100))


def test_a_log_that_cannot_be_written_says_so_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    handler = LogFile(tmp_path / "access-1.log")
    logger = _logger(handler)
    assert handler.stream is not None
    os.close(handler.stream.fileno())
    logger.info("one")
    logger.info("two")
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "cannot be written" in told
    handler.stream = None


def test_what_is_no_text_is_written_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "error-1.log"
    _logger(LogFile(path)).info("half \udcff")
    assert path.read_text() == "half \\udcff\n"


def test_a_stream_of_the_system_has_no_limit(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    logger = _logger(LogFile(Path(f"/proc/self/fd/{writer}"), max_bytes=10))
    for _ in range(5):
        logger.info("a line of some length")
    logger.handlers[0].close()
    os.close(writer)
    with open(reader) as told:
        assert len(told.readlines()) == 5
