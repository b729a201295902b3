"""Instances of the toy service as processes, what happens to them, and the audit of what they were told.

Judged are what they said and the log itself, read by a plain consumer: no number twice, none left out, every
acknowledged one in the log and with the nonce that asked for it, nothing of what was refused, and no decision that
missed what had been acknowledged before it was asked for.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, TopicPartition

from support.cluster_faults_writers import SILENT
from support.cluster_processes import ProcessCluster
from support.cluster_view import settled
from support.service_log_ledger import parse

PATIENCE_S = 120.0
PROGRESS = 20
TOPIC = "ledger"
NOOP = b"riacho.noop"
WORKER = Path(__file__).with_name("service_log_worker.py")
PATHS = (str(Path(__file__).parents[1]), str(Path(__file__).parents[2] / "src"))


class Instance:
    """One after the other its processes write into the same file; each has a name of its own."""

    def __init__(self, bootstrap: str, name: str, directory: Path) -> None:
        self._bootstrap, self._name = bootstrap, name
        self._output = directory / f"{name}.out"
        self._runs = 0
        self.start()

    def start(self) -> None:
        self._runs += 1
        argv = [sys.executable, str(WORKER), self._bootstrap, f"{self._name}-{self._runs}"]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(PATHS)}
        with self._output.open("ab") as output:
            # A killed process may have left half a line.
            output.write(b"\n")
            output.flush()
            self.process = subprocess.Popen(argv, stdout=output, stderr=subprocess.STDOUT, env=environment)

    def lines(self, kind: str) -> Iterator[list[str]]:
        """What was said to the end of the line: a last one without its end was cut off by the kill."""
        for line in self._output.read_text(errors="replace").splitlines(keepends=True):
            words = line.split(" ")
            if words[0] == kind and line.endswith("\n"):
                yield [word.rstrip("\n") for word in words[1:]]

    def acks(self) -> int:
        return sum(1 for _ in self.lines("ack"))

    def last_ack_s(self) -> float:
        return max((float(words[1]) for words in self.lines("ack")), default=0.0)

    def tail(self) -> str:
        return self._output.read_text(errors="replace")[-2_000:]

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def pause(self) -> None:
        os.kill(self.process.pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.kill(self.process.pid, signal.SIGCONT)


class Service:
    def __init__(self, cluster: ProcessCluster, directory: Path, seed: str) -> None:
        self.cluster = cluster
        self.rng = random.Random(seed)
        self.instances = [Instance(cluster.bootstrap, name, directory) for name in ("a", "b")]

    @property
    def leading(self) -> Instance:
        return max(self.instances, key=Instance.last_ack_s)

    @property
    def following(self) -> Instance:
        return min(self.instances, key=Instance.last_ack_s)

    def progress(self, by: Instance | None = None) -> None:
        """More numbers are given out, by whomever or by the one."""
        asked = self.instances if by is None else [by]
        before = sum(instance.acks() for instance in asked)
        settled(lambda: sum(instance.acks() for instance in asked) - before, lambda more: more >= PROGRESS, PATIENCE_S)
        for instance in self.instances:
            assert instance.process.poll() is None, instance.tail()

    def close(self) -> None:
        for instance in self.instances:
            if instance.process.poll() is None:
                instance.kill()

    # The judgement

    def audit(self) -> str:
        self.close()
        for instance in self.instances:
            assert not list(instance.lines("fault")), instance.tail()
        log = self._log()
        assert [number for number, _ in log] == list(range(len(log))), log
        acknowledged = [words for instance in self.instances for words in instance.lines("ack")]
        for _, _, number, nonce in acknowledged:
            assert log[int(number)][1] == nonce, f"{number} was acknowledged to {nonce}, the log has {log[int(number)]}"
        nonces = {nonce for _, nonce in log}
        refused = [words[0] for instance in self.instances for words in instance.lines("refused")]
        assert not nonces & set(refused), nonces & set(refused)
        counts = [words for instance in self.instances for words in instance.lines("count")]
        self._in_order(acknowledged, counts)
        unknown = sum(1 for instance in self.instances for _ in instance.lines("unknown"))
        return f"{len(log)} given, {len(acknowledged)} acknowledged, {len(refused)} refused, {unknown} unknown"

    def _in_order(self, acknowledged: list[list[str]], counts: list[list[str]]) -> None:
        """Whoever asks after a number was acknowledged must be told of more than that."""
        ends = sorted((float(end_s), int(number)) for _, end_s, number, _ in acknowledged)
        asked = [(float(words[0]), int(words[2])) for words in acknowledged]
        asked += [(float(words[0]), int(words[2])) for words in counts]
        known, at = -1, 0
        for start_s, told in sorted(asked):
            while at < len(ends) and ends[at][0] < start_s:
                known = max(known, ends[at][1])
                at += 1
            assert told > known, f"asked at {start_s} and told {told}, though {known} had been acknowledged"

    def _log(self) -> list[tuple[int, str]]:
        reader = Consumer(
            {
                "bootstrap.servers": self.cluster.bootstrap,
                "group.id": "audit",
                "isolation.level": "read_committed",
                "enable.partition.eof": True,
            },
            logger=SILENT,
        )
        raw = Consumer({"bootstrap.servers": self.cluster.bootstrap, "group.id": "audit"}, logger=SILENT)
        place = TopicPartition(TOPIC, 0)
        try:
            # The last writer was killed in a transaction, maybe: until it has timed out, its end is not known.
            settled(
                lambda: (reader.get_watermark_offsets(place, 10), raw.get_watermark_offsets(place, 10)),
                lambda both: both[0] is not None and both[0] == both[1],
                PATIENCE_S,
            )
            reader.assign([TopicPartition(TOPIC, 0, OFFSET_BEGINNING)])
            found = []
            while True:
                message = reader.poll(PATIENCE_S)
                assert message is not None, "the log cannot be read"
                error = message.error()
                if error is None and message.key() != NOOP:
                    found.append(parse(message.key()))
                elif error is not None and error.code() == KafkaError._PARTITION_EOF:
                    return found
        finally:
            reader.close()
            raw.close()
