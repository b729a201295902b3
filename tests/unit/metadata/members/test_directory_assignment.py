from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.image.directories import UNASSIGNED
from riacho.wire.messages import assign_replicas_to_dirs_request as assign
from support.metadata_world import MetadataWorld, log_dir, topic

DIRS = [log_dir(2), log_dir(2, 1)]


def two_disks() -> MetadataWorld:
    world = MetadataWorld(1)
    world.start_broker(2, log_dirs=DIRS)
    world.create(topic("a", assignments={0: [1, 2]}), topic("b", assignments={0: [1]}))
    return world


def test_a_replica_is_put_on_record_where_its_broker_put_it() -> None:
    world = two_disks()
    assert world.partition().directories == (log_dir(1), UNASSIGNED)
    assert world.place(2, DIRS[1]) == 0
    assert world.partition().directories == (log_dir(1), DIRS[1])
    assert world.partition().leader_epoch == 0
    count = len(world.records)
    assert world.place(2, DIRS[1]) == 0
    assert len(world.records) == count


def test_a_directory_that_failed_in_between_takes_the_replica_out_of_sync() -> None:
    world = two_disks()
    world.beat(2, offline_log_dirs=[DIRS[1]])
    assert world.partition().isr == (1, 2)
    assert world.place(2, DIRS[1]) == 0
    assert world.partition().isr == (1,)


def test_what_cannot_be_placed_is_refused_by_itself() -> None:
    world = two_disks()
    assert world.place(2, DIRS[0], "b") == ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert world.place(2, DIRS[0], "a", 5) == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    partitions = [assign.PartitionData(partition_index=0)] * 2
    topics = [
        assign.TopicData(topic_id=b"x" * 16, partitions=partitions[:1]),
        assign.TopicData(topic_id=world.image.topics["a"].id, partitions=partitions),
    ]
    request = assign.AssignReplicasToDirsRequest(
        broker_id=2,
        broker_epoch=world.image.brokers[2].epoch,
        directories=[assign.DirectoryData(id=DIRS[0], topics=topics)],
    )
    reply = world.submit(world.controller.assign_replicas_to_dirs(request))
    codes = [[p.error_code for p in found.partitions] for found in reply.directories[0].topics]
    assert codes == [[ErrorCode.UNKNOWN_TOPIC_ID], [0, ErrorCode.INVALID_REQUEST]]
    request.broker_epoch = 3
    with pytest.raises(KafkaError) as raised:
        world.controller.assign_replicas_to_dirs(request)
    assert raised.value.code is ErrorCode.STALE_BROKER_EPOCH
