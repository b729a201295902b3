"""Three brokers on disks that fail, and a few clients: small, so that many seeds can be run."""

from __future__ import annotations

from typing import Any

from support.simulated_disk_faults import SYNCED, UNSYNCED
from support.simulated_disk_invariants import CommittedMetadataIsKept, Votes
from support.simulated_producer import IN_FLIGHT_MAX
from support.simulated_reader import SimulatedReader
from support.simulated_scenario import Scenario
from support.simulated_world import World

_TOPIC = "events"
PROPERTIES = {
    "min.insync.replicas": "2",
    "default.replication.factor": "3",
    "replica.fetch.wait.max.ms": "1000",
    "broker.session.timeout.ms": "2000",
    "broker.heartbeat.interval.ms": "400",
    "replica.lag.time.max.ms": "2000",
    "controller.quorum.election.timeout.ms": "300",
    "controller.quorum.fetch.timeout.ms": "600",
    "log.flush.offset.checkpoint.interval.ms": "700",
    "replica.high.watermark.checkpoint.interval.ms": "500",
}
# Every record is on disk before anybody is told so.
_SYNCED = {"log.flush.interval.messages": "1"}
# Segments roll and snapshots are taken within a run.
_SMALL_PIECES = {
    "metadata.log.max.record.bytes.between.snapshots": "1500",
    "metadata.log.segment.ms": "1000",
    "metadata.max.idle.interval.ms": "500",
}


class DiskScenario(Scenario):
    fault_pause_s_max = 1.0

    def _start_clients(self) -> None:
        self._produce("all-0", _TOPIC, 0, in_flight_max=IN_FLIGHT_MAX)
        self._read("reader-0", _TOPIC, 0)

    async def _caught_up(self, reader: SimulatedReader) -> None:
        end = max((acked.offset for acked in self.history.acked if acked.partition == reader.key), default=-1) + 1
        await self._until(lambda: reader.position >= end, f"{reader.client.name} has not read to {end}")
        reader.is_stopping = True


def run_disks(seed: int, replay: str, sabotage: Any = None) -> str:
    """The digest of all that happened. Every other cluster syncs each record, every third has small pieces.

    `sabotage(node)` puts a bug under a node before it starts.
    """
    is_synced = seed % 2 == 0
    properties = PROPERTIES | (_SYNCED if is_synced else {}) | (_SMALL_PIECES if seed % 3 == 0 else {})
    configs = {"segment.ms": "1500"} if seed % 3 == 0 else {}
    votes, metadata = Votes(), CommittedMetadataIsKept()
    with World(seed, brokers=3, properties=properties, replay=replay) as world, votes.watched(world):
        for node in world.nodes.values():
            if sabotage is not None:
                sabotage(node)
        scenario = DiskScenario(
            world,
            SYNCED if is_synced else UNSYNCED,
            partitions=1,
            replication_factor=3,
            configs=configs,
            duration_s=6,
            pause_s=world.rng.uniform(0.1, 0.6),
        )
        scenario.during.append(metadata)
        world.run(scenario.run())
        metadata.check_end(world)
        assert scenario.history.acked
        assert votes.given
        return world.trace.digest()
