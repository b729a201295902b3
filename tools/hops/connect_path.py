"""Counts the hops of a sink connector that meets a poison record: a worker, its runner, Spark's Python workers.

    PYTHONPATH=src:tests python tools/hops/connect_path.py [--list]

Two figures: from the request that makes the connector to its first dead letter, and one more micro-batch with a good
and a bad record. What the processes call while nothing is asked of them is left out; so are the brokers.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from recorder import Call, show
from sitecustomize import VARIABLE

from riacho.testing import KafkaCluster
from support import service_process
from support.connect_platform import RealWorker, is_alive
from support.connect_runner import SPARK
from support.topic_records import Sent, read, send

_QUIET_S = 12.0
_TIMEOUT_S = 240.0
_HERE = Path(__file__).parent
_TOPIC, _LETTERS = "payments", "letters"


def configs(file: Path) -> dict[str, str]:
    return {
        "connector.class": "FileStreamSink",
        "file": str(file),
        "topics": _TOPIC,
        "riacho.trigger.ms": "500",
        "key.converter": "org.apache.kafka.connect.storage.StringConverter",
        "value.converter": "org.apache.kafka.connect.json.JsonConverter",
        "value.converter.schemas.enable": "false",
        "errors.tolerance": "all",
        "errors.deadletterqueue.topic.name": _LETTERS,
        "errors.deadletterqueue.topic.replication.factor": "1",
        "errors.deadletterqueue.context.headers.enable": "true",
        "transforms": "route",
        "transforms.route.type": "org.apache.kafka.connect.transforms.RegexRouter",
        "transforms.route.regex": "(.*)",
        "transforms.route.replacement": "routed-$1",
    }


def calls_between(directory: Path, start_s: float, end_s: float) -> list[Call]:
    found: list[tuple[float, Call]] = []
    for file in directory.iterdir():
        for line in file.read_text().splitlines():
            at, *call = line.split("\t")
            if start_s <= float(at) <= end_s:
                found.append((float(at), Call(*call)))
    return list(dict.fromkeys(call for _, call in sorted(found)))


def wait_until(holds: Callable[[], bool], worker: RealWorker) -> None:
    deadline = time.monotonic() + _TIMEOUT_S
    while not holds():
        assert time.monotonic() < deadline, worker.output()[-5_000:]
        time.sleep(0.2)


def letter_count(bootstrap: str) -> int:
    try:
        return len(read(bootstrap, _LETTERS))
    except Exception:
        # Not made yet.
        return 0


def walk(cluster: KafkaCluster, worker: RealWorker, out: Path, calls: Path, *, is_listed: bool) -> None:
    bootstrap = cluster.bootstrap_servers
    times_s = [time.monotonic()]

    def send_and_wait(count: int) -> None:
        send(bootstrap, _TOPIC, [Sent(b'{"id":1}', b"good"), Sent(b"{no json", b"bad")])
        wait_until(lambda: letter_count(bootstrap) == count, worker)
        wait_until(lambda: out.exists() and len(out.read_text().splitlines()) == count, worker)
        # What is told of it afterwards: progress, offsets.
        time.sleep(_QUIET_S / 2)
        times_s.append(time.monotonic())

    time.sleep(_QUIET_S)
    times_s.append(time.monotonic())
    status, answer = worker.call("PUT", "/connectors/payments/config", configs(out))
    assert status == 201, answer
    send_and_wait(1)
    time.sleep(_QUIET_S)
    times_s.append(time.monotonic())
    send_and_wait(2)
    idle, whole, running, batch = (calls_between(calls, start_s, end_s) for start_s, end_s in pairwise(times_s))
    show("Connect sink, from its request to a letter", [c for c in whole if c not in set(idle)], is_listed=is_listed)
    show("Connect sink, a batch with a bad record", [c for c in batch if c not in set(running)], is_listed=is_listed)


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="riacho-hops-") as name, KafkaCluster() as cluster:
        directory = Path(name)
        calls = directory / "calls"
        calls.mkdir()
        os.environ[VARIABLE] = str(calls)
        service_process.SOURCE = f"{service_process.SOURCE}:{_HERE}"  # type: ignore[assignment]
        cluster.create_topic(_TOPIC)
        settings = {
            "group.id": "hops",
            "checkpoint.location": str(directory / "checkpoints"),
            "offset.storage.partitions": "1",
            **SPARK,
        }
        worker = RealWorker("connect", cluster.bootstrap_servers, directory / "worker", settings)
        try:
            worker.start()
            walk(cluster, worker, directory / "out.txt", calls, is_listed="--list" in sys.argv)
        finally:
            if worker.is_running:
                worker.stop()
            for pid in worker.runner_pids():
                if is_alive(pid):
                    os.killpg(pid, 9)


if __name__ == "__main__":
    main()
