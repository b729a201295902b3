"""When the class archive is written beside a driver, and when not."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from riacho.pipelines.spark import archive_later, class_archive
from riacho.pipelines.spark.archive_later import LATER, write_later

TIMEOUT_S = 60.0


@pytest.fixture
def archive(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(class_archive, "java_version", lambda java: 'openjdk version "17.0.1"')
    monkeypatch.setattr(archive_later, "java_executable", lambda: "java")
    found = class_archive.archive_path("java")
    assert found is not None
    return found


def test_it_is_written_at_the_lowest_priority(archive: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(class_archive.VARIABLE, LATER)
    told = tmp_path / "niceness"
    command = [sys.executable, "-c", f"import os; open({str(told)!r}, 'w').write(str(os.nice(0)))"]
    timer = write_later(0, command)
    assert timer is not None
    timer.join(TIMEOUT_S)
    assert int(told.read_text()) > os.nice(0)


@pytest.mark.parametrize("mode", [None, "use", "off"])
def test_nothing_is_written_that_nobody_asked_for(
    archive: Path, mode: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(class_archive.VARIABLE, raising=False)
    if mode is not None:
        monkeypatch.setenv(class_archive.VARIABLE, mode)
    assert write_later(0, [sys.executable, "-c", ""]) is None


def test_one_that_is_there_stays(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(class_archive.VARIABLE, LATER)
    archive.parent.mkdir(parents=True)
    archive.touch()
    assert write_later(0, [sys.executable, "-c", ""]) is None


def test_archives_of_an_older_training_go(archive: Path) -> None:
    archive.parent.mkdir(parents=True)
    home, _, _ = archive.stem.rpartition("-")
    older, other = archive.with_name(f"{home}-000000000000.jsa"), archive.with_name("classes-4.3.0-aa-bb.jsa")
    for each in (archive, older, other):
        each.touch()
    class_archive._remove_older(archive)
    assert sorted(archive.parent.iterdir()) == sorted([archive, other])


def test_one_process_writes_at_a_time(archive: Path) -> None:
    archive.parent.mkdir(parents=True)
    path = archive.with_suffix(".lock")
    first = class_archive._locked(path)
    assert first is not None
    assert class_archive._locked(path) is None
    first.close()
    again = class_archive._locked(path)
    assert again is not None
    again.close()
