"""kafka-consumer-groups and kafka-groups on groups of the consumer protocol, ours and Kafka's own side by side."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.confluent import create_topic, produce
from conformance.consumer_member import ConsumerMember, settle
from conformance.running_broker import RunningBroker
from conformance.tool_cluster import plain
from e2e.kafka_scripts import run_script, write_scripts
from support.java import available, java_tool

pytestmark = pytest.mark.timeout(300)
GROUP = "modern-tools"

QUESTIONS = [
    f"kafka-consumer-groups --describe --group {GROUP}",
    f"kafka-consumer-groups --describe --group {GROUP} --verbose",
    f"kafka-consumer-groups --describe --group {GROUP} --members",
    f"kafka-consumer-groups --describe --group {GROUP} --members --verbose",
    f"kafka-consumer-groups --describe --group {GROUP} --state",
    f"kafka-consumer-groups --describe --group {GROUP} --state --verbose",
    "kafka-consumer-groups --list --type consumer",
    "kafka-consumer-groups --list --type classic",
    "kafka-consumer-groups --list --state Stable --type consumer",
    "kafka-groups --list --consumer",
    "kafka-groups --list --group-type consumer",
    "kafka-groups --list --protocol consumer",
]


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    reason = available()
    if reason:
        pytest.skip(f"no Java tools here: {reason}")
    return write_scripts(tmp_path_factory.mktemp("bin"))


@pytest.fixture(scope="module")
def group(broker: RunningBroker, scripts: Path) -> Iterator[RunningBroker]:
    """One member that has everything and has committed for some of it; it beats until the end."""
    create_topic(broker.bootstrap, GROUP, 3)
    produce(broker.bootstrap, GROUP, [{"value": b"x", "partition": index % 3} for index in range(9)])
    member = ConsumerMember(broker, GROUP, [GROUP], instance_id="i1")
    member.join()
    settle(member, partitions=3)
    answer = member.connection.ask(
        "OffsetCommit",
        9,
        group_id=GROUP,
        generation_id_or_member_epoch=member.epoch,
        member_id=member.member_id,
        topics=[{"name": GROUP, "partitions": [{"partition_index": 0, "committed_offset": 2}]}],
    )
    assert answer.topics[0].partitions[0].error_code == 0
    over = threading.Event()

    def beat() -> None:
        while not over.wait(0.5):
            member.beat()

    beating = threading.Thread(target=beat)
    beating.start()
    yield broker
    over.set()
    beating.join()
    member.leave()
    member.close()


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_same_answer(group: RunningBroker, scripts: Path, question: str) -> None:
    tool, *words = question.split()
    line = ["--bootstrap-server", group.bootstrap, *words]
    ours = run_script(scripts, [tool, *line])
    assert "Traceback" not in ours.stderr, ours.stderr
    theirs = java_tool(tool, line, timeout=90)
    assert sorted(plain(ours.stdout).splitlines()) == sorted(plain(theirs.stdout).splitlines())
    assert ours.returncode == theirs.returncode
