"""kafka-delete-records: move the start of partitions up to an offset."""

from __future__ import annotations

import json
from typing import Any

from riacho.base.errors import ErrorCode
from riacho.cli.json_text import parse_json
from riacho.cli.kafka.connect import open_cluster
from riacho.cli.kafka.flags.jopt import Arguments
from riacho.cli.kafka.launch import ToolError, launch
from riacho.cli.kafka.text.sentences import words
from riacho.cli.kafka.text_file import read_text_file
from riacho.client.offsets import TopicPartition
from riacho.client.record_deletion import delete_records


def main() -> None:
    launch("kafka-delete-records", run)


def run(arguments: Arguments) -> int:
    offsets = parse_offsets(read_text_file(arguments.need("offset-json-file")))
    with open_cluster(arguments) as cluster:
        print("Executing records delete operation")
        outcomes = delete_records(cluster, offsets)
    print("Records delete operation completed:")
    for (topic, partition), outcome in outcomes.items():
        if isinstance(outcome, ErrorCode):
            print(f"partition: {topic}-{partition}\terror: {words(outcome)}")
        else:
            print(f"partition: {topic}-{partition}\tlow_watermark: {outcome}")
    return 1 if any(isinstance(outcome, ErrorCode) for outcome in outcomes.values()) else 0


def parse_offsets(text: str) -> dict[TopicPartition, int]:
    try:
        document: Any = parse_json(text)
    except ValueError:
        raise ToolError("The input string is not a valid JSON") from None
    if not isinstance(document, dict) or not isinstance(document.get("partitions"), list):
        raise ToolError("Missing partitions field")
    if document.get("version", 1) != 1:
        raise ToolError(f"Not supported version field value {document['version']}")
    offsets: dict[TopicPartition, int] = {}
    duplicates = []
    for entry in document["partitions"]:
        try:
            where = (str(entry["topic"]), int(entry["partition"]))
            offset = int(entry["offset"])
        except (KeyError, TypeError, ValueError):
            raise ToolError(f"Each partition needs topic, partition and offset, not {json.dumps(entry)}") from None
        if where in offsets:
            duplicates.append(f"{where[0]}-{where[1]}")
        offsets[where] = offset
    if duplicates:
        raise ToolError(f"Offset json file contains duplicate topic partitions: {','.join(duplicates)}")
    return offsets
