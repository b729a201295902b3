from __future__ import annotations

import msgspec
import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.image.topics import RECOVERING
from riacho.wire.messages.alter_partition_request import AlterPartitionRequest, BrokerState, PartitionData, TopicData
from support.metadata_world import MetadataWorld, log_dir, topic


def replicated(**configs: str) -> MetadataWorld:
    world = MetadataWorld(4)
    world.create(topic("a", configs=configs, assignments={0: [1, 2, 3]}))
    return world


@pytest.mark.parametrize("version", [2, 3])
def test_the_answer_has_the_partition_as_it_is_then(version: int) -> None:
    world = replicated()
    answer = world.alter_isr([1, 3], version=version)
    assert (answer.error_code, answer.leader_id, answer.isr) == (0, 1, [1, 3])
    assert (answer.leader_epoch, answer.partition_epoch) == (0, 1)
    assert world.partition().isr == (1, 3)
    answer = world.alter_isr([1, 3], version=version)
    assert (answer.error_code, answer.partition_epoch) == (0, 1), "nothing changed"


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"leader_epoch": 1}, ErrorCode.NOT_CONTROLLER),
        ({"partition_epoch": 9}, ErrorCode.NOT_CONTROLLER),
        ({"leader_epoch": -1}, ErrorCode.FENCED_LEADER_EPOCH),
        ({"partition_epoch": -1}, ErrorCode.INVALID_UPDATE_VERSION),
        ({"broker_id": 2}, ErrorCode.INVALID_REQUEST),
        ({"isr": [1, 4]}, ErrorCode.INVALID_REQUEST),
        ({"isr": [1, 1]}, ErrorCode.INVALID_REQUEST),
        ({"isr": []}, ErrorCode.INVALID_REQUEST),
        ({"leader_recovery_state": RECOVERING}, ErrorCode.INVALID_REQUEST),
        ({"leader_recovery_state": 7}, ErrorCode.INVALID_REQUEST),
        ({"partition_index": 5}, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ({"topic_id": b"x" * 16}, ErrorCode.UNKNOWN_TOPIC_ID),
    ],
)
def test_what_does_not_fit_is_refused(changes: dict[str, object], error: ErrorCode) -> None:
    world = replicated()
    given = dict(changes)
    isr = given.pop("isr", [1, 2])
    assert isinstance(isr, list)
    count = len(world.records)
    assert world.alter_isr(isr, **given).error_code == error
    assert len(world.records) == count


def test_a_leader_that_leaves_itself_out_is_followed_by_another_in_sync() -> None:
    world = replicated()
    world.alter_isr([1, 3])
    assert world.alter_isr([2, 3]).error_code == ErrorCode.INVALID_REQUEST, "2 is not in sync"
    assert world.alter_isr([3]).error_code == ErrorCode.NEW_LEADER_ELECTED
    partition = world.partition()
    assert (partition.leader, partition.isr, partition.leader_epoch) == (3, (3,), 1)
    # Once it has caught up, it is one of them again.
    assert world.alter_isr([3, 1]).error_code == 0


@pytest.mark.parametrize("unclean", ["true", "false"])
def test_a_leader_may_not_leave_where_nobody_in_sync_may_lead(unclean: str) -> None:
    world = replicated(**{"unclean.leader.election.enable": unclean})
    dirs = [log_dir(2, number) for number in range(2)]
    world.start_broker(2, log_dirs=dirs)
    world.alter_isr([1, 2])
    world.place(2, dirs[1])
    rules = world.controller.rules
    rules.image.brokers[2] = msgspec.structs.replace(rules.image.brokers[2], log_dirs=(dirs[0],))
    count = len(world.records)
    assert world.alter_isr([2]).error_code == ErrorCode.INELIGIBLE_REPLICA
    assert (world.partition().leader, len(world.records)) == (1, count)


def test_the_whole_request_of_a_former_incarnation_is_refused() -> None:
    world = replicated()
    with pytest.raises(KafkaError) as raised:
        world.alter_isr([1], broker_epoch=99)
    assert raised.value.code is ErrorCode.STALE_BROKER_EPOCH


def test_only_brokers_that_are_up_can_be_in_sync() -> None:
    world = replicated()
    world.fence(3)
    assert world.alter_isr([1, 2, 3]).error_code == ErrorCode.INELIGIBLE_REPLICA
    world.start_broker(3)
    world.create(topic("b", assignments={0: [3, 1]}))
    world.beat(3, want_shut_down=True)
    assert world.alter_isr([1, 2, 3]).error_code == ErrorCode.INELIGIBLE_REPLICA
    world.start_broker(3)
    assert world.alter_isr([1, 2, 3]).error_code == 0


def test_a_follower_that_restarted_since_it_caught_up_is_not_let_in() -> None:
    world = replicated()
    stale = world.image.brokers[3].epoch
    world.start_broker(3, after_clean_stop=False)
    members = [(1, world.image.brokers[1].epoch), (2, -1), (3, stale)]
    asked = [BrokerState(broker_id=id, broker_epoch=epoch) for id, epoch in members]
    answer = world.alter_isr([1, 2, 3], new_isr_with_epochs=asked)
    assert answer.error_code == ErrorCode.INELIGIBLE_REPLICA
    assert world.alter_isr([1, 2, 3], version=2).error_code == 0, "v2 names no epochs"


def test_a_recovering_leader_is_alone_until_it_has_recovered() -> None:
    world = MetadataWorld(2)
    world.create(topic("a", assignments={0: [1, 2]}))
    world.fence(2)
    world.start_broker(1, after_clean_stop=False)
    world.start_broker(2)
    world.recover({1: (0, 5), 2: (0, 3)})
    assert (world.partition().leader, world.partition().leader_recovery_state) == (1, RECOVERING)
    assert world.alter_isr([1, 2], leader_recovery_state=RECOVERING).error_code == ErrorCode.INVALID_REQUEST
    answer = world.alter_isr([1], leader_recovery_state=0)
    assert (answer.error_code, answer.leader_recovery_state) == (0, 0)
    assert world.alter_isr([1, 2]).error_code == 0


def test_a_second_change_of_one_partition_in_a_request_is_refused() -> None:
    world = replicated()
    broker = world.image.brokers[1]
    asked = PartitionData(new_isr_with_epochs=[BrokerState(broker_id=1, broker_epoch=broker.epoch)])
    data = TopicData(topic_id=world.image.topics["a"].id, partitions=[asked, asked])
    request = AlterPartitionRequest(broker_id=1, broker_epoch=broker.epoch, topics=[data])
    answers = world.submit(world.controller.alter_partition(request, 3)).topics[0].partitions
    assert [answer.error_code for answer in answers] == [0, ErrorCode.INVALID_REQUEST]
