"""Topics of the target, kept like those of the source: made with as many partitions, grown with them, configs alike."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from riacho.pipelines.connectors.mirror.cluster import MirrorCluster
from riacho.pipelines.connectors.mirror.policy import ReplicationPolicy

# MirrorMaker 2's own list: settings that concern the cluster on which a topic is.
CONFIGS_EXCLUDE = (
    "follower.replication.throttled.replicas,leader.replication.throttled.replicas,"
    "message.timestamp.difference.max.ms,message.timestamp.type,unclean.leader.election.enable,min.insync.replicas,"
    "log.message.timestamp.before.max.ms,log.message.timestamp.after.max.ms,message.timestamp.before.max.ms,"
    "message.timestamp.after.max.ms"
)


def sync_topics(
    source: MirrorCluster,
    target: MirrorCluster,
    policy: ReplicationPolicy,
    topics: Mapping[str, int],
    replication_factor: int,
    excluded: Collection[str],
    with_configs: bool,
) -> None:
    """`topics` of the source, with how many partitions each has."""
    present = target.topics()
    configs = _kept(source.configs(sorted(topics)), excluded) if with_configs else {}
    missing = [topic for topic in sorted(topics) if policy.remote(topic) not in present]
    replicas = min(replication_factor, target.brokers()) if missing else 0
    for topic, partitions in sorted(topics.items()):
        remote = policy.remote(topic)
        if topic in missing:
            target.create(remote, partitions, replicas, configs.get(topic, {}))
        elif present[remote] < partitions:
            target.grow(remote, partitions)
    if with_configs:
        _sync_configs(target, policy, configs, [topic for topic in topics if topic not in missing], excluded)


def _sync_configs(
    target: MirrorCluster,
    policy: ReplicationPolicy,
    wanted: Mapping[str, Mapping[str, str]],
    topics: Collection[str],
    excluded: Collection[str],
) -> None:
    present = _kept(target.configs([policy.remote(topic) for topic in topics]), excluded)
    for topic in topics:
        remote = policy.remote(topic)
        own = present.get(remote, {})
        changed = {name: value for name, value in wanted.get(topic, {}).items() if own.get(name) != value}
        if changed:
            target.alter(remote, changed)


def _kept(configs: Mapping[str, Mapping[str, str]], excluded: Collection[str]) -> dict[str, dict[str, str]]:
    return {
        topic: {name: value for name, value in own.items() if name not in excluded} for topic, own in configs.items()
    }
