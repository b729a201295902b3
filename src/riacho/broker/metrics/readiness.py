"""Whether a node has come back all the way, so that whoever restarts nodes one by one may go on to the next.

To be up is less: a broker serves as soon as it is let in, while its copies may still be behind. If the next broker went
down then, partitions could have fewer replicas in sync than `min.insync.replicas`, and take no more acks=all writes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riacho.broker.metrics.exposed_parts import ExposedQuorum


def trouble_of(quorum: ExposedQuorum, broker_id: int | None) -> str | None:
    """What is missing, as one sentence without quotes; `broker_id` None for a controller alone."""
    if quorum.raft.leader_id < 0:
        return "the metadata quorum has no leader that this node knows of"
    if broker_id is None:
        return None
    image = quorum.metadata.image
    registered = image.brokers.get(broker_id)
    if registered is None or registered.is_fenced:
        return "the controller has not let this broker in"
    # Of the metadata, not of what is open here: a copy whose disk broke is missing as well. One that is on its way here
    # by a reassignment is not counted: that may take hours, and nobody relies on it yet.
    behind = sum(
        broker_id in partition.replicas
        and broker_id not in partition.isr
        and broker_id not in partition.adding_replicas
        for topic in image.topics.values()
        for partition in topic.partitions
    )
    return f"{behind} replicas of this broker are not in sync" if behind else None
