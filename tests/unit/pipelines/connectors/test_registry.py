"""Connectors by class name, alias and short name; those of others; and one that is broken."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from riacho.pipelines.connectors.registry import Registry, find, plugins, type_of
from riacho.pipelines.plugin import ConnectError

PLUGIN = """
from riacho.pipelines.plugin import SinkConnector

class Counter(SinkConnector):
    CLASS = "com.example.CounterSinkConnector"
    VERSION = "7.1"

    def put(self, batch, batch_id):
        return ()
"""


@pytest.mark.parametrize(
    "name",
    [
        "org.apache.kafka.connect.file.FileStreamSourceConnector",
        "FileStreamSourceConnector",
        "FileStreamSource",
    ],
)
def test_kafkas_names_short_and_long(name: str) -> None:
    assert find(name).CLASS == "org.apache.kafka.connect.file.FileStreamSourceConnector"


def test_sources_and_sinks_are_listed_once_each() -> None:
    listed = [each.class_name for each in plugins()]
    assert len(listed) == len(set(listed))
    assert {each.type for each in plugins()} == {"source", "sink"}
    assert type_of(find("FileStreamSink")) == "sink"


def test_an_unknown_class_names_those_that_are_known() -> None:
    with pytest.raises(ConnectError, match=r"com\.example\.Nothing.*FileStreamSinkConnector"):
        find("com.example.Nothing")


def test_a_module_of_somebody_elses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "counting_plugin.py").write_text(PLUGIN)
    (tmp_path / "broken_plugin.py").write_text("import no_such_module_anywhere")
    monkeypatch.syspath_prepend(str(tmp_path))
    registry = Registry(["counting_plugin", "broken_plugin"])
    assert registry.find("CounterSink").VERSION == "7.1"
    assert "no_such_module_anywhere" in registry.broken["broken_plugin"]
    assert registry.find("FileStreamSink")


def test_knowing_connectors_needs_no_spark() -> None:
    code = (
        "import sys; from riacho.pipelines.connectors.registry import plugins; plugins();"
        "sys.exit('pyspark.sql' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
