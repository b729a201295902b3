"""The simple assignor: shared out evenly, and whoever reads a partition goes on reading it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from riacho.groups.assignors.assignor import Assignment, GroupSpec, MemberSpec
from riacho.groups.assignors.simple import SimpleAssignor

T, U = b"t" * 16, b"u" * 16


def spec(subscriptions: dict[str, set[bytes]], before: Assignment | None = None) -> GroupSpec:
    held = before or {}
    return GroupSpec({m: MemberSpec(frozenset(t), held.get(m, {})) for m, t in subscriptions.items()}, {})


def assign(
    subscriptions: dict[str, set[bytes]], counts: dict[bytes, int], before: Assignment | None = None
) -> Assignment:
    assignable = {topic_id: set(range(count)) for topic_id, count in counts.items()}
    return SimpleAssignor().assign(spec(subscriptions, before), assignable)


def test_nobody_and_nothing() -> None:
    assert assign({}, {T: 2}) == {}
    assert assign({"a": set()}, {T: 2}) == {"a": {}}
    assert assign({"a": {T}}, {}) == {"a": {}}


def test_one_member_reads_all() -> None:
    assert assign({"a": {T, U}}, {T: 2, U: 1}) == {"a": {T: {0, 1}, U: {0}}}


def test_partitions_without_state_are_left_out() -> None:
    assert SimpleAssignor().assign(spec({"a": {T}}), {T: {1}}) == {"a": {T: {1}}}


def test_each_gets_its_part() -> None:
    assigned = assign({"a": {T}, "b": {T}, "c": {T}}, {T: 6})
    assert sorted(len(topics[T]) for topics in assigned.values()) == [2, 2, 2]


def test_more_members_than_partitions() -> None:
    assigned = assign({m: {T} for m in "abcde"}, {T: 2})
    readers = [sum(p in topics[T] for topics in assigned.values()) for p in (0, 1)]
    assert sorted(readers) == [3, 3]


def test_a_member_that_comes_takes_only_its_part() -> None:
    before = assign({"a": {T}, "b": {T}}, {T: 6})
    after = assign({"a": {T}, "b": {T}, "c": {T}}, {T: 6}, before)
    assert after["a"][T] < before["a"][T]
    assert after["b"][T] < before["b"][T]
    assert after["c"][T] == {*range(6)} - after["a"][T] - after["b"][T]


def test_a_member_that_goes_leaves_the_others_theirs() -> None:
    before = assign({m: {T} for m in "abc"}, {T: 6})
    after = assign({m: {T} for m in "ab"}, {T: 6}, before)
    assert before["a"][T] < after["a"][T]
    assert before["b"][T] < after["b"][T]


def test_topics_are_shared_out_among_those_who_subscribe_to_them() -> None:
    assigned = assign({"a": {T}, "b": {U}, "c": {T, U}}, {T: 4, U: 4})
    assert [len(assigned["a"][T]), len(assigned["b"][U])] == [2, 2]
    assert {topic_id: len(partitions) for topic_id, partitions in assigned["c"].items()} == {T: 2, U: 2}


def test_a_topic_no_longer_subscribed_to_goes() -> None:
    before = assign({"a": {T, U}, "b": {T, U}}, {T: 2, U: 2})
    assert U not in assign({"a": {T}, "b": {T, U}}, {T: 2, U: 2}, before)["a"]


def test_a_partition_whose_only_candidate_reads_it_already_gets_another_reader() -> None:
    """Two readers each for two partitions, of three members; the next time round nothing moves."""
    members = {m: {T} for m in "abc"}
    after = assign(members, {T: 2}, {"c": {T: {1}}})
    assert sorted(number for topics in after.values() for number in topics[T]) == [0, 0, 1, 1]
    assert after["c"][T] == {0, 1}
    assert assign(members, {T: 2}, after) == after


MEMBERS = st.sampled_from([f"m{i}" for i in range(7)])
TOPICS = [bytes([i]) * 16 for i in range(3)]
SUBSCRIPTIONS = st.dictionaries(MEMBERS, st.sets(st.sampled_from(TOPICS)), max_size=7)
COUNTS = st.fixed_dictionaries({topic_id: st.integers(0, 6) for topic_id in TOPICS})
HELD = st.dictionaries(MEMBERS, st.dictionaries(st.sampled_from(TOPICS), st.sets(st.integers(0, 7), min_size=1)))


@settings(deadline=None)
@given(subscriptions=SUBSCRIPTIONS, counts=COUNTS, held=HELD)
def test_whatever_was_before_every_partition_has_readers_and_nobody_too_much(
    subscriptions: dict[str, set[bytes]], counts: dict[bytes, int], held: Assignment
) -> None:
    assigned = assign(subscriptions, counts, held)
    assert assigned.keys() == subscriptions.keys()
    for topic_id, count in counts.items():
        subscribers = [m for m, topics in subscriptions.items() if topic_id in topics]
        for member_id, topics in assigned.items():
            assert topics.get(topic_id, set()) <= ({*range(count)} if member_id in subscribers else set())
        for partition in range(count if subscribers else 0):
            readers = sum(partition in topics.get(topic_id, ()) for topics in assigned.values())
            assert 1 <= readers <= max(1, -(-len(subscribers) // count))
    assert assign(subscriptions, counts, assigned) == assigned


@settings(deadline=None)
@given(members=st.integers(1, 9), count=st.integers(1, 9), held=HELD)
def test_members_of_the_same_topics_differ_by_one_at_most_and_none_is_idle(
    members: int, count: int, held: Assignment
) -> None:
    subscriptions = {f"m{i}": {T} for i in range(members)}
    sizes = [len(topics.get(T, ())) for topics in assign(subscriptions, {T: count}, held).values()]
    quota = -(-members // count) * count / members
    assert max(sizes) <= -(-quota // 1)
    assert min(sizes) >= 1


@settings(deadline=None)
@given(count=st.integers(1, 12), members=st.integers(1, 6))
def test_one_more_member_moves_no_more_than_it_gets(count: int, members: int) -> None:
    """As long as there are partitions enough for each to have its own."""
    before = assign({f"m{i}": {T} for i in range(members)}, {T: count})
    after = assign({f"m{i}": {T} for i in range(members + 1)}, {T: count}, before)
    if members < count:
        kept = sum(len(before[m].get(T, set()) & after[m].get(T, set())) for m in before)
        assert kept == count - len(after[f"m{members}"].get(T, ()))
