"""kafka-broker-api-versions: which APIs each broker serves, and in which versions."""

from __future__ import annotations

import sys

from riacho.base.errors import KafkaError
from riacho.cli.kafka.connect import open_cluster
from riacho.cli.kafka.flags.jopt import Arguments
from riacho.cli.kafka.launch import launch, sentence
from riacho.client.connection import Connection
from riacho.wire.apis import APIS


def main() -> None:
    launch("kafka-broker-api-versions", run)


def run(arguments: Arguments) -> int:
    failed = False
    with open_cluster(arguments) as cluster:
        metadata = cluster.retry(lambda: cluster.metadata([]))
        for broker in sorted(metadata.brokers, key=lambda b: b.node_id):
            # Only live brokers are in the metadata of KRaft, so none of them is fenced.
            name = f"{broker.host}:{broker.port} (id: {broker.node_id} rack: {broker.rack or 'null'} isFenced: false)"
            try:
                print(f"{name} -> {describe(cluster.broker(broker.node_id))}")
            except KafkaError as error:
                failed = True
                print(f"{name} -> ERROR: {sentence(error)}", file=sys.stderr)
    return 1 if failed else 0


def describe(connection: Connection) -> str:
    known = [key for key, api in APIS.items() if "broker" in api.listeners]
    lines = [_line(connection, key) for key in sorted({*known, *connection.versions})]
    return "(\n" + ",\n".join(lines) + "\n)"


def _line(connection: Connection, key: int) -> str:
    name = APIS[key].name if key in APIS else "UNKNOWN"
    theirs = connection.versions.get(key)
    if theirs is None:
        return f"\t{name}({key}): UNSUPPORTED"
    low, high = theirs
    span = f"{low} to {high}" if high > low else f"{low}"
    if key not in APIS:
        return f"\t{name}({key}): {span}"
    try:
        return f"\t{name}({key}): {span} [usable: {connection.version_for(key)}]"
    except KafkaError:
        return f"\t{name}({key}): {span} [unusable: node too {'old' if high < APIS[key].min_version else 'new'}]"
