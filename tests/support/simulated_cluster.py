"""The clusters that seeds make: three brokers, three replicas, two of them needed, and what differs among them."""

from __future__ import annotations

from support.simulated_faults import AMONG_OTHERS, WITH_JOIN
from support.simulated_scenario import Scenario
from support.simulated_world import World

DRIFTS_PPM = (0, 200, -150)

PROPERTIES = {
    "min.insync.replicas": "2",
    "default.replication.factor": "3",
    "offsets.topic.replication.factor": "3",
    # Twice the default: a follower with nothing to fetch costs as much as one at work.
    "replica.fetch.wait.max.ms": "1000",
}
# Shorter than Kafka's defaults: more happens in as much time.
IMPATIENT = {
    "broker.session.timeout.ms": "3000",
    "broker.heartbeat.interval.ms": "500",
    "replica.lag.time.max.ms": "3000",
}
# Much smaller than anyone would set them: snapshots are taken and fetched within a run, segments roll.
SMALL_PIECES = {
    "metadata.log.max.record.bytes.between.snapshots": "1500",
    "metadata.log.segment.ms": "1000",
    "metadata.max.idle.interval.ms": "500",
}
NEAR = {"replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector"}


def run_cluster(seed: int, replay: str) -> str:
    """The digest of all that happened.

    Every other cluster is operated on while things fail; every third has small pieces, every fourth Kafka's own
    timeouts, another fourth a broker that joins, every fifth readers that read from followers.
    """
    properties = PROPERTIES if seed % 4 == 0 else PROPERTIES | IMPATIENT
    configs = {}
    if seed % 3 == 0:
        properties = properties | SMALL_PIECES
        configs = {"segment.ms": "1500"}
    reads_from_followers = seed % 5 == 1
    if reads_from_followers:
        properties = properties | NEAR
    with (
        World(seed, brokers=3, properties=properties, replay=replay) as world,
    ):
        for node, drift_ppm in zip(world.nodes.values(), DRIFTS_PPM, strict=True):
            node.drift_ppm = drift_ppm
        scenario = Scenario(
            world,
            WITH_JOIN if seed % 4 == 1 else AMONG_OTHERS,
            replication_factor=3,
            configs=configs,
            duration_s=11,
            pause_s=world.rng.uniform(0.3, 1.6),
            reads_from_followers=reads_from_followers,
            is_operated=seed % 2 == 1,
        )
        world.run(scenario.run())
        assert scenario.history.acked
        return world.trace.digest()
