"""Share fetches and acknowledgements as raw conversations. The answers are Apache Kafka's, checked beside it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator

import pytest

from conformance.raw import RawConnection
from conformance.running_broker import RunningBroker
from conformance.share_member import (
    ACCEPT,
    NOTHING,
    REJECT,
    RELEASE,
    RENEW,
    ShareMember,
    ShareState,
    Taken,
    new_topic,
    send,
    taken,
)
from conformance.waiting import eventually
from riacho.client.cluster import Cluster
from riacho.client.configs import alter_configs
from riacho.client.settings import client_settings
from riacho.metadata.image.config_resource import ResourceType

NOT_LEADER, INVALID_REQUEST, INVALID_RECORD_STATE = 6, 42, 121
SESSION_NOT_FOUND, INVALID_SESSION_EPOCH = 122, 123
NewMember = Callable[..., ShareMember]


class Share:
    """A topic of one partition and a group that reads it from the start."""

    def __init__(self, broker: RunningBroker, name: str) -> None:
        self.connection = RawConnection(broker.address)
        self.name = name
        self.topic_id = new_topic(self.connection, name)
        self.state = ShareState(self.connection, name, self.topic_id)
        self.state.find()
        assert self.state.initialize().error_code == 0

    def send(self, *counts: int) -> None:
        send(self.connection, self.name, *counts)


@pytest.fixture
def share(broker: RunningBroker, name: str) -> Iterator[Share]:
    share = Share(broker, name)
    yield share
    share.connection.socket.close()


@pytest.fixture
def member(broker: RunningBroker, share: Share) -> Iterator[NewMember]:
    members: list[ShareMember] = []

    def new(group: str | None = None) -> ShareMember:
        members.append(ShareMember(broker.address, group or share.name, share.topic_id))
        return members[-1]

    yield new
    for each in members:
        each.close()


def set_group(broker: RunningBroker, group: str, **settings: str) -> None:
    configs = {name.replace("_", "."): value for name, value in settings.items()}
    with Cluster(client_settings(broker.bootstrap, {})) as cluster:
        alter_configs(cluster, ResourceType.GROUP, group, configs, [])


def test_records_are_given_out_by_batches_and_finished_when_accepted(share: Share, member: NewMember) -> None:
    share.send(10, 5, 5)
    one = member()
    assert one.fetch_some(max_records=5) == Taken([(0, 9, 1)], [(0, 9)])
    assert one.fetch(max_records=5) == Taken([(10, 14, 1)], [(10, 14)])
    assert member().fetch(max_records=500) == Taken([(15, 19, 1)], [(15, 19)])
    assert one.acknowledge((0, 4, [ACCEPT])) == 0
    assert share.state.batches() == [(0, 4, 2, 1)]
    assert share.state.summary().delivery_complete_count == 5
    assert one.acknowledge((5, 14, [ACCEPT])) == 0
    assert (share.state.summary().start_offset, share.state.batches()) == (5, [(5, 14, 2, 1)])


def test_what_comes_back_is_given_out_again_and_counted(share: Share, member: NewMember) -> None:
    share.send(10, 5)
    one, two = member(), member()
    one.fetch_some()
    assert one.acknowledge((8, 12, [RELEASE, REJECT, 0, ACCEPT, RELEASE])) == 0
    assert share.state.batches() == [(8, 8, 0, 1), (9, 10, 4, 1), (11, 11, 2, 1), (12, 12, 0, 1)]
    assert share.state.summary().delivery_complete_count == 3
    assert two.fetch() == Taken([(8, 8, 2), (12, 12, 2)], [(0, 9), (10, 14)])


def test_a_fetch_may_acknowledge_what_was_fetched_before(share: Share, member: NewMember) -> None:
    share.send(3, 3)
    one = member()
    assert one.fetch_some(max_records=1).acquired == [(0, 2, 1)]
    assert one.fetch([(0, 1, [ACCEPT]), (2, 2, [RELEASE])], max_records=1).acknowledge_error_code == 0
    assert share.state.batches() in ([(0, 1, 2, 1), (2, 2, 0, 1)], [(0, 1, 2, 1), (2, 2, 0, 2)])
    assert one.fetch([(0, 0, [9])]).acknowledge_error_code == INVALID_REQUEST


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ([(15, 16, [ACCEPT])], INVALID_REQUEST),
        ([(14, 16, [ACCEPT])], INVALID_REQUEST),
        ([(5, 5, [9])], INVALID_REQUEST),
        ([(5, 5, [])], INVALID_REQUEST),
        ([(5, 6, [ACCEPT, ACCEPT, ACCEPT])], INVALID_REQUEST),
        ([(6, 5, [ACCEPT])], INVALID_REQUEST),
        ([(5, 5, [RENEW])], INVALID_REQUEST),
        ([(5, 8, [ACCEPT]), (6, 9, [ACCEPT])], INVALID_REQUEST),
        ([(5, 6, [ACCEPT]), (6, 7, [ACCEPT])], INVALID_RECORD_STATE),
    ],
)
def test_acknowledgements_that_make_no_sense_are_refused_and_change_nothing(
    share: Share, member: NewMember, said: list[tuple[int, int, list[int]]], code: int
) -> None:
    share.send(10, 5)
    one = member()
    one.fetch_some()
    assert one.acknowledge(*said) == code
    assert share.state.batches() == []
    assert one.acknowledge((0, 14, [ACCEPT])) == 0


def test_only_who_holds_a_record_may_acknowledge_it(share: Share, member: NewMember) -> None:
    share.send(4)
    one, two = member(), member()
    one.fetch_some()
    assert two.fetch() == NOTHING
    assert two.acknowledge((1, 1, [ACCEPT])) == INVALID_RECORD_STATE
    assert one.acknowledge((1, 1, [ACCEPT])) == 0
    assert one.acknowledge((1, 1, [ACCEPT])) == INVALID_RECORD_STATE
    # Below the start there is nothing left to say.
    assert one.acknowledge((0, 0, [ACCEPT])) == 0
    assert one.acknowledge((0, 2, [ACCEPT])) == 0


def test_sessions_count_their_requests(share: Share, member: NewMember) -> None:
    one = member()
    assert one.fetch_raw(epoch=1).error_code == SESSION_NOT_FOUND
    assert one.fetch_raw(epoch=-1, partitions=()).error_code == SESSION_NOT_FOUND
    assert one.acknowledge_raw([(0, 0, [ACCEPT])], epoch=1).error_code == SESSION_NOT_FOUND
    assert one.fetch_raw({0: [(0, 0, [ACCEPT])]}, epoch=0).error_code == INVALID_REQUEST
    one.fetch()
    assert one.fetch_raw(epoch=2).error_code == INVALID_SESSION_EPOCH
    assert one.acknowledge_raw([(0, 0, [ACCEPT])], epoch=0).error_code == INVALID_SESSION_EPOCH
    assert one.fetch_raw().error_code == 0
    assert one.fetch_raw(epoch=1).error_code == INVALID_SESSION_EPOCH
    assert one.fetch_raw(epoch=-1, partitions=()).error_code == 0
    assert one.fetch_raw().error_code == SESSION_NOT_FOUND


@pytest.mark.parametrize("changed", [{"group_id": None}, {"member_id": None}, {"member_id": ""}])
def test_nobody_fetches_without_a_name(share: Share, member: NewMember, changed: dict[str, str | None]) -> None:
    assert member().connection.ask("ShareFetch", 2, **({"group_id": "g", "member_id": "m"} | changed)).error_code == 42


def test_a_session_that_ends_lets_go(share: Share, member: NewMember) -> None:
    share.send(6)
    one = member()
    one.fetch_some()
    answer = one.fetch_raw({0: [(0, 1, [ACCEPT])]}, epoch=-1, partitions=())
    assert (answer.error_code, taken(answer).acknowledge_error_code) == (0, 0)
    eventually(lambda: share.state.batches() == [(2, 5, 0, 1)])
    two = member()
    assert two.fetch_some().acquired == [(2, 5, 2)]
    assert two.acknowledge_raw([], epoch=-1).error_code == 0
    assert member().fetch_some().acquired == [(2, 5, 3)]


def test_a_lost_connection_lets_go(share: Share, member: NewMember) -> None:
    share.send(6)
    one = member()
    one.fetch_some()
    one.close()
    assert member().fetch_some().acquired == [(0, 5, 2)]


def test_a_hold_ends_with_its_time_and_a_renewed_one_later(
    broker: RunningBroker, share: Share, member: NewMember
) -> None:
    set_group(broker, share.name, share_record_lock_duration_ms="1000")
    share.send(4)
    one, two = member(), member()
    found = one.fetch_raw(max_wait_ms=2_000)
    assert found.acquisition_lock_timeout_ms == 1_000
    if not taken(found).acquired:
        one.fetch_some()
    assert one.acknowledge((1, 2, [RENEW]), is_renew_ack=True) == 0
    waited = two.fetch_some(max_wait_ms=3_000)
    assert {(first, count) for first, _, count in waited.acquired} <= {(0, 2), (1, 2), (3, 2)}
    assert one.acknowledge((0, 0, [ACCEPT])) == INVALID_RECORD_STATE


def test_a_fetch_for_renewal_asks_for_no_records(share: Share, member: NewMember) -> None:
    share.send(2, 2)
    one = member()
    one.fetch_some(max_records=1)
    nothing = {"max_wait_ms": 0, "min_bytes": 0, "max_bytes": 0, "max_records": 0}
    assert one.fetch([(0, 0, [RENEW])], is_renew_ack=True, **nothing) == Taken([], [], 0, 0)
    answer = one.fetch_raw({0: [(0, 0, [RENEW])]}, is_renew_ack=True, epoch=one.epoch)
    assert answer.error_code == INVALID_REQUEST


def test_exact_numbers_of_records(share: Share, member: NewMember) -> None:
    share.send(6)
    one = member()
    exact = {"share_acquire_mode": 1}
    assert one.fetch_some(max_records=4, **exact) == Taken([(0, 3, 1)], [(0, 5)])
    assert one.fetch(max_records=1, **exact) == Taken([(4, 4, 1)], [(0, 5)])
    assert one.fetch(max_records=4, **exact) == Taken([(5, 5, 1)], [(0, 5)])


def test_new_records_stand_together_by_the_batch_size(share: Share, member: NewMember) -> None:
    share.send(2, 2, 2, 2, 2, 2)
    one = member()
    assert one.fetch_some(batch_size=3).acquired == [(0, 3, 1), (4, 7, 1), (8, 11, 1)]
    share.send(2, 2, 2, 2)
    assert one.fetch(batch_size=1, max_records=5).acquired == [(12, 13, 1), (14, 15, 1), (16, 17, 1)]


def test_a_fetch_waits_for_records_and_for_some_that_are_let_go(share: Share, member: NewMember) -> None:
    one, two = member(), member()
    one.fetch()
    waiting = {"max_wait_ms": 10_000, "min_bytes": 1, "max_bytes": 1 << 20, "max_records": 10, "batch_size": 10}
    asked = {"topics": [{"topic_id": share.topic_id, "partitions": [{"partition_index": 0}]}]}
    correlation_id = one.connection.send("ShareFetch", 2, **one.request(), **waiting, **asked)
    share.send(3)
    assert taken(one.connection.receive("ShareFetch", 2, correlation_id)).acquired == [(0, 2, 1)]
    two.fetch()
    correlation_id = two.connection.send("ShareFetch", 2, **two.request(), **waiting, **asked)
    assert one.acknowledge((1, 1, [RELEASE])) == 0
    assert taken(two.connection.receive("ShareFetch", 2, correlation_id)).acquired == [(1, 1, 2)]


def test_a_record_is_given_out_as_often_as_the_group_allows(
    broker: RunningBroker, share: Share, member: NewMember
) -> None:
    set_group(broker, share.name, share_delivery_count_limit="3")
    share.send(1, 1)
    one = member()
    counts = []
    while found := one.fetch_some(max_records=1).acquired:
        first, last, count = found[0]
        if first == 1:
            break
        counts.append(count)
        assert one.acknowledge((first, last, [RELEASE])) == 0
    assert counts == [1, 2, 3]
    assert one.acknowledge((1, 1, [ACCEPT])) == 0
    assert (share.state.summary().start_offset, share.state.batches()) == (1, [(1, 1, 2, 1)])


def test_records_tried_often_come_in_smaller_portions(share: Share, member: NewMember) -> None:
    share.send(8)
    one = member()
    portions = []
    for _ in range(4):
        found = one.fetch_some().acquired
        portions.append(found)
        for first, last, _ in found:
            assert one.acknowledge((first, last, [RELEASE])) == 0
    assert portions == [[(0, 7, 1)], [(0, 7, 2)], [(0, 7, 3)], [(0, 3, 4)]]
    assert one.fetch_some().acquired == [(0, 0, 5)]


def test_groups_do_not_hinder_one_another(broker: RunningBroker, share: Share, member: NewMember) -> None:
    share.send(3)
    other = f"{share.name}-other"
    state = ShareState(share.connection, other, share.topic_id)
    state.find()
    state.initialize()
    assert member().fetch_some().acquired == [(0, 2, 1)]
    assert member(other).fetch_some().acquired == [(0, 2, 1)]


def test_a_group_that_has_no_position_starts_at_the_end_or_where_it_says(
    broker: RunningBroker, share: Share, member: NewMember
) -> None:
    share.send(3)
    groups = {"latest": f"{share.name}-latest", "earliest": f"{share.name}-earliest"}
    set_group(broker, groups["earliest"], share_auto_offset_reset="earliest")
    members = {}
    for start, group in groups.items():
        state = ShareState(share.connection, group, share.topic_id)
        state.find()
        assert state.initialize(start_offset=-1).error_code == 0
        members[start] = member(group)
        if start == "latest":
            # Its first fetch decides where the end is.
            eventually(lambda: members["latest"].fetch_raw().error_code == 0)
            eventually(lambda: bool(members["latest"].fetch_raw(partitions=(0,), epoch=0).responses))
            members["latest"].epoch = 1
    share.send(2)
    assert members["latest"].fetch_some().acquired == [(3, 4, 1)]
    assert members["earliest"].fetch_some().acquired == [(0, 4, 1)]


def test_a_group_whose_offsets_were_set_starts_over(share: Share, member: NewMember) -> None:
    share.send(5)
    one = member()
    one.fetch_some()
    assert share.state.initialize(state_epoch=2, start_offset=3).error_code == 0
    answer = one.acknowledge_raw([(0, 4, [ACCEPT])])
    refused = answer.responses[0].partitions[0]
    assert refused.error_code == NOT_LEADER
    assert (refused.current_leader.leader_id, len(answer.node_endpoints)) == (1, 1)
    assert one.fetch_some().acquired == [(3, 4, 1)]


def test_unknown_partitions_are_refused_by_themselves(share: Share, member: NewMember) -> None:
    share.send(1)
    one = member()
    assert one.fetch_some().acquired
    assert taken(one.fetch_raw(partitions=(7,)), 7).error_code == 3
    answer = one.acknowledge_raw([(0, 0, [ACCEPT])], partition=9)
    assert answer.responses[0].partitions[0].error_code == 3
    answer = one.acknowledge_raw([(0, 0, [ACCEPT])], topic_id=uuid.uuid4().bytes)
    assert answer.responses[0].partitions[0].error_code == 100


def test_a_partition_that_is_forgotten_is_not_fetched(share: Share, member: NewMember) -> None:
    one = member()
    one.fetch()
    forgotten = [{"topic_id": share.topic_id, "partitions": [0]}]
    one.fetch_raw(partitions=(), forgotten_topics_data=forgotten)
    share.send(1)
    assert one.fetch_raw(partitions=()).responses == []
    assert one.fetch_some().acquired == [(0, 0, 1)]


def test_version_1_has_no_exact_numbers(share: Share, member: NewMember) -> None:
    share.send(4)
    one = member()
    assert one.fetch_some(version=1, max_records=1).acquired == [(0, 3, 1)]
