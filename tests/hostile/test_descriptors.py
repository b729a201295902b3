"""A broker that has few descriptors: a crowd that connects and says nothing takes those for connections, not its files,
and a good client has all it needs, at once or when the crowd has gone."""

from __future__ import annotations

import resource
import socket
import time
from contextlib import ExitStack, suppress
from pathlib import Path

from conformance.raw import ClosedByBroker, RawConnection, batch, wait_until_served
from conformance.waiting import eventually
from hostile.hostile_broker import HostileBroker, hostile_broker

OPEN_FILES_MAX = 300
CROWD = 400
TOPICS = 60


def limited(broker: HostileBroker) -> None:
    resource.prlimit(broker.process.pid, resource.RLIMIT_NOFILE, (OPEN_FILES_MAX, OPEN_FILES_MAX))


def open_files(broker: HostileBroker) -> int:
    return len(list(Path(f"/proc/{broker.process.pid}/fd").iterdir()))


def create(good: RawConnection, first: int, count: int) -> list[int]:
    topics = [
        {"name": f"topic-{number}", "num_partitions": 1, "replication_factor": 1}
        for number in range(first, first + count)
    ]
    return [topic.error_code for topic in good.ask("CreateTopics", 7, topics=topics, timeout_ms=5_000).topics]


def produce(good: RawConnection, number: int) -> int:
    data = {"name": f"topic-{number}", "partition_data": [{"index": 0, "records": batch(b"v")}]}
    [stored] = good.ask("Produce", 9, acks=-1, timeout_ms=5_000, topic_data=[data]).responses
    return int(stored.partition_responses[0].error_code)


def test_a_crowd_cannot_take_the_descriptors_of_files(tmp_path: Path) -> None:
    with hostile_broker(tmp_path, {"max.connections.per.ip": "10000"}) as broker:
        limited(broker)
        with RawConnection(broker.address) as good, ExitStack() as crowd:
            for _ in range(CROWD):
                with suppress(ConnectionError):
                    crowd.enter_context(socket.create_connection(broker.address, timeout=10))
            assert create(good, 0, TOPICS) == [0] * TOPICS
            for number in range(TOPICS):
                wait_until_served(good, f"topic-{number}")
                assert produce(good, number) == 0
            assert open_files(broker) < OPEN_FILES_MAX
            broker.check()
        eventually(lambda: open_files(broker) < OPEN_FILES_MAX // 2)
        with RawConnection(broker.address) as another:
            assert create(another, TOPICS, 1) == [0]
            wait_until_served(another, f"topic-{TOPICS}")
            assert produce(another, TOPICS) == 0


def test_a_broker_at_its_limit_refuses_newcomers_and_goes_on(tmp_path: Path) -> None:
    with hostile_broker(tmp_path, {"max.connections.per.ip": "10000"}) as broker:
        limited(broker)
        with ExitStack() as crowd:
            for _ in range(CROWD):
                with suppress(ConnectionError):
                    crowd.enter_context(socket.create_connection(broker.address, timeout=10))
            with suppress(ClosedByBroker, ConnectionError), RawConnection(broker.address) as late:
                late.ask("ApiVersions", 3, client_software_name="late", client_software_version="1")
                raise AssertionError("there was no place for it")
            before_s = broker.worked_s()
            time.sleep(0.5)  # the time that is looked at
            assert broker.worked_s() - before_s < 0.25, "it does not go round and round"
        broker.check()
        eventually(lambda: _is_served(broker))


def _is_served(broker: HostileBroker) -> bool:
    with suppress(ClosedByBroker, ConnectionError), RawConnection(broker.address) as newcomer:
        newcomer.ask("ApiVersions", 0)
        return True
    return False
