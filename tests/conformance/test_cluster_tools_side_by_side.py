"""The tools for a cluster, ours and Kafka's, side by side: the same words have to print the same bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from conformance.tool_cluster import CLUSTER_KINDS, ToolCluster, plain, tool_cluster
from support.cluster_view import settled

pytestmark = pytest.mark.timeout(400)

# Where each topic's partitions are: led by different brokers, one of them on a single broker.
TOPICS = {"three": "1:2:3,2:3:1,3:1:2,1:3:2", "two": "1:2,2:3,3:1", "single": "3,3"}


@pytest.fixture(scope="module", params=CLUSTER_KINDS)
def tools(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ToolCluster]:
    with tool_cluster(request.param, tmp_path_factory.mktemp("tools")) as running:
        for name, assignment in TOPICS.items():
            made = running.ours(f"kafka-topics @B --create --topic {name} --replica-assignment {assignment}")
            assert made.returncode == 0, made.stdout + made.stderr
        fill(running.bootstrap)
        yield running


def fill(bootstrap: str) -> None:
    producer = Producer({"bootstrap.servers": bootstrap, "partitioner": "murmur2"})
    for number in range(200):
        for topic in TOPICS:
            producer.produce(topic, f"value {number}", f"key {number}")
    assert producer.flush(60) == 0
    for group in ("g-one", "g-two", "g-three"):
        consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": group, "enable.auto.commit": False})
        consumer.commit(offsets=[TopicPartition("three", p, 5) for p in range(4)], asynchronous=False)
        consumer.close()


QUESTIONS = [
    "kafka-metadata-quorum @B describe --status",
    "kafka-metadata-quorum @C describe --status",
    "kafka-metadata-quorum @B describe --status --human-readable",
    "kafka-metadata-quorum @B describe --status --replication",
    "kafka-metadata-quorum @B describe",
    "kafka-metadata-quorum @B add-controller",
    "kafka-metadata-quorum @B remove-controller -i 9 -d S3p0UcQ1SjCkwUQ3Ioj1BA --dry-run",
    "kafka-metadata-quorum @B remove-controller -i 9 -d S3p0UcQ1SjCkwUQ3Ioj1BA",
    "kafka-metadata-quorum @B remove-controller -i -9 -d S3p0UcQ1SjCkwUQ3Ioj1BA",
    "kafka-metadata-quorum @B remove-controller -i 9 -d nonsense",
    "kafka-features @B describe",
    "kafka-features @C describe",
    "kafka-features @B describe --node-id 2",
    "kafka-features @B upgrade --feature metadata.version=30 --dry-run",
    "kafka-features @B upgrade --feature metadata.version=99 --dry-run",
    "kafka-features @B upgrade --feature no.such.version=1",
    "kafka-features @B upgrade --feature a=1 --feature a=2",
    "kafka-features @B upgrade --metadata 4.3 --dry-run",
    "kafka-features @B upgrade --release-version 4.0 --feature group.version=1",
    "kafka-features @B upgrade --release-version 9.9",
    "kafka-features @B downgrade --feature metadata.version=7 --dry-run",
    "kafka-features @B disable",
    "kafka-features @B disable --feature no.such.version --dry-run",
    "kafka-features @B version-mapping --release-version 3.9",
    "kafka-features @B feature-dependencies --feature eligible.leader.replicas.version=1 --feature kraft.version=1",
    "kafka-leader-election @B --election-type preferred --all-topic-partitions",
    "kafka-leader-election @B --election-type PREFERRED --topic three --partition 2",
    "kafka-leader-election @B --election-type unclean --topic two --partition 0",
    "kafka-leader-election @B --election-type preferred --topic three --partition 99",
    "kafka-leader-election @B --election-type preferred --topic there-is-none --partition 0",
    "kafka-leader-election @B --topic three --partition 2",
    "kafka-leader-election @B --election-type preferred --topic three",
    "kafka-cluster cluster-id @C",
    "kafka-cluster list-endpoints @C",
    "kafka-cluster list-endpoints @B --include-fenced-brokers",
    "kafka-cluster unregister @B --id 99",
    "kafka-topics @B --list --exclude-internal",
    "kafka-topics @B --describe --exclude-internal",
    "kafka-topics @B --describe --topic three",
    "kafka-get-offsets @B --topic three|two|single",
    "kafka-get-offsets @B --topic three --time earliest",
    "kafka-consumer-groups @B --describe --group g-one",
    "kafka-consumer-groups @B --describe --group g-two --verbose",
    "kafka-consumer-groups @B --describe --group g-three --state",
    "kafka-configs @B --describe --entity-type brokers",
    "kafka-configs @B --describe --broker 3 --all",
    "kafka-configs @C --describe --broker 2",
    "kafka-configs @C --describe --topic three",
]


@pytest.mark.parametrize("line", QUESTIONS)
def test_questions(tools: ToolCluster, line: str) -> None:
    tools.same(line)


def test_replication_of_the_quorum(tools: ToolCluster) -> None:
    """Offsets and times move on between two questions; the columns, their widths and the nodes do not."""

    def shape(text: str) -> list[str]:
        return [re.sub(r"\d+ ms ago *|\b\d+\b *", "N", line) for line in text.splitlines()[1:]]

    for line in ("kafka-metadata-quorum @B describe --replication", "kafka-metadata-quorum @C describe --replication"):
        ours, theirs = tools.ours(line), tools.theirs(line)
        assert ours.stdout.splitlines()[0] == theirs.stdout.splitlines()[0]
        assert shape(ours.stdout) == shape(theirs.stdout)
        assert [row.split("\t")[-2] for row in ours.stdout.splitlines()[1:]] == ["Leader  ", "Follower", "Follower"]
    words = "kafka-metadata-quorum @B describe --replication --human-readable"
    assert shape(tools.ours(words).stdout) == shape(tools.theirs(words).stdout)


def test_api_versions_of_every_broker(tools: ToolCluster) -> None:
    ours, theirs = (run("kafka-broker-api-versions @B").stdout.split("\n)\n") for run in (tools.ours, tools.theirs))
    assert len(ours) == 4
    assert sorted(ours) == sorted(theirs)


def test_groups_of_every_coordinator(tools: ToolCluster) -> None:
    for line in ("kafka-consumer-groups @B --list", "kafka-groups @B --list"):
        ours, theirs = tools.ours(line), tools.theirs(line)
        assert sorted(ours.stdout.splitlines()) == sorted(theirs.stdout.splitlines())
        assert "g-three" in ours.stdout


def test_log_directories_of_every_broker(tools: ToolCluster) -> None:
    line = "kafka-log-dirs @B --describe --topic-list three,single"

    def directories(text: str) -> list[tuple[int, str, list[tuple[str, int, int]]]]:
        return sorted(
            (b["broker"], d["logDir"], sorted((p["partition"], p["size"], p["offsetLag"]) for p in d["partitions"]))
            for b in json.loads(text.splitlines()[2])["brokers"]
            for d in b["logDirs"]
        )

    ours, theirs = tools.ours(line).stdout, tools.theirs(line).stdout
    assert ours.splitlines()[:2] == theirs.splitlines()[:2]
    assert directories(ours) == directories(theirs)
    assert len(directories(ours)) == 6


def test_records_are_deleted_on_every_leader(tools: ToolCluster, tmp_path: Path) -> None:
    wanted = tmp_path / "offsets.json"
    places = [{"topic": "three", "partition": p, "offset": 2} for p in range(4)]
    wanted.write_text(json.dumps({"partitions": places, "version": 1}))
    line = f"kafka-delete-records @B --offset-json-file {wanted}"
    ours, theirs = tools.ours(line), tools.theirs(line)
    assert sorted(ours.stdout.splitlines()) == sorted(theirs.stdout.splitlines())
    assert ours.stdout.count("low_watermark: 2") == 4


def test_replica_verification(tools: ToolCluster) -> None:
    """It runs until it is stopped; two reports of each are enough."""
    from conformance.watching import first_lines

    words = "kafka-replica-verification --broker-list {at} --topics-include three --time -2 --report-interval-ms 300"
    line = words.format(at=tools.bootstrap) + " --max-wait-ms 100"
    ours, theirs = first_lines(tools, line, count=3)
    strip = re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}: ")
    assert all(strip.match(text) for text in (*ours, *theirs))
    texts = [[strip.sub("", text) for text in lines] for lines in (ours, theirs)]
    assert texts[0][0] == texts[1][0] == "verification process is started"
    form = r"max lag is 0 for partition three-\d at offset \d+ among 4 partitions"
    assert all(re.fullmatch(form, text) for lines in texts for text in lines[1:])


REPORTS = [
    "kafka-topics @B --describe --topic three|two|single",
    "kafka-topics @B --describe --topic [a-z]+ --under-replicated-partitions",
    "kafka-topics @B --describe --topic [a-z]+ --unavailable-partitions",
    "kafka-topics @B --describe --topic [a-z]+ --under-min-isr-partitions",
    "kafka-topics @B --describe --topic [a-z]+ --at-min-isr-partitions",
    "kafka-topics @B --describe --topic [a-z]+ --topics-with-overrides",
    "kafka-get-offsets @B --topic three|two",
    "kafka-cluster list-endpoints @B",
    "kafka-cluster list-endpoints @B --include-fenced-brokers",
    "kafka-metadata-quorum @B describe --status",
    "kafka-log-dirs @B --describe --broker-list 2,3",
    "kafka-leader-election @B --election-type preferred --topic single --partition 0",
    "kafka-leader-election @B --election-type unclean --topic single --partition 1",
    "kafka-configs @B --describe --entity-type brokers",
    "kafka-reassign-partitions @B --list",
]


def test_with_a_broker_gone(tools: ToolCluster) -> None:
    """Last of the module: broker 3 is killed; its partitions are led by others, or by nobody."""
    tools.cluster.kill(3)
    view = tools.cluster.view
    settled(lambda: view.partition("single", 0).leader == -1)
    settled(lambda: all(3 not in p.isr for name in ("three", "two") for p in view.partitions(name).values()))
    outputs = {line: tools.same(line) for line in REPORTS}
    assert "Leader: none" in outputs["kafka-topics @B --describe --topic [a-z]+ --unavailable-partitions"]
    assert (
        outputs["kafka-topics @B --describe --topic [a-z]+ --under-replicated-partitions"].count("\tTopic: three") == 4
    )
    fenced = outputs["kafka-cluster list-endpoints @B --include-fenced-brokers"]
    assert re.search(r"^3 .* fenced", plain(fenced), re.MULTILINE)
