"""Money transfers by workers that are killed, paused and replaced, on brokers that are too: what must come out.

A source of numbered transfers, written all along; workers (see `exactly_once_worker.py`) that make a debit and a credit
of each; and the audit: each transfer was debited once and credited once, whatever happened. The workers share a group.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition

from support.cluster_faults_writers import SILENT
from support.cluster_processes import ProcessCluster
from support.cluster_topics import create_topic
from support.cluster_view import settled

PARTITIONS = 3
GROUP = "transfers"
PATIENCE_S = 90.0
STALLED_S = 20.0
WORKER = Path(__file__).with_name("exactly_once_worker.py")


class Worker:
    """One transactional id, and the process that has it now; with `keep_alive` a process that ended is replaced."""

    def __init__(self, command: Sequence[str], arguments: Sequence[str], name: str, directory: Path) -> None:
        self._argv = [*command, arguments[0], GROUP, name, *arguments[1:]]
        self._output = directory / f"{name}.out"
        self.name = name
        self.processes: list[subprocess.Popen[bytes]] = []
        self.start()

    def start(self) -> None:
        """Another process with the same transactional id; the one before may still be there, as a zombie."""
        with self._output.open("ab") as output:
            self.processes.append(subprocess.Popen(self._argv, stdout=output, stderr=subprocess.STDOUT))

    @property
    def process(self) -> subprocess.Popen[bytes]:
        return self.processes[-1]

    def keep_alive(self) -> None:
        if self.process.poll() is not None:
            self.start()

    def said(self) -> str:
        return self._output.read_text(errors="replace")

    def committed(self) -> int:
        return sum(line.startswith("committed") for line in self.said().splitlines())

    def close(self) -> None:
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.wait()


class Source:
    """Transfers 0, 1, 2, ... at a steady pace, until told to stop; all of them are acknowledged in the end."""

    def __init__(self, bootstrap: str, topic: str, rate: float) -> None:
        config = {"bootstrap.servers": bootstrap, "enable.idempotence": True, "message.timeout.ms": 300_000}
        self._producer = Producer(config, logger=SILENT)
        self._topic, self._interval_s = topic, 1 / rate
        self._stop = threading.Event()
        self.sent = 0
        self.failed: list[str] = []
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.is_set():
            self._producer.produce(
                self._topic, b"%d" % self.sent, partition=self.sent % PARTITIONS, on_delivery=self._verdict
            )
            self.sent += 1
            self._producer.poll(self._interval_s)

    def _verdict(self, error: KafkaError | None, message: Message) -> None:
        if error is not None:
            self.failed.append(str(error))

    def finish(self) -> int:
        self._stop.set()
        self._thread.join()
        assert self._producer.flush(PATIENCE_S) == 0
        assert not self.failed, self.failed[:3]
        return self.sent


class Bank:
    """The whole: topics, source, workers. Faults strike through it; `audit` is the judgement."""

    def __init__(
        self,
        cluster: ProcessCluster,
        name: str,
        directory: Path,
        command: Sequence[str] | None = None,
        workers: int = 2,
    ) -> None:
        self.cluster = cluster
        self.rng = random.Random(name)
        self._patient_until_s = 0.0
        self._transfers, self._ledger = f"{name}-transfers", f"{name}-ledger"
        for topic in (self._transfers, self._ledger):
            create_topic(cluster, topic, PARTITIONS, {"min.insync.replicas": "2"})
        self.source = Source(cluster.bootstrap, self._transfers, rate=80)
        arguments = (cluster.bootstrap, self._transfers, self._ledger)
        self.workers = [
            Worker(command or (sys.executable, str(WORKER)), arguments, f"{name}-{number}", directory)
            for number in range(workers)
        ]

    def progress(self) -> None:
        """A worker commits something new."""
        before = sum(worker.committed() for worker in self.workers)
        self._patient_until_s = time.monotonic() + STALLED_S

        def more() -> int:
            self._keep_workers()
            return sum(worker.committed() for worker in self.workers) - before

        settled(more, lambda count: count > 0, PATIENCE_S)

    def _keep_workers(self) -> None:
        """One that ended is started again, and so are all when nothing moves: librdkafka may wait with its offsets for
        a group coordinator that is gone, for a minute and more."""
        if time.monotonic() > self._patient_until_s:
            self._patient_until_s = time.monotonic() + STALLED_S
            for worker in self.workers:
                worker.process.kill()
                worker.process.wait()
        for worker in self.workers:
            worker.keep_alive()

    def close(self) -> None:
        for worker in self.workers:
            worker.close()
            print(f"--- {worker.name}: {len(worker.processes)} processes\n{worker.said()[-2_000:]}")

    def audit(self) -> None:
        """Everything sent is in the ledger, debited once and credited once, and no transaction is open."""
        wanted = self.source.finish()
        deadline = time.monotonic() + PATIENCE_S
        found: Counter[bytes] = Counter()
        reader = Consumer(
            {
                "bootstrap.servers": self.cluster.bootstrap,
                "group.id": "audit",
                "isolation.level": "read_committed",
                "enable.partition.eof": False,
            },
            logger=SILENT,
        )
        try:
            reader.assign([TopicPartition(self._ledger, index, 0) for index in range(PARTITIONS)])
            self._patient_until_s = time.monotonic() + STALLED_S
            while len(found) < 2 * wanted:
                self._keep_workers()
                assert time.monotonic() < deadline, f"{len(found)} of {2 * wanted} entries"
                found.update(self._read(reader))
            # Whatever is there too much has been committed by now, or never will be.
            for worker in self.workers:
                worker.close()
            self._wait_for_open_transactions()
            quiet_s = time.monotonic() + 2.0
            while time.monotonic() < quiet_s:
                found.update(self._read(reader))
        finally:
            reader.close()
        twice = [entry for entry, count in found.items() if count != 1]
        assert not twice, f"{len(twice)} entries more than once, such as {sorted(twice)[:3]}"
        expected = {b"%s %d" % (side, number) for number in range(wanted) for side in (b"debit", b"credit")}
        assert found.keys() == expected
        balance = sum(-1 if entry.startswith(b"debit") else 1 for entry in found.elements())
        assert balance == 0
        print(f"{wanted} transfers, {sum(len(worker.processes) for worker in self.workers)} processes, balance 0")

    @staticmethod
    def _read(reader: Consumer) -> list[bytes]:
        return [message.value() or b"" for message in reader.consume(1_000, 0.2) if message.error() is None]

    def _wait_for_open_transactions(self) -> None:
        """The last stable offset reaches the end: what dead workers left open has been aborted."""
        reader = Consumer(
            {"bootstrap.servers": self.cluster.bootstrap, "group.id": "x", "isolation.level": "read_committed"},
            logger=SILENT,
        )
        raw = Consumer(
            {"bootstrap.servers": self.cluster.bootstrap, "group.id": "x", "isolation.level": "read_uncommitted"},
            logger=SILENT,
        )

        def ends(consumer: Consumer) -> list[int]:
            places = [TopicPartition(self._ledger, index) for index in range(PARTITIONS)]
            return [consumer.get_watermark_offsets(place, 10)[1] for place in places]

        try:
            settled(lambda: (ends(reader), ends(raw)), lambda both: both[0] == both[1], PATIENCE_S)
        finally:
            reader.close()
            raw.close()
