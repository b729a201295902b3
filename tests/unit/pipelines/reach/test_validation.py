"""A config that would reach beyond what the worker allows is refused by the setting's name, and the refusal says which
setting of the worker would allow it."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any, Literal

import pytest

from riacho.pipelines.config_def import Outside
from riacho.pipelines.connect.config import limits_of, load_worker_settings, runner_settings
from riacho.pipelines.connect.plugins.catalog_process import Questions
from riacho.pipelines.connect.plugins.plugins import Plugins
from riacho.pipelines.connect.protocol import Settings, Start, settings_from
from riacho.pipelines.connect.runner.query_plan import QueryPlan
from riacho.pipelines.connectors import registry
from riacho.pipelines.connectors.file_stream.line_stream import LineStreamReader
from riacho.pipelines.connectors.file_stream.sink import FileStreamSink
from riacho.pipelines.connectors.http.exchange import HttpExchange, HttpSettings
from riacho.pipelines.plugin import ConnectError, Context
from riacho.pipelines.reach.limits import Limits
from riacho.pipelines.reach.validation import own_refusals
from riacho.pipelines.spark_child.messages import line_of

PATHS, URLS = "riacho.connectors.allowed.paths", "riacho.connectors.allowed.urls"
SPARK_SINK = {"connector.class": "SparkSink", "topics": "t", "spark.format": "parquet"}
SPARK_SOURCE = {"connector.class": "SparkSource", "spark.format": "json", "topic": "t", "spark.schema": "a INT"}


def errors(config: dict[str, str], limits: Limits | None = None) -> list[str]:
    questions = Questions(Plugins(), {}, limits)
    told = questions.answer({"ask": "validate", "name": "x", "configs": {"name": "x", **config}})
    found: list[str] = told["ok"]["errors"]
    return found


REFUSED = [
    ({"connector.class": "FileStreamSource", "topic": "t", "file": "/etc/passwd"}, "file", PATHS),
    ({"connector.class": "FileStreamSink", "topics": "t", "file": "/var/keys/.ssh/authorized_keys"}, "file", PATHS),
    ({"connector.class": "DirectorySource", "topic": "t", "directory": "/etc"}, "directory", PATHS),
    ({"connector.class": "DirectorySink", "topics": "t", "directory": "file:///etc"}, "directory", PATHS),
    ({"connector.class": "DirectorySink", "topics": "t", "directory": "hdfs://h/x"}, "directory", URLS),
    ({"connector.class": "Datagen", "kafka.topic": "t", "schema.filename": "/etc/passwd"}, "schema.filename", PATHS),
    ({"connector.class": "JdbcSource", "topic.prefix": "p", "mode": "bulk", "connection.url": "jdbc:sqlite:/etc/x"},
     "connection.url", PATHS),
    ({"connector.class": "HttpSource", "url": "http://169.254.169.254/latest", "topic.name.pattern": "t"}, "url", URLS),
    ({"connector.class": "HttpSink", "topics": "t", "http.api.url": "http://localhost:8083/"}, "http.api.url", URLS),
    (SPARK_SINK | {"spark.option.path": "/var/lib"}, "spark.option.path", PATHS),
    (SPARK_SINK | {"spark.option.PATH": "/var/lib", "spark.mode": "overwrite"}, "spark.option.PATH", PATHS),
    (SPARK_SOURCE | {"spark.option.path": "/etc"}, "spark.option.path", PATHS),
    (SPARK_SOURCE | {"spark.option.sourceArchiveDir": "/etc"}, "spark.option.sourceArchiveDir", PATHS),
    (SPARK_SOURCE | {"spark.format": "socket"}, "spark.format", "riacho.connectors.allowed.formats"),
    (SPARK_SINK | {"spark.format": "org.apache.spark.sql.hive"}, "spark.format", "riacho.connectors.allowed.formats"),
    (SPARK_SINK | {"spark.format": "riacho_lines"}, "spark.format", "riacho.connectors.allowed.formats"),
    (SPARK_SINK | {"spark.option.parquet.output.committer.class": "x"}, "spark.option.parquet.output.committer.class",
     "not among the options of parquet"),
    (SPARK_SINK | {"spark.option.fs.file.impl": "x"}, "spark.option.fs.file.impl", "not among the options"),
    (SPARK_SINK | {"spark.option.compression": "com.evil.Codec"}, "spark.option.compression", "compression"),
    (SPARK_SINK | {"spark.option.kafka.linger.ms": "5"}, "spark.option.kafka.linger.ms", "not among the options"),
    (SPARK_SOURCE | {"spark.schema": "a STRING DEFAULT reflect('java.lang.Runtime', 'getRuntime')"}, "spark.schema",
     "no expressions"),
    (SPARK_SOURCE | {"spark.jars": "http://evil/x.jar"}, "spark.jars", "the worker's file"),
    (SPARK_SOURCE | {"spark.driver.extraJavaOptions": "-javaagent:x"}, "spark.driver.extraJavaOptions", "worker's"),
    (SPARK_SINK | {"spark.format": "jdbc", "spark.option.url": "jdbc:h2:mem:x;INIT=y"}, "spark.option.url",
     "riacho.connectors.allowed.jdbc"),
    (SPARK_SINK | {"spark.format": "jdbc", "spark.option.url": "jdbc:postgresql:x", "spark.option.driver": "evil.X"},
     "spark.option.driver", "driver"),
    (SPARK_SINK | {"spark.format": "jdbc", "spark.option.url": "jdbc:postgresql:x", "spark.option.socketFactory": "x"},
     "spark.option.socketFactory", "not among the options of jdbc"),
    ({"connector.class": "FileStreamSink", "topics": "t", "file": "a", "consumer.override.ssl.ca.location": "/etc/x"},
     "consumer.override.ssl.ca.location", PATHS),
    ({"connector.class": "FileStreamSink", "topics": "t", "file": "a",
      "consumer.override.sasl.oauthbearer.token.endpoint.url": "file:///etc/passwd"},
     "consumer.override.sasl.oauthbearer.token.endpoint.url", "no http"),
    ({"connector.class": "FileStreamSink", "topics": "t", "file": "a", "value.converter": "Avro",
      "value.converter.schema.registry.url": "http://127.0.0.1:9/"}, "value.converter.schema.registry.url", URLS),
    ({"connector.class": "FileStreamSink", "topics": "t", "file": "a", "value.converter.ssl.ca.location": "/etc/x"},
     "value.converter.ssl.ca.location", PATHS),
]  # fmt: skip


@pytest.mark.parametrize(("config", "setting", "named"), REFUSED)
def test_what_reaches_too_far_is_refused(
    config: dict[str, str], setting: str, named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = errors(config)
    assert len(found) == 1
    assert found[0].startswith(f"{setting} is refused: ")
    assert named in found[0]
    kind: Literal["source", "sink"] = "sink" if "topics" in config else "source"
    start = Start(name="x", generation=1, type=kind, configs=config, checkpoint=str(tmp_path / "checkpoint"))
    with pytest.raises(ConnectError, match="is refused: "):
        QueryPlan.of(start, Settings(bootstrap_servers="b:1"))


def test_what_the_defaults_allow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for config in (
        {"connector.class": "FileStreamSink", "topics": "t", "file": "out.txt"},
        {"connector.class": "DirectorySink", "topics": "t", "directory": str(tmp_path / "d"), "format": "json"},
        {"connector.class": "HttpSink", "topics": "t", "http.api.url": "https://api.example/${topic}"},
        {"connector.class": "HttpSink", "topics": "t", "http.api.url": "http://10.1.2.3/"},
        SPARK_SINK | {"spark.option.path": "out", "spark.mode": "overwrite", "spark.option.compression": "zstd"},
        SPARK_SOURCE | {"spark.option.path": "in", "spark.option.multiLine": "true"},
        {"connector.class": "SparkSource", "spark.format": "rate", "topic": "t", "spark.option.rowsPerSecond": "1"},
        {"connector.class": "JdbcSink", "topics": "t", "connection.url": "jdbc:postgresql://localhost/shop"},
    ):
        assert errors(config) == []


def test_a_secret_that_is_filled_in_later_is_judged_then(tmp_path: Path) -> None:
    config = {"connector.class": "FileStreamSink", "topics": "t", "file": "${env:HOME}/.ssh/authorized_keys"}
    assert errors(config) == []
    filled_in = config | {"file": "/var/keys/.ssh/authorized_keys"}
    start = Start(name="x", generation=1, type="sink", configs=filled_in, checkpoint=str(tmp_path / "c"))
    with pytest.raises(ConnectError, match=r"riacho\.connectors\.allowed\.paths"):
        QueryPlan.of(start, Settings(bootstrap_servers="b:1"))


def test_every_setting_that_names_something_outside_says_so() -> None:
    """By name and by what is said of it: a connector that is added must not be forgotten."""
    words = ("file", "directory", "path", "url", "location")
    missing = [
        f"{name}: {definition.name}"
        for name, connector in registry.registry().names().items()
        for definition in connector.CONFIG
        if any(word in definition.name.lower().replace("_", ".").split(".") for word in words)
        and definition.outside is None
        # The cluster of a mirror's, by its word for one of two.
        and definition.name != "offset-syncs.topic.location"
    ]
    assert missing == []
    assert registry.find("FileStreamSink").CONFIG["file"].outside is Outside.FILE


def test_the_workers_file_says_what_may_be_reached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIACHO_DATA_DIR", str(tmp_path / "data"))
    usual = limits_of(load_worker_settings({"bootstrap.servers": "b:1"}))
    assert str(tmp_path / "data" / "files") in usual.paths
    assert str(tmp_path / "data") in usual.kept
    assert usual.urls == ("public", "private")
    given = {
        "bootstrap.servers": "b:1",
        PATHS: "/srv/a, /srv/b",
        URLS: "https://api.example",
        "riacho.connectors.allowed.formats": "socket",
        "riacho.connectors.allowed.jdbc": "h2",
        "value.converter.schema.registry.url": "http://127.0.0.1:8081",
        "checkpoint.location": "/srv/a/checkpoints",
    }
    settings = load_worker_settings(given)
    chosen = limits_of(settings)
    assert chosen.paths == ("/srv/a", "/srv/b")
    assert "/srv/a/checkpoints" in chosen.kept
    assert chosen.urls == ("https://api.example", "http://127.0.0.1:8081")
    assert (chosen.formats, chosen.jdbc) == (("socket",), ("h2",))
    assert settings_from(line_of(runner_settings(settings))).limits == chosen
    assert errors(SPARK_SOURCE | {"spark.format": "socket", "spark.option.host": "h"}, chosen) == []


def test_files_are_looked_at_again_when_they_are_used(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "secret.txt").write_text("x\n")
    limits = Limits(paths=(str(tmp_path / "in"),), kept=())
    link = tmp_path / "in" / "a.txt"
    reader = LineStreamReader(str(link), 0, 10, limits)
    assert reader.latestOffset({"position": 0}) == {"position": 0}
    link.symlink_to(tmp_path / "secret.txt")
    with pytest.raises(ConnectError, match=r"riacho\.connectors\.allowed\.paths"):
        reader.latestOffset({"position": 0})
    configs = {"file": str(link)}
    sink = FileStreamSink(FileStreamSink.CONFIG.parse(configs), Context("x", configs, "", limits=limits))
    assert own_refusals(sink) == [f"file is refused: {link} is not under one of {PATHS}."]
    link.unlink()
    assert own_refusals(sink) == []


def test_a_call_is_refused_by_where_it_leads_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        exchange = HttpExchange(HttpSettings(retries_max=0, allowed_urls=("public", "private")))
        with pytest.raises(ConnectError, match=r"riacho\.connectors\.allowed\.urls"):
            exchange.call("GET", f"http://127.0.0.1:{port}/", {})
        bounded = HttpExchange(HttpSettings(retries_max=0, allowed_urls=(f"http://127.0.0.1:{port}/v1",)))
        for path in ("/v1/..", "/v2", "/v1/%2e%2e/admin"):
            with pytest.raises(ConnectError, match=r"riacho\.connectors\.allowed\.urls"):
                bounded.call("GET", f"http://127.0.0.1:{port}{path}", {})
        # A name that is looked up again and leads here by then.
        looked_up = socket.getaddrinfo
        answers = iter(["93.184.216.34"])

        def lookup(host: Any, *rest: Any, **named: Any) -> Any:
            return looked_up(next(answers, "127.0.0.1"), *rest, **named)

        monkeypatch.setattr("socket.getaddrinfo", lookup)
        with pytest.raises(ConnectError, match=r"rebound\.example.* is loopback"):
            exchange.reach(f"http://rebound.example:{port}/")
        accepted, _ = listening.accept()
        with accepted:
            accepted.settimeout(30)
            assert accepted.recv(1) == b""
