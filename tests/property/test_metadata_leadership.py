"""Whatever happens to brokers, and in whatever order: elections keep what was acknowledged, and epochs only grow."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from riacho.metadata.image.config_resource import CLUSTER_DEFAULT, ResourceType
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.topics import RECOVERING
from riacho.metadata.partitions.leadership import MIN_ISR, UNCLEAN_ELECTION
from riacho.wire.messages.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from riacho.wire.messages.elect_leaders_request import ElectLeadersRequest
from riacho.wire.messages.unregister_broker_request import UnregisterBrokerRequest
from support.replica_world import TOPIC, ReplicaWorld

BROKERS = st.integers(1, 4)
Step = tuple[Any, ...]


def step(name: str, *arguments: st.SearchStrategy[Any]) -> st.SearchStrategy[Step]:
    return st.tuples(st.just(name), *arguments)


ALL = st.just({1, 2, 3, 4})
# Often enough that things come to pass between two accidents: named twice or more is drawn twice as often or more.
DATA = [
    *[step("produce", BROKERS)] * 4,
    *[step("fetch", BROKERS)] * 3,
    *[step("fetch_all")] * 2,
    step("propose", BROKERS, st.sets(BROKERS)),
    *[step("propose", BROKERS, ALL)] * 3,
    *[step("learn", BROKERS)] * 2,
    *[step("learn_all")] * 3,
]
BROKER = [
    step("kill", BROKERS, st.booleans()),
    step("kill_all", st.booleans()),
    step("in_contact", st.none() | st.sets(BROKERS)),
    *[step("recover")] * 3,
    step("stop", BROKERS),
    *[step("start", BROKERS)] * 3,
    step("beat", BROKERS),
    *[step("beat_all")] * 3,
    step("fence", st.sets(BROKERS, min_size=1, max_size=2)),
    step("shut_down", BROKERS),
    step("want_fence", BROKERS),
]
ADMIN = [
    step("prefer"),
    step("balance"),
    step("min_isr", st.integers(1, 3)),
    step("reassign", st.permutations([1, 2, 3, 4]), st.integers(1, 3)),
    step("cancel"),
    step("unregister", BROKERS),
]
POWER = [step("power_loss", BROKERS, st.integers(1, 9))]
UNCLEAN = [step("unclean", st.booleans()), step("elect_unclean"), step("demand_unclean")]


def story(*steps: list[st.SearchStrategy[Step]]) -> st.SearchStrategy[list[Step]]:
    return st.lists(st.one_of([one for some in steps for one in some]), min_size=40, max_size=80)


def perform(replicas: ReplicaWorld, what: Step) -> None:
    world = replicas.world
    controller = world.controller
    match what:
        case ("produce", id):
            replicas.produce(id)
        case ("fetch", id):
            replicas.fetch(id)
        case ("fetch_all",):
            for id in replicas.replicas:
                replicas.fetch(id)
        case ("propose", id, members):
            replicas.propose_isr(id, members)
        case ("learn", id):
            replicas.learn(id)
        case ("learn_all",):
            for id in replicas.replicas:
                replicas.learn(id)
        case ("kill", id, same_boot):
            replicas.stop(id, orderly=same_boot)
        case ("kill_all", same_boot):
            for id in replicas.replicas:
                replicas.stop(id, orderly=same_boot)
        case ("in_contact", ids):
            # Whatever the controller believes, it must not cost what was acknowledged.
            world.in_contact = ids
        case ("recover",):
            replicas.recover()
        case ("power_loss", id, lose):
            replicas.stop(id, orderly=False, lose=lose)
        case ("stop", id):
            replicas.stop(id, orderly=True)
        case ("start", id):
            replicas.start(id)
        case ("beat", id):
            replicas.beat(id)
        case ("beat_all",):
            for id in replicas.replicas:
                replicas.beat(id)
        case ("shut_down", id):
            replicas.beat(id, want_shut_down=True)
        case ("want_fence", id):
            replicas.beat(id, want_fence=True)
        case ("fence", ids):
            world.fence(*sorted(ids))
        case ("prefer",):
            world.submit(controller.elect_leaders(ElectLeadersRequest(topic_partitions=None), 2))
        case ("balance",):
            world.submit(controller.balance_leaders())
        case ("demand_unclean",):
            world.submit(controller.elect_leaders(ElectLeadersRequest(election_type=1, topic_partitions=None), 2))
        case ("elect_unclean",):
            world.submit(controller.elect_unclean())
        case ("unclean", flag):
            world.set_configs(ResourceType.BROKER, CLUSTER_DEFAULT, {UNCLEAN_ELECTION: str(flag).lower()})
        case ("min_isr", count):
            world.set_configs(ResourceType.TOPIC, TOPIC, {MIN_ISR: str(count)})
        case ("reassign", order, count):
            reassign(replicas, order[:count])
        case ("cancel",):
            reassign(replicas, None)
        case ("unregister", id):
            if not replicas.replicas[id].is_up and id in world.image.brokers:
                world.submit(controller.unregister_broker(UnregisterBrokerRequest(broker_id=id)))
                world.heartbeats.remove(id)
        case _:
            raise AssertionError(what)


def reassign(replicas: ReplicaWorld, target: list[int] | None) -> None:
    partition = ReassignablePartition(partition_index=0, replicas=target)
    request = AlterPartitionReassignmentsRequest(topics=[ReassignableTopic(name=TOPIC, partitions=[partition])])
    replicas.world.submit(replicas.world.controller.alter_partition_reassignments(request, 1))


def play(
    steps: list[Step],
    min_isr: int,
    check: Any = lambda what, before, after: None,
    *,
    may_lose: bool = True,
    may_elect_unclean: bool = False,
) -> None:
    replicas = ReplicaWorld(4, [1, 2, 3], min_isr, may_lose=may_lose, may_elect_unclean=may_elect_unclean)
    replicas.check()
    for what in steps:
        before = replicas.partition
        perform(replicas, what)
        replicas.check()
        after = replicas.partition
        assert (after.partition_epoch, after.leader_epoch) >= (before.partition_epoch, before.leader_epoch)
        assert after.leader_epoch > before.leader_epoch or after.leader == before.leader
        assert after == before or after.partition_epoch > before.partition_epoch
        check(what, before, after)
    replayed = MetadataImage(cluster_id=replicas.world.image.cluster_id).apply(replicas.world.records)
    assert replayed == replicas.world.image


def clean_elections_only(what: Step, before: Any, after: Any) -> None:
    """A new leader was in the ISR or the ELR, or was compared with the others of a partition that has neither."""
    if after.leader in (-1, before.leader) or what[0] == "propose":
        # A proposed ISR can complete a reassignment and be led by one that it brings in.
        return
    added = set(after.replicas) - set(before.replicas)
    if after.leader in {*before.isr, *before.eligible_leader_replicas} - added:
        # It may still have to recover from an election before this one.
        return
    assert before.leader == -1
    assert before.last_known_elr
    assert after.leader_recovery_state == RECOVERING
    assert what[0] == "recover" or len(after.replicas) == 1
    assert not {*before.isr, *before.eligible_leader_replicas, *after.eligible_leader_replicas}


def in_sync_set_is_kept(what: Step, before: Any, after: Any) -> None:
    known = {*after.isr, *after.eligible_leader_replicas, *after.last_known_elr}
    assert known & set(after.replicas), f"nobody is left who had it all: {before} -> {after}"


# Elected from the ELR while it is still to recover from an election before.
FENCED_IN_RECOVERY: list[Step] = [
    ("kill_all", False),
    ("reassign", [3, 2, 1, 4], 1),
    ("start", 3),
    ("beat_all",),
    ("fence", {3}),
    ("beat_all",),
]


@settings(max_examples=80, deadline=None)
@given(steps=story(DATA, BROKER, ADMIN), min_isr=st.integers(1, 3))
@example(steps=FENCED_IN_RECOVERY, min_isr=1)
def test_a_killed_process_loses_nothing_that_was_acknowledged(steps: list[Step], min_isr: int) -> None:
    def check(what: Step, before: Any, after: Any) -> None:
        clean_elections_only(what, before, after)
        in_sync_set_is_kept(what, before, after)

    # Logs survive a killed process, so even where the last known leader has to do, it has all of it.
    play(steps, min_isr, check, may_lose=False)


@settings(max_examples=80, deadline=None)
@given(steps=story(DATA, BROKER, ADMIN, POWER), min_isr=st.integers(1, 3))
def test_a_lost_machine_loses_nothing_that_another_replica_has(steps: list[Step], min_isr: int) -> None:
    play(steps, min_isr, clean_elections_only)


# Alone in the ISR, a leader acknowledges what the one that was elected meanwhile will never have.
DEPOSED_UNAWARES: list[Step] = [
    *[("produce", 1)] * 30,
    ("propose", 1, set()),
    *[("fetch_all",)] * 6,
    ("unclean", True),
    ("fence", {1}),
    ("produce", 1),
]


@settings(max_examples=80, deadline=None)
@given(steps=story(DATA, BROKER, ADMIN, POWER, UNCLEAN), min_isr=st.integers(1, 3))
@example(steps=DEPOSED_UNAWARES, min_isr=1)
def test_unclean_elections_keep_the_books_in_order(steps: list[Step], min_isr: int) -> None:
    play(steps, min_isr, may_elect_unclean=True)
