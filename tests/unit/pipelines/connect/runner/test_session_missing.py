"""A machine without Java or without PySpark: what is missing is said in one sentence, as the connector's trace."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

import riacho
from riacho.base.config import ConfigError
from riacho.pipelines.connect.protocol import Settings
from riacho.pipelines.connect.runner.host import Host
from riacho.pipelines.plugin import ConnectError
from riacho.pipelines.spark import class_archive, session
from riacho.pipelines.spark_child.events import Events


@pytest.fixture(autouse=True)
def _local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(session.MASTER_VARIABLE, raising=False)


def _host() -> Host:
    return Host(Settings(bootstrap_servers="127.0.0.1:1"), Events(io.BytesIO()))


def test_no_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(ConnectError, match=r"^Spark needs Java 17 or later, and there is none: "):
        _host().session()


def test_an_old_java(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_archive, "java_executable", lambda: "/old/java")
    monkeypatch.setattr(class_archive, "java_version", lambda java: 'openjdk version "1.8.0_402"')
    with pytest.raises(ConnectError, match=r"^Spark needs Java 17 or later, and /old/java is 8: "):
        _host().session()


def test_no_pyspark(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*args: Any, **conf: Any) -> Any:
        raise ModuleNotFoundError("No module named 'pyspark'", name="pyspark")

    monkeypatch.setattr(class_archive, "java_executable", lambda: "/new/java")
    monkeypatch.setattr(class_archive, "java_version", lambda java: 'openjdk version "21.0.1"')
    monkeypatch.setattr(session, "spark", missing)
    with pytest.raises(
        ConnectError, match=r"^Spark cannot be used: the package pyspark is not installed \(pip install"
    ):
        _host().session()


def test_a_program_is_told_as_much(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(ConfigError, match=r"^Spark needs Java 17 or later, and there is none: install it, .*\.$"):
        riacho.spark("shop")
