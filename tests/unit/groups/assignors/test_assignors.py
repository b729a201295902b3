"""Every assignor: each partition to exactly one of its subscribers; and each in its own way."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riacho.groups.assignors.assignor import Assignment, Assignor, GroupSpec, MemberSpec
from riacho.groups.assignors.range import RangeAssignor
from riacho.groups.assignors.uniform import UniformAssignor

A, B, C = b"a" * 16, b"b" * 16, b"c" * 16
ASSIGNORS = [UniformAssignor(), RangeAssignor()]


def spec(counts: dict[bytes, int], **members: MemberSpec) -> GroupSpec:
    return GroupSpec(members, counts)


def member(*topics: bytes, assigned: dict[bytes, set[int]] | None = None, instance: str | None = None) -> MemberSpec:
    return MemberSpec(frozenset(topics), assigned or {}, instance)


def sizes(assignment: Assignment) -> dict[str, int]:
    return {member_id: sum(map(len, by_topic.values())) for member_id, by_topic in assignment.items()}


def check_valid(group: GroupSpec, assignment: Assignment) -> None:
    assert assignment.keys() == group.members.keys()
    given_out = Counter((t, p) for by_topic in assignment.values() for t, each in by_topic.items() for p in each)
    subscribed = {t for each in group.members.values() for t in each.subscribed_topic_ids}
    assert given_out == Counter((t, p) for t in subscribed for p in range(group.partition_counts.get(t, 0)))
    for member_id, by_topic in assignment.items():
        assert by_topic.keys() <= group.members[member_id].subscribed_topic_ids


@st.composite
def groups(draw: st.DrawFn) -> GroupSpec:
    counts = {topic: draw(st.integers(0, 9)) for topic in (A, B, C)}
    is_even = draw(st.booleans())
    same = draw(st.sets(st.sampled_from([A, B, C]), min_size=1))
    free = [(topic, index) for topic, count in counts.items() for index in range(count)]
    members = {}
    for number in range(draw(st.integers(1, 6))):
        topics = same if is_even else draw(st.sets(st.sampled_from([A, B, C])))
        mine: dict[bytes, set[int]] = {}
        for _ in range(draw(st.integers(0, len(free)))):
            topic, index = free.pop()
            mine.setdefault(topic, set()).add(index)
        members[f"m{number}"] = MemberSpec(frozenset(topics), mine, draw(st.sampled_from([None, f"i{number}"])))
    # Partitions may be gone since they were assigned.
    return GroupSpec(members, {topic: max(0, count - draw(st.integers(0, 2))) for topic, count in counts.items()})


@pytest.mark.parametrize("assignor", ASSIGNORS, ids=lambda assignor: assignor.name)
@given(group=groups())
def test_every_partition_goes_to_one_subscriber(assignor: Assignor, group: GroupSpec) -> None:
    subscribed = {t for each in group.members.values() for t in each.subscribed_topic_ids}
    group = GroupSpec(group.members, {t: count for t, count in group.partition_counts.items() if t in subscribed})
    assignment = assignor.assign(group)
    check_valid(group, assignment)
    assert assignor.assign(group) == assignment


@given(group=groups())
@settings(max_examples=200)
def test_uniform_is_even_and_settled(group: GroupSpec) -> None:
    subscribed = {t for each in group.members.values() for t in each.subscribed_topic_ids}
    group = GroupSpec(group.members, {t: count for t, count in group.partition_counts.items() if t in subscribed})
    assignment = UniformAssignor().assign(group)
    load = sizes(assignment)
    for topic in group.partition_counts:
        takers = [m for m, each in group.members.items() if topic in each.subscribed_topic_ids]
        holders = [m for m in takers if assignment[m].get(topic)]
        # Nobody holds a partition of it who has two more than another that could have it.
        assert all(load[holder] - load[taker] <= 1 for holder in holders for taker in takers)
    # Assigned once more, nothing moves.
    again = GroupSpec(
        {m: each._replace(assigned=assignment[m]) for m, each in group.members.items()}, group.partition_counts
    )
    assert UniformAssignor().assign(again) == assignment


def test_uniform_moves_no_more_than_it_must() -> None:
    counts = {A: 9}
    first = UniformAssignor().assign(spec(counts, m1=member(A), m2=member(A)))
    assert sorted(sizes(first).values()) == [4, 5]
    grown = spec(counts, m1=member(A, assigned=first["m1"]), m2=member(A, assigned=first["m2"]), m3=member(A))
    second = UniformAssignor().assign(grown)
    assert sizes(second) == {"m1": 3, "m2": 3, "m3": 3}
    assert all(second[m][A] <= first[m][A] for m in ("m1", "m2"))
    shrunk = spec(counts, m1=member(A, assigned=second["m1"]), m3=member(A, assigned=second["m3"]))
    third = UniformAssignor().assign(shrunk)
    assert all(third[m][A] >= second[m][A] for m in ("m1", "m3"))


def test_range_gives_the_same_numbers_of_all_topics_to_one_member() -> None:
    assignment = RangeAssignor().assign(spec({A: 5, B: 5}, x=member(A, B), y=member(A, B)))
    assert assignment == {"x": {A: {0, 1, 2}, B: {0, 1, 2}}, "y": {A: {3, 4}, B: {3, 4}}}


def test_range_puts_static_members_first_by_instance_id() -> None:
    assignment = RangeAssignor().assign(spec({A: 3}, a=member(A), z=member(A, instance="1"), y=member(A, instance="2")))
    assert assignment == {"z": {A: {0}}, "y": {A: {1}}, "a": {A: {2}}}


def test_range_of_different_subscriptions() -> None:
    assignment = RangeAssignor().assign(spec({A: 2, B: 3}, x=member(A), y=member(A, B), z=member(B)))
    assert assignment == {"x": {A: {0}}, "y": {A: {1}, B: {0, 1}}, "z": {B: {2}}}


@pytest.mark.parametrize("assignor", ASSIGNORS, ids=lambda assignor: assignor.name)
def test_nobody_and_nothing(assignor: Assignor) -> None:
    assert assignor.assign(GroupSpec({}, {})) == {}
    assert assignor.assign(spec({}, x=member())) == {"x": {}}
