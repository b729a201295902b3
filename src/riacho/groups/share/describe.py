"""ShareGroupDescribe: what a share group looks like from outside."""

from __future__ import annotations

from riacho.groups.assignors import simple
from riacho.groups.share.group import ShareGroup
from riacho.groups.share.member import ShareMember
from riacho.groups.topics_view import TopicsView
from riacho.wire.messages.share_group_describe_response import Assignment, DescribedGroup, Member, TopicPartitions


def described_share_group(group: ShareGroup, topics: TopicsView) -> DescribedGroup:
    return DescribedGroup(
        group_id=group.group_id,
        group_state=group.state_name,
        group_epoch=group.epoch,
        assignment_epoch=group.assignment_epoch,
        assignor_name=simple.NAME,
        members=[_described_member(member, topics) for member in group.members.values()],
    )


def _described_member(member: ShareMember, topics: TopicsView) -> Member:
    assigned = [
        TopicPartitions(topic_id=topic_id, topic_name=name, partitions=sorted(partitions))
        for topic_id, partitions in member.assigned.items()
        # A topic deleted since has no name to show.
        if (name := topics.name_of(topic_id)) is not None
    ]
    return Member(
        member_id=member.member_id,
        rack_id=member.rack_id,
        member_epoch=member.epoch,
        client_id=member.client_id,
        client_host=member.client_host,
        subscribed_topic_names=sorted(member.subscribed_topic_names),
        assignment=Assignment(topic_partitions=assigned),
    )
