"""Directories of files in and out, and Spark's own formats by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from pyarrow import dataset

from support.connect_runner import ConnectRunner
from support.topic_records import read

if TYPE_CHECKING:
    from riacho.testing import KafkaCluster

JSON = {
    "key.converter": "org.apache.kafka.connect.storage.StringConverter",
    "value.converter": "org.apache.kafka.connect.json.JsonConverter",
    "value.converter.schemas.enable": "false",
}


def test_json_files_to_a_topic_to_parquet_by_country(
    runner: ConnectRunner, connect_broker: KafkaCluster, tmp_path: Path
) -> None:
    arriving, kept = tmp_path / "in", tmp_path / "out"
    arriving.mkdir()
    rows = [{"id": number, "land": "pt" if number % 2 else "br"} for number in range(6)]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (arriving / "1.json").write_text(text + "{this is no JSON\n")
    reading = runner.run(
        "arriving",
        JSON
        | {
            "connector.class": "DirectorySource",
            "directory": str(arriving),
            "format": "json",
            "schema": "id INT, land STRING",
            "topic": "arrived",
            "errors.tolerance": "all",
        },
        kind="source",
    )
    runner.wait_for(lambda event: event["event"] == "progress", reading)
    (errors,) = runner.of(reading, "errors")
    assert (errors["total"], errors["skipped"]) == (1, 1)
    sent = read(connect_broker.bootstrap_servers, "arrived")
    assert [json.loads(each.value or b"") for each in sent] == rows

    configs = {"connector.class": "DirectorySink", "topics": "arrived", "directory": str(kept), "partition.by": "land"}
    writing = runner.run("kept", JSON | configs, kind="sink")
    runner.wait_for(lambda event: event["event"] == "progress", writing)
    runner.stop("arriving", reading)
    runner.stop("kept", writing)
    table = dataset.dataset(kept, format="parquet", partitioning="hive").to_table().sort_by("id")
    assert [{"id": row["id"], "land": row["land"]} for row in table.to_pylist()] == rows
    assert not [each for each in kept.rglob("*") if each.name.startswith(".")]


def test_any_format_of_sparks(runner: ConnectRunner, connect_broker: KafkaCluster, tmp_path: Path) -> None:
    arriving = tmp_path / "in"
    arriving.mkdir()
    (arriving / "1.csv").write_text("1,one\n2,two\n")
    reading = runner.run(
        "csv",
        JSON
        | {
            "connector.class": "SparkSource",
            "spark.format": "csv",
            "spark.schema": "id INT, name STRING",
            "spark.option.path": str(arriving),
            "topic": "named",
        },
        kind="source",
    )
    told = runner.wait_for(lambda event: event["event"] == "progress", reading)
    configs = {"connector.class": "SparkSink", "topics": "named", "spark.format": "json"}
    writing = runner.run("json", JSON | configs | {"spark.option.path": str(tmp_path / "out")}, kind="sink")
    runner.wait_for(lambda event: event["event"] == "progress", writing)
    runner.stop("csv", reading)
    runner.stop("json", writing)
    found = [json.loads(line) for file in (tmp_path / "out").glob("*.json") for line in file.read_text().splitlines()]
    assert found == [{"id": 1, "name": "one"}, {"id": 2, "name": "two"}]

    # Made again under a name that was deleted: its offsets are there still, its checkpoint is not.
    again = {"spark.format": "csv", "spark.schema": "id INT, name STRING", "spark.option.path": str(arriving)}
    anew = JSON | again | {"connector.class": "SparkSource", "topic": "named-again"}
    reading = runner.run("csv-again", anew, kind="source", offsets=told["offsets"])
    runner.wait_for(lambda event: event["event"] == "progress", reading)
    runner.stop("csv-again", reading)
    assert len(read(connect_broker.bootstrap_servers, "named-again")) == 2
