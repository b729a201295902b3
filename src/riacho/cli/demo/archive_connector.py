"""The demo's connector: the archive of all transfers in Parquet."""

from __future__ import annotations

from pathlib import Path

from riacho.cli.demo.demo_context import DemoError
from riacho.cli.demo.transfers import TOPIC
from riacho.cli.http_json import HttpFailure, call

CONNECTOR = "transfers-archive"
DLQ = "transfers-dlq"


def archive_config(archive: Path, registry: str) -> dict[str, str]:
    """Every transfer as a row of Parquet, without the holder's name; what cannot be read goes to the dead letters."""
    return {
        "connector.class": "DirectorySink",
        "tasks.max": "2",
        "topics": TOPIC,
        "directory": str(archive),
        "format": "parquet",
        "partition.by": "kind",
        "include.metadata": "true",
        "key.converter": "io.confluent.connect.avro.AvroConverter",
        "key.converter.schema.registry.url": registry,
        "value.converter": "io.confluent.connect.avro.AvroConverter",
        "value.converter.schema.registry.url": registry,
        "transforms": "mask,bank",
        "transforms.mask.type": "org.apache.kafka.connect.transforms.MaskField$Value",
        "transforms.mask.fields": "holder",
        "transforms.mask.replacement": "***",
        "transforms.bank.type": "org.apache.kafka.connect.transforms.InsertField$Value",
        "transforms.bank.static.field": "bank",
        "transforms.bank.static.value": "Banco Riacho",
        "errors.tolerance": "all",
        "errors.deadletterqueue.topic.name": DLQ,
        "errors.deadletterqueue.context.headers.enable": "true",
    }


def is_running(connect: str, name: str) -> bool:
    """DemoError with the reason where it has failed."""
    try:
        status = call("GET", f"{connect}/connectors/{name}/status")
    except HttpFailure:
        return False
    tasks = [task["state"] for task in status["tasks"]]
    if status["connector"]["state"] == "FAILED" or "FAILED" in tasks:
        traces = [status["connector"].get("trace"), *(task.get("trace") for task in status["tasks"])]
        reason = next(filter(None, traces), "no reason given").splitlines()[0]
        raise DemoError(f"the connector failed: {reason}")
    return bool(tasks) and all(task == "RUNNING" for task in tasks)
