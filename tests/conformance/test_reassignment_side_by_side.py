"""kafka-reassign-partitions, ours and Kafka's, side by side: each moves partitions of a topic of its own.

The topics are laid out alike and are called alike before the outputs are compared. Moves that have to be seen under way
carry more than their throttle lets through.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Producer

from conformance.tool_cluster import CLUSTER_KINDS, ToolCluster, tool_cluster
from support.cluster_view import settled

pytestmark = pytest.mark.timeout(400)

LAYOUT = "1:2,2:3,3:1"
MINE, OTHER = "mine", "yours"


@pytest.fixture(scope="module", params=CLUSTER_KINDS)
def tools(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ToolCluster]:
    # Small fetches, for a throttle bites only after the first of them.
    small = {"replica.fetch.max.bytes": "65536", "replica.fetch.response.max.bytes": "65536"}
    with tool_cluster(request.param, tmp_path_factory.mktemp("tools"), small) as running:
        for name in (MINE, OTHER):
            made = running.ours(f"kafka-topics @B --create --topic {name} --replica-assignment {LAYOUT}")
            assert made.returncode == 0, made.stdout + made.stderr
        producer = Producer({"bootstrap.servers": running.bootstrap, "linger.ms": 50})
        for number in range(300):
            for name in (MINE, OTHER):
                producer.produce(name, b"x" * 10_000, partition=number % 3)
        assert producer.flush(60) == 0
        yield running


class Plans:
    """The same plan for both topics, a file each."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def write(self, *entries: dict[str, object]) -> tuple[dict[str, object], dict[str, object]]:
        """The names of a line for us, and for them: the topic, and the file of the plan."""
        names = []
        for topic in (MINE, OTHER):
            path = self.directory / f"{topic}.json"
            partitions = [{"topic": topic, **entry} for entry in entries]
            path.write_text(json.dumps({"version": 1, "partitions": partitions}))
            names.append({"topic": topic, "plan": str(path)})
        return names[0], names[1]


@pytest.fixture
def plans(tmp_path: Path) -> Plans:
    return Plans(tmp_path)


def at_rest(tools: ToolCluster) -> None:
    settled(lambda: "No partition" in tools.ours("kafka-reassign-partitions @B --list").stdout, timeout_s=60)


def same_places(text: str) -> str:
    """Directories are chosen by the broker, for each topic anew."""
    head, found, tail = text.partition('{"version"')
    if not found:
        return text
    plan, _, rest = tail.partition("\n")
    document = json.loads(found + plan)
    for entry in document["partitions"]:
        assert all(place.startswith("/") for place in entry.pop("log_dirs"))
    return f"{head}{json.dumps(document)}\n{rest}"


def execute(tools: ToolCluster, plans: tuple[dict[str, object], dict[str, object]], flags: str = "") -> str:
    """Start with ours, wait, start with theirs; their outputs are the same but for the directories."""
    line = f"kafka-reassign-partitions @B --execute --reassignment-json-file {{plan}} {flags}"
    texts = []
    for run, names in zip((tools.ours, tools.theirs), plans, strict=True):
        done = run(line, **names)
        assert done.returncode == 0, done.stdout + done.stderr
        texts.append(same_places(done.stdout.replace(str(names["topic"]), "topic")))
        at_rest(tools)
    assert texts[0] == texts[1]
    return texts[0]


def test_a_move_from_plan_to_end(tools: ToolCluster, plans: Plans) -> None:
    both = plans.write({"partition": 0, "replicas": [3, 1]}, {"partition": 1, "replicas": [2, 3, 1]})
    told = execute(tools, both, "--throttle 50000000")
    assert "The inter-broker throttle limit was set to 50000000 B/s" in told
    assert told.endswith("Successfully started partition reassignments for topic-0,topic-1\n")
    for entity in ("--topic {topic}", "--broker 1", "--broker 2", "--broker 3"):
        described = tools.twins(f"kafka-configs @B --describe {entity}", *both)
        assert "replication.throttled" in described
    tools.twins("kafka-topics @B --describe --topic {topic}", *both)
    # Ours first, and it clears the brokers' throttles for both; the texts are the same either way.
    kept = "kafka-reassign-partitions @B --verify --preserve-throttles --reassignment-json-file {plan}"
    assert "is completed" in tools.twins(kept, *both)
    cleared = tools.twins("kafka-reassign-partitions @B --verify --reassignment-json-file {plan}", *both)
    assert "Clearing broker-level throttles on brokers 1,2,3" in cleared
    for entity in ("--topic {topic}", "--broker 1"):
        assert "replication.throttled" not in tools.twins(f"kafka-configs @B --describe {entity}", *both)


def throttle_beforehand(tools: ToolCluster) -> None:
    """A throttle that is set with a move may come to the brokers after the move has: this little would be through."""
    rates = "leader.replication.throttled.rate=1024,follower.replication.throttled.rate=1024"
    replicas = "leader.replication.throttled.replicas=*,follower.replication.throttled.replicas=*"
    for broker in (1, 2, 3):
        assert tools.ours(f"kafka-configs @B --alter --broker {broker} --add-config {rates}").returncode == 0
    for topic in (MINE, OTHER):
        assert tools.ours(f"kafka-configs @B --alter --topic {topic} --add-config {replicas}").returncode == 0


def test_a_move_under_way_and_its_cancellation(tools: ToolCluster, plans: Plans) -> None:
    at_rest(tools)
    mine, other = plans.write({"partition": 2, "replicas": [3, 2]})
    throttle_beforehand(tools)
    slow = "kafka-reassign-partitions @B --execute --additional --throttle 1024 --reassignment-json-file {plan}"
    for run, names in ((tools.theirs, other), (tools.ours, mine)):
        assert run(slow, **names).returncode == 0
    listed = tools.same("kafka-reassign-partitions @B --list")
    assert listed == (
        "Current partition reassignments:\n"
        "mine-2: replicas: 3,2,1. adding: 2. removing: 1.\nyours-2: replicas: 3,2,1. adding: 2. removing: 1.\n"
    )
    assert tools.same("kafka-reassign-partitions @C --list") == listed
    verified = tools.twins("kafka-reassign-partitions @B --verify --reassignment-json-file {plan}", mine, other)
    assert "Reassignment of partition mine-2 is still in progress." in verified
    assert "Clearing" not in verified
    assert "Adding Replicas: 2\tRemoving Replicas: 1" in tools.twins(
        "kafka-topics @B --describe --topic {topic}", mine, other
    )
    busy = tools.twins("kafka-reassign-partitions @B --execute --reassignment-json-file {plan}", mine, other)
    assert busy.startswith("Cannot execute because there is an existing partition assignment.  Use --additional")
    cancel = "kafka-reassign-partitions @B --cancel --preserve-throttles --reassignment-json-file {plan}"
    assert "Successfully cancelled partition reassignment for: mine-2" in tools.twins(cancel, mine, other)
    at_rest(tools)
    again = tools.twins(cancel.replace(" --preserve-throttles", ""), mine, other)
    assert again.startswith("None of the specified partition reassignments are active.\n")
    tools.same("kafka-reassign-partitions @C --cancel --reassignment-json-file {plan}", **mine)


def test_a_move_between_directories(tools: ToolCluster, plans: Plans) -> None:
    """To the directory that the replica is not in yet, of broker 1."""
    found = {}
    for topic in (MINE, OTHER):
        told = tools.ours(f"kafka-log-dirs @B --describe --broker-list 1 --topic-list {topic}").stdout.splitlines()[2]
        for place in json.loads(told)["brokers"][0]["logDirs"]:
            if any(p["partition"] == f"{topic}-0" for p in place["partitions"]):
                found[topic] = str(place["logDir"])
    targets = {
        topic: place[: -len("data")] + "more" if place.endswith("data") else place[: -len("more")] + "data"
        for topic, place in found.items()
    }
    names = []
    for topic in (MINE, OTHER):
        (own, _) = plans.write({"partition": 0, "replicas": [3, 1], "log_dirs": ["any", targets[topic]]})
        path = Path(str(own["plan"])).with_name(f"directory-{topic}.json")
        path.write_text(Path(str(own["plan"])).read_text().replace(MINE, topic))
        names.append({"topic": topic, "plan": str(path), "place": targets[topic]})
    told = execute(tools, (names[0], names[1]), "--replica-alter-log-dirs-throttle 50000000").replace(
        targets[MINE], "PLACE"
    )
    assert "The replica-alter-dir throttle limit was set to 50000000 B/s" in told
    assert "Successfully started moving log directory to PLACE for replica topic-0 with broker 1 \n" in told
    verify = "kafka-reassign-partitions @B --verify --reassignment-json-file {plan}"
    for run, own in zip((tools.ours, tools.theirs), names, strict=True):
        done = f"Reassignment of replica {own['topic']}-0-1 completed successfully."
        settled(lambda run=run, own=own, done=done: done in run(verify, **own).stdout)  # type: ignore[misc]
    tools.twins(verify, *names)


REFUSED: list[list[dict[str, object]]] = [
    [{"partition": 0, "replicas": [3, 9]}],
    [{"partition": 77, "replicas": [3, 1]}],
    [{"partition": 0, "replicas": []}],
    [{"partition": 0, "replicas": [3, 3]}],
    [{"partition": 0, "replicas": [3, 1]}, {"partition": 0, "replicas": [3, 1]}],
    [{"partition": 0, "replicas": [3, 1], "log_dirs": ["any"]}],
    [],
]


@pytest.mark.parametrize("entries", REFUSED, ids=lambda entries: json.dumps(entries))
def test_plans_that_are_refused(tools: ToolCluster, plans: Plans, entries: list[dict[str, object]]) -> None:
    both = plans.write(*entries)
    told = tools.twins("kafka-reassign-partitions @B --execute --reassignment-json-file {plan}", *both)
    assert told.startswith("Error: ")


def test_a_change_of_the_replication_factor_can_be_refused(tools: ToolCluster, plans: Plans) -> None:
    both = plans.write({"partition": 2, "replicas": [3, 1, 2]})
    line = "kafka-reassign-partitions @B --execute --disallow-replication-factor-change --reassignment-json-file {plan}"
    texts = [
        same_places(run(line, **names).stdout) for run, names in zip((tools.ours, tools.theirs), both, strict=True)
    ]
    assert texts[0].replace(MINE, "topic") == texts[1].replace(OTHER, "topic")
    assert texts[0].endswith("mine-2: The replication factor is changed from 2 to 3\n")


USAGE = [
    "kafka-reassign-partitions @B --list --verify",
    "kafka-reassign-partitions @B --execute",
    "kafka-reassign-partitions @B --list --throttle 5",
    "kafka-reassign-partitions @C --verify --reassignment-json-file nowhere.json",
    "kafka-reassign-partitions @B @C --list",
]


@pytest.mark.parametrize("line", USAGE)
def test_words_that_do_not_go_together(tools: ToolCluster, line: str) -> None:
    ours, theirs = tools.ours(line), tools.theirs(line)
    assert (ours.stdout, ours.returncode) == (theirs.stdout, theirs.returncode) == ("", 1)
    assert ours.stderr.splitlines()[0] == theirs.stderr.splitlines()[0]


def test_a_proposal(tools: ToolCluster, tmp_path: Path) -> None:
    """Chance decides where the round begins, so only the shape is the same: what is there, and each broker's share."""
    topics = tmp_path / "topics.json"
    topics.write_text(json.dumps({"version": 1, "topics": [{"topic": MINE}, {"topic": OTHER}]}))
    line = f"kafka-reassign-partitions @B --generate --topics-to-move-json-file {topics} --broker-list 1,2,3"
    ours, theirs = tools.ours(line).stdout.splitlines(), tools.theirs(line).stdout.splitlines()
    assert len(ours) == 5
    assert ours[:4] == theirs[:4]
    plans = [json.loads(lines[4])["partitions"] for lines in (ours, theirs)]
    shapes = [[(p["topic"], p["partition"]) for p in plan] for plan in plans]
    assert shapes[0] == shapes[1]
    assert all(len(set(p["replicas"])) == len(p["replicas"]) for plan in plans for p in plan)
    tools.same(line.replace("1,2,3", "2,2"))
    # Of a topic whose partitions have different factors, Kafka's tool takes any.
    for run in (tools.ours, tools.theirs):
        refused = run(line.replace("1,2,3", "2"))
        assert refused.returncode == 1
        assert refused.stdout.startswith("Error: The target replication factor of ")
        assert "cannot be reached because only 1 broker(s) are registered" in refused.stdout
