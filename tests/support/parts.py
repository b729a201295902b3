"""Parts of a node for tests: the real ones that a test has, and in place of all others something that must not be
touched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from riacho.broker.coordinator_parts import Coordinators
from riacho.broker.parts.hosting_parts import HostingParts
from riacho.broker.parts.quorum_parts import QuorumParts

if TYPE_CHECKING:
    from riacho.broker.coordinators.group_runtime import GroupRuntime
    from riacho.broker.coordinators.producer_id_blocks import ProducerIdBlocks
    from riacho.broker.fetch.fetch_source import FetchSource
    from riacho.broker.membership.broker_endpoints import BrokerEndpoints
    from riacho.broker.membership.failure_detector import FailureDetector
    from riacho.broker.membership.suspects import Suspects
    from riacho.broker.partitions.auto_topics import AutoTopics
    from riacho.broker.partitions.replica_moves import ReplicaMoves
    from riacho.broker.partitions.replicas import Replicas
    from riacho.broker.quorum.controller_driver import ControllerDriver
    from riacho.broker.quorum.metadata_cache import MetadataCache
    from riacho.broker.quorum.quorum import Quorum
    from riacho.broker.quorum.raft_driver import RaftDriver
    from riacho.broker.shares.share_groups import ShareGroupRuntime
    from riacho.log.directories import LogDirectories

P = TypeVar("P")


class Untouched:
    """In place of a part that the code under test has no business with."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"{self._name} is touched for its {name}")


def untouched(name: str) -> Any:
    return Untouched(name)


def _part(given: P | None, name: str) -> P:
    found: P = untouched(name) if given is None else given
    return found


def quorum_parts(
    *,
    directories: LogDirectories | None = None,
    quorum: Quorum | None = None,
    metadata: MetadataCache | None = None,
    raft: RaftDriver | None = None,
    controller: ControllerDriver | None = None,
    failure_detector: FailureDetector | None = None,
    suspects: Suspects | None = None,
    endpoints: BrokerEndpoints | None = None,
) -> QuorumParts:
    return QuorumParts(
        directories=_part(directories, "directories"),
        quorum=_part(quorum, "quorum"),
        metadata=_part(metadata, "metadata"),
        raft=_part(raft, "raft"),
        controller=_part(controller, "controller"),
        failure_detector=_part(failure_detector, "failure_detector"),
        suspects=_part(suspects, "suspects"),
        endpoints=_part(endpoints, "endpoints"),
        peers=untouched("peers"),
    )


def hosting_parts(
    *,
    replicas: Replicas | None = None,
    replica_moves: ReplicaMoves | None = None,
    fetch_source: FetchSource | None = None,
    auto_topics: AutoTopics | None = None,
    producer_ids: ProducerIdBlocks | None = None,
) -> HostingParts:
    return HostingParts(
        replicas=_part(replicas, "replicas"),
        isr_proposals=untouched("isr_proposals"),
        replica_fetchers=untouched("replica_fetchers"),
        replica_moves=_part(replica_moves, "replica_moves"),
        directory_assignments=untouched("directory_assignments"),
        full_directories=untouched("full_directories"),
        replication_quotas=untouched("replication_quotas"),
        fetch_source=_part(fetch_source, "fetch_source"),
        auto_topics=_part(auto_topics, "auto_topics"),
        producer_ids=_part(producer_ids, "producer_ids"),
    )


def coordinator_parts(
    *, groups: GroupRuntime | None = None, share_groups: ShareGroupRuntime | None = None
) -> Coordinators:
    return Coordinators(
        groups=_part(groups, "groups"),
        share_coordinator=untouched("share_coordinator"),
        share_persister=untouched("share_persister"),
        share_partitions=untouched("share_partitions"),
        share_groups=_part(share_groups, "share_groups"),
        transactions=untouched("transactions"),
        transaction_markers=untouched("transaction_markers"),
        transaction_verifier=untouched("transaction_verifier"),
        marker_writer=untouched("marker_writer"),
    )
