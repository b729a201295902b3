"""Tools that went with ZooKeeper: notes and scripts still call them, and are told what to use now."""

from __future__ import annotations

import sys
from pathlib import PurePath
from typing import NoReturn

from riacho.cli.unread_output import open_closed_streams

RETIRED = {
    "zookeeper-shell": (
        "there is no ZooKeeper here, the brokers keep the metadata themselves; `kafka-topics --describe`, "
        "`kafka-configs --describe` and `kafka-metadata-quorum describe --status` show it."
    ),
    "kafka-preferred-replica-election": (
        "Kafka 3.0 has replaced it by `kafka-leader-election --bootstrap-server HOST:PORT --election-type preferred "
        "--all-topic-partitions`, or --path-to-json-file FILE for some of them."
    ),
}


def main() -> NoReturn:
    """Whatever its words are: also for --help that sentence is all there is to say."""
    open_closed_streams()
    name = PurePath(sys.argv[0]).name.removesuffix(".sh")
    print(f"{name}: {RETIRED[name]}", file=sys.stderr)
    sys.exit(1)
