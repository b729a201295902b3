from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.log.real_files import RealFiles
from riacho.metadata.image.features import LATEST
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.snapshot import build_snapshot
from riacho.metadata.image.topic_names import CONSUMER_OFFSETS
from riacho.wire.messages import incremental_alter_configs_request as incremental
from riacho.wire.messages.create_topics_request import CreateTopicsRequest
from support.metadata_broker import CLUSTER_ID, MetadataBroker, run
from support.metadata_world import topic

DIRECTORY = "__cluster_metadata-0"


def create(broker: MetadataBroker, *names: str) -> list[int]:
    request = CreateTopicsRequest(topics=[topic(name) for name in names])
    response = broker.controller.submit(lambda controller: controller.create_topics(request))
    return [result.error_code for result in response.topics]


def set_config(broker: MetadataBroker, kind: int, name: str, key: str, value: str) -> None:
    resource = incremental.AlterConfigsResource(
        resource_type=kind, resource_name=name, configs=[incremental.AlterableConfig(name=key, value=value)]
    )
    request = incremental.IncrementalAlterConfigsRequest(resources=[resource])
    (told,) = broker.controller.submit(lambda controller: controller.incremental_alter_configs(request)).responses
    assert told.error_code == 0, told.error_message


def quorum_state(path: Path) -> dict[str, object]:
    state: dict[str, object] = json.loads((path / DIRECTORY / "quorum-state").read_text())
    return state


def test_a_fresh_directory_becomes_a_cluster(tmp_path: Path) -> None:
    broker = MetadataBroker(tmp_path)
    image = broker.metadata.image
    assert image.cluster_id == CLUSTER_ID
    assert image.features == LATEST
    assert image.brokers[1].is_active
    assert image.brokers[1].endpoints[0].port == 9092
    assert image.end_offset == broker.raft.log.end_offset
    assert quorum_state(tmp_path) == {
        "clusterId": "",
        "leaderId": 1,
        "leaderEpoch": 1,
        "votedId": 1,
        "appliedOffset": 0,
        "currentVoters": [{"voterId": 1}],
        "data_version": 0,
    }


def test_a_restart_finds_everything_again(tmp_path: Path) -> None:
    broker = MetadataBroker(tmp_path)
    assert create(broker, "a", "b") == [0, 0]
    before = broker.metadata.image
    broker.close()
    broker = MetadataBroker(tmp_path)
    assert broker.metadata.image.topics.keys() == before.topics.keys()
    assert broker.metadata.image.topics["a"].id == before.topics["a"].id
    assert broker.metadata.image.topics["a"].partitions[0].leader == 1
    assert broker.metadata.image.features == before.features
    assert broker.metadata.image.brokers[1].epoch > before.brokers[1].epoch
    assert quorum_state(tmp_path)["leaderEpoch"] == 2
    assert broker.raft.node.epoch == 2


def test_a_crash_fences_the_old_leader_epochs(tmp_path: Path) -> None:
    broker = MetadataBroker(tmp_path)
    create(broker, "a")
    broker.crash()
    again = MetadataBroker(tmp_path)
    assert again.metadata.image.topics["a"].partitions[0].leader == 1
    assert again.metadata.image.topics["a"].partitions[0].leader_epoch > 0
    assert again.metadata.image.topics["a"].id == broker.metadata.image.topics["a"].id


def test_a_torn_batch_at_the_end_is_as_if_it_was_never_sent(tmp_path: Path) -> None:
    broker = MetadataBroker(tmp_path)
    create(broker, "a")
    broker.close()
    log = tmp_path / DIRECTORY / "00000000000000000000.log"
    size_bytes = log.stat().st_size
    broker = MetadataBroker(tmp_path)
    create(broker, "b")
    broker.close()
    with open(log, "r+b") as file:
        file.truncate(size_bytes + 30)
    broker = MetadataBroker(tmp_path)
    assert set(broker.metadata.image.topics) == {"a"}
    assert create(broker, "b") == [0]


def test_producer_ids_are_never_given_twice(tmp_path: Path) -> None:
    given = []
    for clean in (True, False, True):
        broker = MetadataBroker(tmp_path)
        given += [run(broker.producer_ids.take()) for _ in range(1001)]
        if clean:
            broker.close()
        else:
            broker.crash()
    assert len(set(given)) == len(given) == 3003


def test_subscribers_hear_of_a_change_after_it_is_durable(tmp_path: Path) -> None:
    broker = MetadataBroker(tmp_path)
    heard: list[tuple[MetadataImage, MetadataImage]] = []

    def fail(old: MetadataImage, new: MetadataImage) -> None:
        raise RuntimeError("no room")

    told: list[logging.LogRecord] = []
    broker.logs.error.addFilter(lambda record: told.append(record) or True)  # type: ignore[func-returns-value]
    broker.metadata.subscribe(fail)
    broker.metadata.subscribe(lambda old, new: heard.append((old, new)))
    before = broker.metadata.image
    create(broker, "a")
    assert heard == [(before, broker.metadata.image)]
    assert any("no room" in line for line in broker.errors)
    # With where it came from.
    assert any("in fail" in logging.Formatter().format(record) for record in told)
    create(broker, "a")
    assert len(heard) == 1, "a refusal changes nothing"


def test_what_cannot_be_written_does_not_happen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broker = MetadataBroker(tmp_path)
    before, end_offset = broker.metadata.image, broker.raft.log.end_offset

    def refuse(fd: int) -> None:
        raise OSError(5, "I/O error")

    with monkeypatch.context() as patched:
        patched.setattr(RealFiles, "fsync", staticmethod(refuse))
        patched.setattr(RealFiles, "fdatasync", staticmethod(refuse))
        with pytest.raises(KafkaError) as raised:
            create(broker, "a")
    assert raised.value.code is ErrorCode.KAFKA_STORAGE_ERROR
    assert broker.metadata.image is before
    assert broker.raft.log.end_offset == end_offset
    broker.close()
    assert "a" not in MetadataBroker(tmp_path).metadata.image.topics


def test_snapshots_take_the_place_of_the_log(tmp_path: Path) -> None:
    properties = {"metadata.log.max.record.bytes.between.snapshots": "2000"}
    broker = MetadataBroker(tmp_path, properties)
    for index in range(60):
        assert create(broker, f"t{index}") == [0]
    snapshots = sorted((tmp_path / DIRECTORY).glob("*.checkpoint"))
    assert len(snapshots) == 2
    assert broker.raft.log.start_offset > 0
    segments = sorted((tmp_path / DIRECTORY).glob("*.log"))
    assert int(segments[0].stem) > 0
    before = broker.metadata.image
    broker.close()
    broker = MetadataBroker(tmp_path, properties)
    assert {topic.id for topic in broker.metadata.image.topics.values()} == {t.id for t in before.topics.values()}
    broker.close()
    assert not [line for line in broker.errors if line.startswith("ERROR")]


def test_a_snapshot_is_due_by_time_too(tmp_path: Path) -> None:
    broker = MetadataBroker(tmp_path, {"metadata.log.max.snapshot.interval.ms": "1000"})
    create(broker, "a")
    assert list((tmp_path / DIRECTORY).glob("*.checkpoint")) == []
    broker.clock.now += 1000
    create(broker, "b")
    (snapshot,) = (tmp_path / DIRECTORY).glob("*.checkpoint")
    assert int(snapshot.name[:20]) == broker.metadata.image.end_offset


def test_a_damaged_snapshot_gives_way_to_the_one_before(tmp_path: Path) -> None:
    properties = {"metadata.log.max.record.bytes.between.snapshots": "2000"}
    broker = MetadataBroker(tmp_path, properties)
    for index in range(60):
        create(broker, f"t{index}")
    before = broker.metadata.image
    broker.close()
    newest = sorted((tmp_path / DIRECTORY).glob("*.checkpoint"))[-1]
    newest.write_bytes(newest.read_bytes()[:-10])
    assert MetadataBroker(tmp_path, properties).metadata.image.topics.keys() == before.topics.keys()


def test_data_of_another_metadata_version_is_refused(tmp_path: Path) -> None:
    from riacho.base.decision import Decision
    from riacho.wire.messages.feature_level_record import FeatureLevelRecord

    broker = MetadataBroker(tmp_path)
    record = FeatureLevelRecord(name="metadata.version", feature_level=31)
    broker.controller.submit(lambda _: Decision(reply=None, records=[record]))
    assert broker.raft.broken is not None
    broker.crash()
    with pytest.raises(KafkaError, match=r"metadata\.version at 31"):
        MetadataBroker(tmp_path)


def test_settings_change_while_the_broker_runs(tmp_path: Path) -> None:
    broker = MetadataBroker(tmp_path, {"log.retention.hours": "1"})
    create(broker, "a", "b")
    assert broker.metadata.topic_rules("a")["retention.ms"] == 3_600_000
    assert broker.metadata.topic_rules("a") is broker.metadata.topic_rules("a")
    set_config(broker, 4, "", "log.retention.ms", "7000")
    assert broker.metadata.topic_rules("a")["retention.ms"] == 7000
    set_config(broker, 4, "1", "log.retention.ms", "8000")
    assert broker.metadata.topic_rules("a")["retention.ms"] == 8000
    set_config(broker, 2, "a", "retention.ms", "9000")
    assert broker.metadata.topic_rules("a")["retention.ms"] == 9000
    assert broker.metadata.topic_rules("b")["retention.ms"] == 8000
    assert broker.metadata.values.get("log.retention.ms") == 8000
    broker.close()
    assert MetadataBroker(tmp_path).metadata.topic_rules("a")["retention.ms"] == 9000


def test_the_offsets_topic_is_made_when_it_is_needed(tmp_path: Path) -> None:
    broker = MetadataBroker(tmp_path)
    assert CONSUMER_OFFSETS not in broker.auto_topics.image.topics
    asyncio.run(broker.auto_topics.ensure_offsets_topic())
    assert CONSUMER_OFFSETS in broker.auto_topics.image.topics
    assert len(broker.metadata.image.topics["__consumer_offsets"].partitions) == 50
    asyncio.run(broker.auto_topics.ensure_offsets_topic())


def test_an_offsets_topic_that_cannot_be_made_has_no_coordinator(tmp_path: Path) -> None:
    broker = MetadataBroker(tmp_path, {"offsets.topic.replication.factor": "3"})
    with pytest.raises(KafkaError) as raised:
        asyncio.run(broker.auto_topics.ensure_offsets_topic())
    assert raised.value.code is ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert "replication factor of 3" in raised.value.detail


def test_auto_create_makes_what_it_can(tmp_path: Path) -> None:
    broker = MetadataBroker(tmp_path, {"num.partitions": "3"})
    told = run(broker.auto_topics.create(["a", "b c"]))
    assert [result.error_code for result in told] == [0, ErrorCode.INVALID_TOPIC_EXCEPTION]
    assert len(broker.metadata.image.topics["a"].partitions) == 3


def test_a_fresh_cluster_takes_the_features_that_its_storage_was_formatted_with(tmp_path: Path) -> None:
    image = MetadataImage(features={"metadata.version": 30})
    (tmp_path / "bootstrap.checkpoint").write_bytes(b"".join(build_snapshot(image, 0, 0, 0)))
    broker = MetadataBroker(tmp_path)
    assert broker.metadata.image.features == {"metadata.version": 30}
