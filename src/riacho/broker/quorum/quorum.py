"""This node's part in the metadata quorum: its log, the raft core and its driver, the image, the controller, joined.

Who votes: the voters in the log or its snapshot, where they are kept there (kraft.version 1); else those that
`controller.quorum.voters` names; else, for a controller that knows of no other, itself alone. A node that has none of
these finds the quorum by its bootstrap servers.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.ids import random_uuid
from riacho.broker.quorum.controller_driver import ControllerDriver
from riacho.broker.quorum.feature_levels import check_fetched, check_own_log
from riacho.broker.quorum.logged_voters import voter_history
from riacho.broker.quorum.metadata_cache import MetadataCache
from riacho.broker.quorum.metadata_loader import MetadataLoader
from riacho.broker.quorum.metadata_log import MetadataLog
from riacho.broker.quorum.raft_driver import RaftDriver
from riacho.broker.quorum.raft_listener import RaftListener, take_all
from riacho.log.checkpoints import read_small_file
from riacho.log.directory import LogDirectory
from riacho.metadata.image.features import METADATA_VERSION
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.records import MetadataRecord
from riacho.metadata.image.snapshot import read_snapshot
from riacho.raft.config import RaftConfig
from riacho.raft.node import RaftNode
from riacho.raft.voters import Endpoint, Voter, VoterSet

if TYPE_CHECKING:
    from riacho.base.ports import Files
    from riacho.broker.config import BrokerConfig, ListenerAddress
    from riacho.broker.environment import Environment
    from riacho.broker.logs import Logs
    from riacho.client.client_security import ClientSecurity
    from riacho.log.directories import LogDirectories

# What `kafka-storage format` leaves for the first leader.
_BOOTSTRAP_FILE = "bootstrap.checkpoint"


class Quorum:
    def __init__(
        self,
        config: BrokerConfig,
        environment: Environment,
        logs: Logs,
        directories: LogDirectories,
        own_listeners: Iterable[ListenerAddress],
        security: ClientSecurity,
        on_broken: Callable[[KafkaError], None],
    ) -> None:
        """`own_listeners`: at which other nodes reach this controller; `security`: how other controllers want to be
        spoken to; `on_broken` is told when this node cannot be of the quorum any more."""
        clock, files, rng = environment.clock, environment.files, environment.rng
        new_uuid = partial(random_uuid, rng)
        directory, self._own_directory = _metadata_directory(config, directories, new_uuid, files)
        self._path = directory.path
        self._files = files
        cluster_id = directories.directories[0].meta.cluster_id
        log = MetadataLog(
            directory.path,
            config.get("metadata.log.segment.bytes"),
            config.get("metadata.log.segment.ms"),
            clock.now_ms(),
            files,
        )
        endpoints = tuple(Endpoint(each.name, each.host, each.port) for each in own_listeners)
        node = RaftNode(
            node_id=config.node_id,
            directory_id=directory.meta.directory_id,
            cluster_id=cluster_id,
            config=_raft_config(config),
            log=log,
            state=log.load_state(),
            voters=_configured_voters(config, endpoints),
            kraft_version=_configured_version(config),
            bootstrap=tuple(config.quorum_bootstrap),
            can_vote=config.is_controller,
            own_endpoints=endpoints,
            rng=lambda count: int.from_bytes(rng.token(4), "big") % count,
            now_ms=clock.monotonic_ms(),
            history=voter_history(log),
        )
        # Called when there is another leader, also none, in this order.
        self.on_leader_changed: list[Callable[[], None]] = []
        listener = RaftListener(
            on_committed=self._committed,
            on_snapshot=self._snapshot_fetched,
            on_leader_changed=self._leader_changed,
            on_broken=on_broken,
            check_fetched=check_fetched if config.is_controller else take_all,
        )
        self.raft = RaftDriver(
            node, log, environment.network, clock, logs, f"raft-{config.node_id}", security, listener
        )
        image = log.load_snapshot(MetadataImage(cluster_id=cluster_id))
        if image.end_offset < log.start_offset:
            problem = f"the metadata log starts at {log.start_offset}, no snapshot reaches beyond {image.end_offset}"
            raise KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, problem)
        self.metadata = MetadataCache(
            config,
            image,
            lambda error: logs.error.error("metadata subscriber failed error=%r", error, exc_info=error),
        )
        self.controller = ControllerDriver(self.raft, self.metadata, clock, logs, new_uuid)
        self.loader = MetadataLoader(self.raft, self.metadata, self.controller, clock, logs)
        if config.is_controller:
            check_own_log(log, image, self._formatted_records())
        self.controller.on_activated.append(self._bootstrap)

    def _committed(self, offset: int) -> None:
        self.loader.committed(offset)

    def _snapshot_fetched(self) -> None:
        self.loader.snapshot_fetched()

    def _leader_changed(self, _leader_id: int, _epoch: int) -> None:
        for hear in self.on_leader_changed:
            hear()

    def _bootstrap(self) -> None:
        """A fresh cluster agrees on its features first: those that its storage was formatted with, else the newest."""
        if METADATA_VERSION in self.controller.image.features:
            return
        formatted = self._formatted_records()
        self.controller.propose(lambda controller: controller.bootstrap(formatted))

    def _formatted_records(self) -> list[MetadataRecord]:
        try:
            return read_snapshot(read_small_file(os.path.join(self._path, _BOOTSTRAP_FILE), self._files))
        except FileNotFoundError:
            return []

    def start(self, loop: asyncio.AbstractEventLoop | None) -> None:
        """KafkaError when the data are not of a kind that this version can keep."""
        self.raft.start(loop)
        if self.raft.broken is not None:
            raise self.raft.broken

    async def close(self, is_graceful: bool = True) -> None:
        await self.raft.close(is_graceful)
        self.raft.log.close()
        if self._own_directory is not None:
            self._own_directory.unlock()


def _raft_config(config: BrokerConfig) -> RaftConfig:
    return RaftConfig(
        election_timeout_ms=config.get("controller.quorum.election.timeout.ms"),
        election_backoff_ms_max=config.get("controller.quorum.election.backoff.max.ms"),
        fetch_timeout_ms=config.get("controller.quorum.fetch.timeout.ms"),
        request_timeout_ms=config.get("controller.quorum.request.timeout.ms"),
        retry_backoff_ms=max(1, config.get("controller.quorum.retry.backoff.ms")),
        fetch_size_bytes_max=config.get("controller.quorum.fetch.max.bytes"),
        snapshot_fetch_size_bytes_max=config.get("controller.quorum.fetch.snapshot.max.bytes"),
        listener_name=config.get("controller.listener.names")[0].upper(),
        is_auto_joining=config.get("controller.quorum.auto.join.enable") and config.is_controller,
    )


def _configured_voters(config: BrokerConfig, own: tuple[Endpoint, ...]) -> VoterSet:
    if config.quorum_voters:
        name = config.get("controller.listener.names")[0].upper()
        return VoterSet(
            Voter(voter.node_id, endpoints=(Endpoint(name, voter.host, voter.port),)) for voter in config.quorum_voters
        )
    return VoterSet([Voter(config.node_id, endpoints=own)]) if config.is_alone else VoterSet()


def _configured_version(config: BrokerConfig) -> int:
    """A quorum that is not in the configuration is one that the log describes, which this node has yet to fetch."""
    return 0 if config.quorum_voters or config.is_alone else 1


def _metadata_directory(
    config: BrokerConfig, directories: LogDirectories, new_directory_id: Callable[[], bytes], files: Files
) -> tuple[LogDirectory, LogDirectory | None]:
    """(the directory of the metadata log, the same again where it is not one of `log.dirs`)."""
    path = _shared_path(config, directories)
    if path is None:
        first = directories.directories[0].meta
        own = LogDirectory.open(
            os.path.abspath(config.get("metadata.log.dir")),
            config.node_id,
            first.cluster_id,
            new_directory_id,
            files,
        )
        return own, own
    return next(found for found in directories.directories if os.path.abspath(found.path) == path), None


def _shared_path(config: BrokerConfig, directories: LogDirectories) -> str | None:
    """The log directory that has the metadata too: the first, unless `metadata.log.dir` names another place.

    Without the metadata nothing says what the other directories hold, so the broker must not start and take their
    partitions for leftovers.
    """
    path = config.metadata_log_dir or config.log_dirs[0]
    if os.path.abspath(path) not in map(os.path.abspath, config.log_dirs):
        return None
    for offline, reason in directories.offline.items():
        if os.path.abspath(offline) == os.path.abspath(path):
            problem = f"log directory {path}, which has the cluster's metadata, cannot be used: {reason}"
            raise KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, problem)
    return os.path.abspath(path)
