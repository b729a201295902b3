"""ConsumerGroupDescribe: what a consumer group looks like from outside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from riacho.base.errors import ErrorCode
from riacho.groups.consumer.group import NO_PARTITIONS, ConsumerGroup
from riacho.groups.consumer.member import ConsumerMember
from riacho.groups.consumer.rebalance import preferred_assignor
from riacho.groups.group import Group
from riacho.groups.topics_view import TopicsView
from riacho.wire.messages.consumer_group_describe_response import Assignment, DescribedGroup, Member, TopicPartitions

_CLASSIC_MEMBER = 0
_CONSUMER_MEMBER = 1


def describe_consumer_group(
    group: Group | None, group_id: str, default_assignor: str, topics: TopicsView
) -> DescribedGroup:
    if not isinstance(group, ConsumerGroup):
        what = f"Group {group_id} not found." if group is None else f"Group {group_id} is not a consumer group."
        return DescribedGroup(group_id=group_id, error_code=ErrorCode.GROUP_ID_NOT_FOUND, error_message=what)
    return DescribedGroup(
        group_id=group_id,
        group_state=group.state_name,
        group_epoch=group.group_epoch,
        assignment_epoch=group.assignment_epoch,
        assignor_name=preferred_assignor(group.server_assignors, default_assignor),
        members=[_member(group, member, topics) for member in group.members.values()],
    )


def _member(group: ConsumerGroup, member: ConsumerMember, topics: TopicsView) -> Member:
    held: dict[bytes, set[int]] = {}
    for partitions in (member.assigned, member.pending_revocation):
        for topic_id, epochs in partitions.items():
            held.setdefault(topic_id, set()).update(epochs)
    return Member(
        member_id=member.member_id,
        instance_id=member.instance_id,
        rack_id=member.rack_id,
        member_epoch=member.member_epoch,
        client_id=member.client_id,
        client_host=member.client_host,
        subscribed_topic_names=sorted(member.subscribed_topic_names),
        subscribed_topic_regex=member.subscribed_topic_regex,
        assignment=_assignment(held, topics),
        target_assignment=_assignment(group.target.get(member.member_id, NO_PARTITIONS), topics),
        member_type=_CLASSIC_MEMBER if member.uses_classic_protocol else _CONSUMER_MEMBER,
    )


def _assignment(partitions: Mapping[bytes, Iterable[int]], topics: TopicsView) -> Assignment:
    """Topics that are gone have no name to show."""
    named = ((topics.name_of(topic_id), topic_id, indexes) for topic_id, indexes in sorted(partitions.items()))
    return Assignment(
        topic_partitions=[
            TopicPartitions(topic_id=topic_id, topic_name=name, partitions=sorted(indexes))
            for name, topic_id, indexes in named
            if name is not None
        ]
    )
