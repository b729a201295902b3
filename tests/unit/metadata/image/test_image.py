from __future__ import annotations

import pytest

from riacho.metadata.image.config_resource import ResourceType
from riacho.metadata.image.image import MetadataImage
from riacho.wire.messages.abort_transaction_record import AbortTransactionRecord
from riacho.wire.messages.access_control_entry_record import AccessControlEntryRecord
from riacho.wire.messages.begin_transaction_record import BeginTransactionRecord
from riacho.wire.messages.clear_elr_record import ClearElrRecord
from riacho.wire.messages.config_record import ConfigRecord
from riacho.wire.messages.end_transaction_record import EndTransactionRecord
from riacho.wire.messages.feature_level_record import FeatureLevelRecord
from riacho.wire.messages.fence_broker_record import FenceBrokerRecord
from riacho.wire.messages.no_op_record import NoOpRecord
from riacho.wire.messages.partition_change_record import PartitionChangeRecord
from riacho.wire.messages.partition_record import PartitionRecord
from riacho.wire.messages.remove_topic_record import RemoveTopicRecord
from riacho.wire.messages.topic_record import TopicRecord
from riacho.wire.messages.unfence_broker_record import UnfenceBrokerRecord
from riacho.wire.messages.unregister_broker_record import UnregisterBrokerRecord
from support.metadata_world import MetadataWorld, topic

ID = b"i" * 16


def test_an_image_never_changes() -> None:
    world = MetadataWorld()
    world.create(topic("a", 2, configs={"retention.ms": "5"}))
    before = world.image
    snapshot = list(before.to_records())
    world.create(topic("b"))
    world.take([RemoveTopicRecord(topic_id=before.topics["a"].id)])
    world.take([ConfigRecord(resource_type=ResourceType.TOPIC, resource_name="b", name="retention.ms", value="7")])
    assert list(before.to_records()) == snapshot
    assert set(before.topics) == {"a"}


def test_what_did_not_change_is_shared() -> None:
    world = MetadataWorld()
    world.create(topic("a", 100), topic("b"))
    before = world.image
    world.create(topic("c"))
    assert world.image.topics["a"] is before.topics["a"]
    assert world.image.configs is before.configs
    assert world.image.brokers is before.brokers
    world.take([PartitionChangeRecord(partition_id=0, topic_id=before.topics["b"].id, isr=[1])])
    assert world.image.topics["a"] is before.topics["a"]
    assert world.image.topics["b"] is not before.topics["b"]


def test_lookups() -> None:
    world = MetadataWorld()
    world.create(topic("a", 2))
    assert world.image.partition("a", 1) is world.image.topics["a"].partitions[1]
    assert world.image.partition("a", 2) is None
    assert world.image.partition("a", -1) is None
    assert world.image.partition("b", 0) is None
    assert world.image.overrides(ResourceType.TOPIC, "a") == {}


def test_a_change_that_names_a_leader_starts_an_epoch_and_another_does_not() -> None:
    world = MetadataWorld(2)
    world.create(topic("a", assignments={0: [1, 2]}))
    topic_id = world.image.topics["a"].id
    world.take([PartitionChangeRecord(partition_id=0, topic_id=topic_id, isr=[1])])
    partition = world.image.topics["a"].partitions[0]
    assert (partition.isr, partition.leader, partition.leader_epoch, partition.partition_epoch) == ((1,), 1, 0, 1)
    world.take([PartitionChangeRecord(partition_id=0, topic_id=topic_id, leader=2, isr=[2])])
    partition = world.image.topics["a"].partitions[0]
    assert (partition.isr, partition.leader, partition.leader_epoch, partition.partition_epoch) == ((2,), 2, 1, 2)


def test_partitions_come_in_order() -> None:
    image = MetadataImage().apply([TopicRecord(name="a", topic_id=ID)])
    with pytest.raises(AssertionError, match="partition 1 after 0"):
        image.apply([PartitionRecord(partition_id=1, topic_id=ID)])


def test_a_topic_made_and_removed_in_one_batch_leaves_nothing() -> None:
    config = ConfigRecord(resource_type=ResourceType.TOPIC, resource_name="a", name="retention.ms", value="7")
    records = [TopicRecord(name="a", topic_id=ID), PartitionRecord(partition_id=0, topic_id=ID), config]
    image = MetadataImage().apply([*records, RemoveTopicRecord(topic_id=ID)])
    assert (image.topics, image.topics_by_id, image.configs) == ({}, {}, {})
    assert image.end_offset == 4


def test_a_topic_removed_and_made_again_in_one_batch_is_the_new_one() -> None:
    other = b"o" * 16
    image = MetadataImage().apply([TopicRecord(name="a", topic_id=ID)])
    image = image.apply([RemoveTopicRecord(topic_id=ID), TopicRecord(name="a", topic_id=other)])
    assert image.topics["a"].id == other
    assert set(image.topics_by_id) == {other}


def test_settings_are_set_and_taken_away() -> None:
    def record(name: str, value: str | None) -> ConfigRecord:
        return ConfigRecord(resource_type=ResourceType.GROUP, resource_name="g", name=name, value=value)

    image = MetadataImage().apply([record("x", "1"), record("y", "2")])
    assert image.overrides(ResourceType.GROUP, "g") == {"x": "1", "y": "2"}
    image = image.apply([record("x", None), record("y", "3")])
    assert image.overrides(ResourceType.GROUP, "g") == {"y": "3"}
    assert image.apply([record("y", None)]).configs == {}
    assert image.apply([record("y", None), record("z", "4")]).overrides(ResourceType.GROUP, "g") == {"z": "4"}


def test_brokers_come_are_fenced_and_go() -> None:
    world = MetadataWorld(2)
    assert [broker.id for broker in world.image.active_brokers()] == [1, 2]
    epoch = world.image.brokers[1].epoch
    world.take([FenceBrokerRecord(id=1, epoch=epoch)])
    assert [broker.id for broker in world.image.active_brokers()] == [2]
    world.take([UnfenceBrokerRecord(id=1, epoch=epoch), UnregisterBrokerRecord(broker_id=2)])
    assert [broker.id for broker in world.image.active_brokers()] == [1]


def test_a_feature_at_level_zero_is_none() -> None:
    image = MetadataImage().apply([FeatureLevelRecord(name="group.version", feature_level=1)])
    assert image.features == {"group.version": 1}
    assert image.apply([FeatureLevelRecord(name="group.version", feature_level=0)]).features == {}


def test_offsets_count_every_record_unless_told() -> None:
    image = MetadataImage().apply([NoOpRecord(), NoOpRecord()])
    assert image.end_offset == 2
    assert image.apply([], 9).end_offset == 9


def test_a_transaction_shows_at_its_end() -> None:
    made = TopicRecord(name="a", topic_id=ID)
    image = MetadataImage().apply([BeginTransactionRecord(name="x"), made])
    assert image.topics == {}
    assert set(image.apply([EndTransactionRecord()]).topics) == {"a"}
    assert image.apply([AbortTransactionRecord()]).topics == {}
    assert set(image.apply([AbortTransactionRecord(), made]).topics) == {"a"}


def test_records_that_nothing_reads_yet_survive_a_snapshot() -> None:
    entry = AccessControlEntryRecord(id=ID, principal="User:a")
    image = MetadataImage().apply([entry])
    assert list(image.to_records()) == [entry]


def test_an_open_transaction_survives_a_snapshot() -> None:
    image = MetadataImage().apply([BeginTransactionRecord(), TopicRecord(name="a", topic_id=ID)])
    again = MetadataImage().apply(image.to_records(), image.end_offset)
    assert again == image
    assert set(again.apply([EndTransactionRecord()]).topics) == {"a"}


def test_a_batch_that_cannot_be_applied_leaves_the_image() -> None:
    image = MetadataImage()
    with pytest.raises(KeyError):
        image.apply([TopicRecord(name="a", topic_id=ID), PartitionChangeRecord(partition_id=0, topic_id=b"u" * 16)])
    assert image == MetadataImage()


def hosted(world: MetadataWorld, broker_id: int) -> list[tuple[str, int]]:
    return [(found.name, partition_id) for found, partition_id, _ in world.image.partitions_on(broker_id)]


def test_the_partitions_of_a_broker_are_indexed() -> None:
    world = MetadataWorld(3)
    world.create(topic("a", assignments={0: [1, 2], 1: [2, 3]}), topic("b", assignments={0: [3]}))
    assert hosted(world, 1) == [("a", 0)]
    assert hosted(world, 2) == [("a", 0), ("a", 1)]
    assert sorted(hosted(world, 3)) == [("a", 1), ("b", 0)]
    assert hosted(world, 9) == []
    a = world.image.topics["a"].id
    before = world.image
    world.take([PartitionChangeRecord(partition_id=0, topic_id=a, isr=[1])])
    assert world.image.partitions_by_broker is before.partitions_by_broker
    world.take([PartitionChangeRecord(partition_id=0, topic_id=a, replicas=[3, 2])])
    assert hosted(world, 1) == []
    assert [found for _, _, found in before.partitions_on(1)] == [before.topics["a"].partitions[0]]
    world.take([RemoveTopicRecord(topic_id=a)])
    assert world.image.partitions_by_broker == {3: {world.image.topics["b"].id: (0,)}}


def test_a_topic_made_and_removed_in_one_go_leaves_no_trace_in_the_index() -> None:
    image = MetadataImage().apply(
        [
            TopicRecord(name="a", topic_id=ID),
            PartitionRecord(partition_id=0, topic_id=ID, replicas=[1], isr=[1], leader=1),
            RemoveTopicRecord(topic_id=ID),
        ]
    )
    assert image.partitions_by_broker == {}


def test_the_index_is_in_the_order_of_the_records_whatever_the_ids_hash_to() -> None:
    """What a broker's coming or going decides is in that order: in every process the same."""
    ids = [bytes([number]) * 16 for number in range(50, 0, -1)]
    made = [
        record
        for topic_id in ids
        for record in (
            TopicRecord(name=topic_id.hex(), topic_id=topic_id),
            PartitionRecord(partition_id=0, topic_id=topic_id, replicas=[1], isr=[1], leader=1),
        )
    ]
    assert list(MetadataImage().apply(made).partitions_by_broker[1]) == ids


@pytest.mark.parametrize(("name", "cleared"), [("a", ["a"]), ("", ["a", "b"]), ("c", [])])
def test_the_eligible_leaders_of_a_topic_or_of_all_can_be_cleared(name: str, cleared: list[str]) -> None:
    world = MetadataWorld(2, static={"min.insync.replicas": "2"})
    world.create(*(topic(each, assignments={0: [1, 2]}) for each in "abc"))
    world.alter_isr([1], "a")
    world.alter_isr([1], "b")
    before = {each: world.partition(each) for each in "abc"}
    world.take([ClearElrRecord(topic_name=name)])
    for each in "abc":
        after = world.partition(each)
        if each in cleared:
            assert after.eligible_leader_replicas == after.last_known_elr == ()
            assert after.partition_epoch == before[each].partition_epoch + 1
        else:
            assert after is before[each]
    assert not world.image.unread
