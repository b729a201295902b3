"""Where a service that runs alone logs to: standard error, or a file of bounded size."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from riacho.base.config import ConfigError
from riacho.broker.log_file import LogFile, earlier_files
from riacho.cli.service_command import log_handler


def test_without_a_file_it_is_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    logger = logging.Logger("service")
    logger.addHandler(log_handler({}))
    logger.warning("said")
    assert capsys.readouterr() == ("", "said\n")


def test_a_file_has_its_bounds(tmp_path: Path) -> None:
    path = tmp_path / "connect.log"
    settings = {"riacho.log.file": str(path), "riacho.log.file.max.bytes": "50", "riacho.log.file.backups": "2"}
    handler = log_handler(settings)
    assert isinstance(handler, LogFile)
    logger = logging.Logger("service")
    logger.addHandler(handler)
    for number in range(30):
        logger.info("line %d", number)
    handler.close()
    files = [*earlier_files(path), path]
    assert len(files) == 3
    assert all(each.stat().st_size <= 50 for each in files)
    assert path.read_text().endswith("line 29\n")


def test_what_cannot_be() -> None:
    with pytest.raises(ConfigError, match=r"riacho\.log\.file\.backups"):
        log_handler({"riacho.log.file.backups": "0"})
