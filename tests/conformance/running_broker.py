"""The brokers that the conformance suite talks to: Riacho always, Apache Kafka beside it when asked for.

`RIACHO_CONFORMANCE_PEER=1` runs every test on both, `RIACHO_CONFORMANCE_PEER=only` on Apache Kafka alone.
`RIACHO_CONFORMANCE_BOOTSTRAP=host:port` runs them on a broker that is already up, whatever it is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from support.riacho_process import RiachoProcess

# Both brokers run with the same settings: small internal topics and short group timeouts keep the suite quick.
PROPERTIES = {
    "auto.create.topics.enable": "true",
    "group.initial.rebalance.delay.ms": "100",
    "group.share.heartbeat.interval.ms": "300",
    "group.share.min.heartbeat.interval.ms": "100",
    "group.share.min.record.lock.duration.ms": "1000",
    "group.share.min.session.timeout.ms": "1000",
    "group.share.session.timeout.ms": "3000",
    "group.min.session.timeout.ms": "1000",
    "group.consumer.heartbeat.interval.ms": "300",
    "group.consumer.min.heartbeat.interval.ms": "100",
    "group.consumer.session.timeout.ms": "6000",
    "group.consumer.min.session.timeout.ms": "1000",
    "num.partitions": "1",
    "offsets.topic.num.partitions": "4",
    "offsets.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    "share.coordinator.state.topic.num.partitions": "2",
    "share.coordinator.state.topic.replication.factor": "1",
    "transaction.state.log.num.partitions": "2",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "500",
}


@dataclass(frozen=True, slots=True)
class RunningBroker:
    kind: str
    bootstrap: str

    @property
    def address(self) -> tuple[str, int]:
        host, port = self.bootstrap.rsplit(":", 1)
        return host, int(port)


def kinds() -> list[str]:
    if "RIACHO_CONFORMANCE_BOOTSTRAP" in os.environ:
        return ["running"]
    peer = os.environ.get("RIACHO_CONFORMANCE_PEER", "")
    if peer == "only":
        return ["apache"]
    return ["riacho", "apache"] if peer not in ("", "0") else ["riacho"]


@contextmanager
def run(kind: str, directory: Path) -> Iterator[RunningBroker]:
    if kind == "running":
        yield RunningBroker(kind, os.environ["RIACHO_CONFORMANCE_BOOTSTRAP"])
    elif kind == "riacho":
        process = RiachoProcess(directory, PROPERTIES)
        try:
            yield RunningBroker(kind, process.start())
        finally:
            if process.process is not None:
                process.stop()
    else:
        from support.apache_kafka import ApacheKafka
        from support.java import TOOL_JVM_FLAGS

        # A broker that is soon gone need not optimise itself.
        apache = ApacheKafka(directory, PROPERTIES, jvm_flags=(*TOOL_JVM_FLAGS, "-Xmx1G"))
        try:
            apache.start()
            yield RunningBroker(kind, apache.bootstrap)
        finally:
            apache.stop()
