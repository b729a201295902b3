"""What a session is started with, by its master; no Spark is started here."""

from __future__ import annotations

import functools
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, cast

import pytest
from pyspark import cloudpickle

from riacho.base.config import ConfigError
from riacho.pipelines.data_source import RiachoDataSource, data_source
from riacho.pipelines.spark import class_archive, worker_sockets
from riacho.pipelines.spark.read_format import read_format
from riacho.pipelines.spark.session import local_cores, session_settings
from riacho.pipelines.spark.worker_python import spared_archives, worker_python
from riacho.pipelines.spark.worker_sockets import DIRECTORY, ENABLED

OPTIONS = "spark.driver.extraJavaOptions"


@pytest.fixture(autouse=True)
def no_archive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(class_archive.VARIABLE, "off")


@pytest.mark.parametrize(
    ("master", "cores"),
    [("local", 1), ("local[3]", 3), ("local[2,4]", 2), ("local[*]", os.cpu_count()), ("yarn", None)],
)
def test_cores_of_a_master(master: str, cores: int | None) -> None:
    assert local_cores(master) == cores


def test_a_local_master_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"write local\[\*\] or local\[2\]"):
        local_cores("local[two]")


def test_a_local_session_stays_on_loopback_and_shuffles_little() -> None:
    settings = session_settings("local[2]", {})
    assert settings["spark.driver.host"] == settings["spark.driver.bindAddress"] == "127.0.0.1"
    assert settings["spark.sql.shuffle.partitions"] == "2"
    assert settings["spark.ui.enabled"] == "false"
    assert "FileSystemBased" in settings["spark.sql.streaming.checkpointFileManagerClass"]
    assert OPTIONS not in settings


def test_what_is_given_has_precedence() -> None:
    settings = session_settings("local[2]", {"spark.ui.enabled": "true", OPTIONS: "-Xss2m"})
    assert settings["spark.ui.enabled"] == "true"
    assert settings[OPTIONS] == "-Xss2m"


def test_a_local_session_reaches_its_workers_by_sockets_of_its_own() -> None:
    settings = session_settings("local[2]", {})
    assert settings[ENABLED] == "true"
    directory = Path(settings[DIRECTORY])
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert session_settings("local[2]", {})[DIRECTORY] == str(directory)
    # Workers of a cluster may be other users, or on other machines.
    assert ENABLED not in session_settings("spark://127.0.0.1:7077", {})
    for given in ({ENABLED: "false"}, {DIRECTORY: "/run/sockets"}):
        assert given.items() <= session_settings("local[2]", given).items()
    assert DIRECTORY not in session_settings("local[2]", {ENABLED: "false"})


def test_a_path_that_is_too_long_for_a_socket_is_not_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    long = tmp_path / ("d" * 100)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    monkeypatch.setattr(worker_sockets, "_directory", functools.cache(worker_sockets._directory.__wrapped__))
    assert worker_sockets.socket_settings() == {}
    assert list(long.iterdir()) == []


def test_a_cluster_keeps_its_own_addresses() -> None:
    settings = session_settings("spark://spark.example.com:7077", {})
    assert "spark.driver.host" not in settings
    assert "spark.sql.shuffle.partitions" not in settings
    assert session_settings("spark://127.0.0.1:7077", {})["spark.driver.host"] == "127.0.0.1"


def test_a_remote_session_is_given_no_settings_of_a_driver() -> None:
    assert all(name.startswith("spark.sql.") for name in session_settings("sc://127.0.0.1:15002", {}))


def test_an_archive_is_used_where_there_is_one_and_written_where_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(class_archive, "java_version", lambda java: 'openjdk version "17.0.1"')
    monkeypatch.setattr(class_archive, "java_executable", lambda: "java")
    monkeypatch.setattr(class_archive.atexit, "register", lambda *_: None)
    assert class_archive.java_options("use") == ""
    assert "-XX:ArchiveClassesAtExit=" in class_archive.java_options("write")
    archive = class_archive.archive_path("java")
    assert archive is not None
    archive.touch()
    assert f"-XX:SharedArchiveFile={archive}" in class_archive.java_options("use")
    assert class_archive.java_options("off") == ""


def test_an_older_java_has_no_archive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_archive, "java_version", lambda java: 'java version "1.8.0_392"')
    assert class_archive.java_release("java") == 8
    assert class_archive.archive_path("java") is None


def test_defaults_travel_with_the_class_and_give_way_to_options() -> None:
    kind = cloudpickle.loads(cloudpickle.dumps(data_source({"kafka.bootstrap.servers": "a:1"})))
    assert kind.name() == "riacho"
    assert kind({"subscribe": "t"}).all_options() == {"kafka.bootstrap.servers": "a:1", "subscribe": "t"}
    assert kind({"Kafka.Bootstrap.Servers": "b:2"}).all_options() == {"Kafka.Bootstrap.Servers": "b:2"}
    assert data_source({}) is RiachoDataSource


class Session:
    def __init__(self, **conf: str) -> None:
        self.conf = conf


@pytest.mark.parametrize(("conf", "form"), [({}, "riacho"), ({"spark.riacho.reader": "official"}, "kafka")])
def test_one_setting_chooses_the_reader(conf: dict[str, str], form: str) -> None:
    assert read_format(cast(Any, Session(**conf))) == form


def test_an_unknown_reader_is_refused() -> None:
    with pytest.raises(ConfigError, match="write one of riacho, official"):
        read_format(cast(Any, Session(**{"spark.riacho.reader": "other"})))


def test_a_stand_in_for_python_is_python(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    program = worker_python(sys.executable)
    assert program != sys.executable
    assert worker_python(sys.executable) == program, "made once"
    told = subprocess.run([program, "-c", "print(6 * 7)"], capture_output=True, text=True, check=True, timeout=120)
    assert told.stdout == "42\n"


def test_workers_take_pyspark_from_where_it_is_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Not out of the archives that Spark puts in front: nothing in them is compiled."""
    archives = spared_archives()
    assert archives is not None, "PySpark is installed with the others"
    theirs = sorted(str(path) for path in archives.glob("*.zip"))
    assert len(theirs) == 2, "PySpark's and py4j's"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    own = [str(tmp_path / "with a *"), str(tmp_path / "their.zip")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([theirs[0], own[0], theirs[1], own[1]]))
    program = "import os, sys; print(os.environ['PYTHONPATH']); import py4j, pyspark; print(pyspark.__file__)"
    command = [worker_python(sys.executable), "-c", program]
    told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert told.stdout.splitlines() == [os.pathsep.join(own), str(archives.parents[1] / "__init__.py")]


def test_importing_riacho_imports_no_spark() -> None:
    program = "import sys, riacho; riacho.spark; sys.exit(any(name in sys.modules for name in ('pyspark', 'pyarrow')))"
    assert subprocess.run([sys.executable, "-c", program], check=False, timeout=120).returncode == 0
