"""kafka-share-groups and kafka-console-share-consumer, ours and Kafka's own, side by side on the same broker."""

from __future__ import annotations

import re
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conformance.confluent import create_topic, produce
from conformance.running_broker import RunningBroker
from conformance.waiting import eventually
from e2e.kafka_scripts import run_script, write_scripts
from riacho.client.cluster import Cluster
from riacho.client.configs import alter_configs
from riacho.client.settings import client_settings
from riacho.client.share_consumer import ShareConsumer
from riacho.client.share_groups import share_group_offsets
from riacho.metadata.image.config_resource import ResourceType
from support.java import available, java_tool

pytestmark = pytest.mark.timeout(240)
Done = subprocess.CompletedProcess[str]
Both = Callable[..., tuple[Done, Done]]
TOOL = "kafka-share-groups"
CONSUMER = "kafka-console-share-consumer"


@pytest.fixture(scope="session")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    reason = available()
    if reason:
        pytest.skip(f"no Java tools here: {reason}")
    return write_scripts(tmp_path_factory.mktemp("bin"))


@pytest.fixture
def both(broker: RunningBroker, scripts: Path) -> Both:
    def run(tool: str, *words: str) -> tuple[Done, Done]:
        line = ["--bootstrap-server", broker.bootstrap, *words]
        ours = run_script(scripts, [tool, *line])
        assert "Traceback" not in ours.stderr, ours.stderr
        return ours, java_tool(tool, line, timeout=90)

    return run


@pytest.fixture
def cluster(broker: RunningBroker) -> Iterator[Cluster]:
    with Cluster(client_settings(broker.bootstrap, {"client.id": "beside"})) as cluster:
        yield cluster


def same(pair: tuple[Done, Done]) -> str:
    """What both printed on standard output."""
    ours, theirs = pair
    assert ours.stdout == theirs.stdout, f"{ours.stdout}\n---\n{theirs.stdout}\n{theirs.stderr}"
    return ours.stdout


def listed(pair: tuple[Done, Done]) -> list[str]:
    """The lines that both printed; Java's come in the order of a hash table."""
    ours, theirs = (sorted(done.stdout.splitlines()) for done in pair)
    assert ours == theirs
    return ours


def read(cluster: Cluster, broker: RunningBroker, name: str, count: int = 6) -> None:
    """A group that has read a topic of two partitions to its end, and left."""
    create_topic(broker.bootstrap, name, 2)
    alter_configs(cluster, ResourceType.GROUP, name, {"share.auto.offset.reset": "earliest"}, ())
    produce(broker.bootstrap, name, [{"value": b"%d" % n, "partition": n % 2} for n in range(count)])
    with ShareConsumer(cluster, name, [name]) as consumer:
        taken = 0

        def take() -> bool:
            nonlocal taken
            for record in consumer.poll(200):
                consumer.acknowledge(record)
                taken += 1
            return taken >= count

        eventually(take, 30)


def test_describe_an_empty_group(broker: RunningBroker, cluster: Cluster, both: Both, name: str) -> None:
    read(cluster, broker, name)
    group = ("--group", name)
    assert f"{name} {name} 0" in re.sub(" +", " ", same(both(TOOL, "--describe", *group)))
    for words in (
        ["--offsets"],
        ["--offsets", "--verbose"],
        ["--state"],
        ["--state", "--verbose"],
        ["--members"],
    ):
        ours, theirs = both(TOOL, "--describe", *group, *words)
        same((ours, theirs))
        assert ours.stderr == theirs.stderr
    assert name in listed(both(TOOL, "--list"))
    assert f"{name} Empty" in [re.sub(" +", " ", line) for line in listed(both(TOOL, "--list", "--state", "Empty"))]
    listed(both("kafka-groups", "--list", "--share"))


class Reading(threading.Thread):
    """A member that goes on being one while a tool starts."""

    def __init__(self, broker: RunningBroker, name: str) -> None:
        super().__init__(daemon=True)
        self._address, self._group_id = broker.bootstrap, name
        self._over = threading.Event()
        self.is_reading = threading.Event()

    def run(self) -> None:
        settings = client_settings(self._address, {"client.id": "beside"})
        with (
            Cluster(settings) as cluster,
            ShareConsumer(cluster, self._group_id, [self._group_id], member_id="m-one") as one,
        ):
            while not self._over.is_set():
                one.poll(100)
                if one.assignment:
                    self.is_reading.set()

    def stop(self) -> None:
        self._over.set()
        self.join(20)


def test_describe_members(broker: RunningBroker, both: Both, name: str) -> None:
    create_topic(broker.bootstrap, name, 2)
    member = Reading(broker, name)
    member.start()
    try:
        assert member.is_reading.wait(60)
        shown = same(both(TOOL, "--describe", "--group", name, "--members"))
        for words in (["--members", "--verbose"], ["--state", "--verbose"], []):
            same(both(TOOL, "--describe", "--group", name, *words))
    finally:
        member.stop()
    assert f"{name} m-one /127.0.0.1 beside 2 {name}:0,1" in re.sub(" +", " ", shown)


def test_reset_offsets(broker: RunningBroker, cluster: Cluster, both: Both, name: str) -> None:
    read(cluster, broker, name)
    group = ("--group", name)
    for scope in (["--all-topics"], ["--topic", name], ["--topic", f"{name}:1"]):
        for where in (["--to-earliest"], ["--to-latest"], ["--to-datetime", "2020-01-01T00:00:00.000"]):
            ours, theirs = both(TOOL, "--reset-offsets", *group, *scope, *where, "--dry-run")
            # Java's rows come in the order of a hash table.
            assert sorted(ours.stdout.splitlines()) == sorted(theirs.stdout.splitlines())
    ours, theirs = both(TOOL, "--reset-offsets", *group, "--all-topics", "--to-earliest", "--execute")
    assert sorted(ours.stdout.splitlines()) == sorted(theirs.stdout.splitlines())
    offsets = share_group_offsets(cluster, name)
    assert [offset.start_offset for offset in offsets.values()] == [0, 0]
    assert [offset.lag for offset in offsets.values()] == [3, 3]


def test_delete_offsets_and_groups(broker: RunningBroker, cluster: Cluster, both: Both, name: str) -> None:
    read(cluster, broker, name)
    group = ("--group", name)
    for pair in (
        both(TOOL, "--delete-offsets", *group, "--topic", "not-there"),
        both(TOOL, "--delete-offsets", "--group", f"{name}-not", "--topic", name),
        both(TOOL, "--delete", "--group", f"{name}-not"),
    ):
        # Java names the class of an exception before its words.
        ours, theirs = pair
        assert ours.stdout == re.sub(r"java\.lang\.\w+: ", "", theirs.stdout)
    first, second = both(TOOL, "--delete-offsets", *group, "--topic", name)
    assert first.stdout == f"\n{'TOPIC':<{max(15, len(name))}} STATUS\n{name} Successful\n"
    assert "There is no offset information to delete." in second.stdout
    same(both(TOOL, "--describe", *group))
    first, _ = both(TOOL, "--delete", *group)
    assert first.stdout == f"Deletion of requested share groups ('{name}') was successful.\n"
    assert name not in listed(both(TOOL, "--list"))


def test_each_reads_what_the_other_released(broker: RunningBroker, cluster: Cluster, both: Both, name: str) -> None:
    create_topic(broker.bootstrap, name)
    alter_configs(cluster, ResourceType.GROUP, name, {"share.auto.offset.reset": "earliest"}, ())
    produce(
        broker.bootstrap, name, [{"key": b"k%d" % n, "value": b"v%d" % n, "headers": [("h", b"1")]} for n in range(5)]
    )
    columns = [
        word
        for column in ("partition", "offset", "delivery", "headers", "key", "timestamp")
        for word in ("--formatter-property", f"print.{column}=true")
    ]
    words = ["--topic", name, "--group", name, "--max-messages", "5", "--timeout-ms", "30000", *columns]
    ours, theirs = both(CONSUMER, *words, "--release")
    assert ours.stdout.replace("Delivery:1", "Delivery:2") == theirs.stdout, theirs.stderr
    assert ours.stdout.count("Delivery:1") == 5
    assert ours.stderr == theirs.stderr == "Processed a total of 5 messages\n"
    ours, _ = both(
        CONSUMER, "--topic", name, "--group", name, "--max-messages", "5", "--timeout-ms", "5000", "--reject"
    )
    assert ours.stdout.splitlines() == [f"v{n}" for n in range(5)]
    assert all(offset.lag == 0 for offset in share_group_offsets(cluster, name).values())
