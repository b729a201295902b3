"""The share-partitions of the partitions that this broker leads, the sessions of their consumers, and both their ends.

A share-partition is loaded when it is first asked for, and kept while its group has sessions here. It goes when the
leadership goes, when the share coordinator refuses its writer, and when the last session of its group has ended and
everything is stored.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.shares.hosted_share import HostedShare
from riacho.client.tasks import Tasks
from riacho.metadata.image.config_resource import ResourceType
from riacho.shares.config import ShareGroupConfig
from riacho.shares.session import ShareSession, ShareSessions
from riacho.shares.state_records import ShareKey

if TYPE_CHECKING:
    from collections.abc import Sequence

    from riacho.base.ports import Clock
    from riacho.broker.partitions.replicas import Replicas
    from riacho.broker.quorum.metadata_cache import MetadataCache
    from riacho.broker.shares.share_persister import SharePersister
    from riacho.metadata.image.image import MetadataImage
    from riacho.shares.acknowledgements import AcknowledgementBatch

_logger = logging.getLogger("riacho.shares")
# Errors that a consumer need not get: it fetches again and finds the share-partition loaded.
_PASSING = frozenset({ErrorCode.COORDINATOR_NOT_AVAILABLE, ErrorCode.LEADER_NOT_AVAILABLE})

# Settings of groups that are kept worked out; anybody may name a group.
_CONFIGS_MAX = 1_000
_FAILURES_MAX = 1_000


class SharePartitions:
    def __init__(
        self, replicas: Replicas, metadata: MetadataCache, persister: SharePersister, clock: Clock, *, sessions_max: int
    ) -> None:
        self._replicas = replicas
        self._metadata = metadata
        self._persister = persister
        self._clock = clock
        self.sessions = ShareSessions(sessions_max)
        self._shares: dict[ShareKey, HostedShare] = {}
        self._loading: dict[ShareKey, asyncio.Task[None]] = {}
        # Why the last attempt to load it failed, until somebody got that as an answer.
        self._failures: dict[ShareKey, KafkaError] = {}
        self._configs: dict[str, ShareGroupConfig] = {}
        self._tasks: Tasks[None] = Tasks()
        self._is_closed = False

    def __len__(self) -> int:
        return len(self._shares)

    # --- finding

    def config_of(self, group_id: str) -> ShareGroupConfig:
        found = self._configs.get(group_id)
        if found is None:
            if len(self._configs) >= _CONFIGS_MAX:
                self._configs = {}
            overrides = self._metadata.image.overrides(ResourceType.GROUP, group_id)
            found = self._configs[group_id] = ShareGroupConfig.of(self._metadata.values.get, overrides)
        return found

    def loaded(self, key: ShareKey) -> HostedShare | None:
        """The share-partition, when it is ready. None: nobody has it, or it is on its way."""
        share = self._shares.get(key)
        if share is None:
            return None
        if not share.is_current:
            self._drop(share)
            return None
        return share if share.state is not None else None

    def watched(self, key: ShareKey) -> HostedShare:
        """The share-partition, ready or not; asking sets off its loading. KafkaError when this broker does not lead
        it, or when it could not be loaded."""
        failure = self._failures.pop(key, None)
        if failure is not None:
            raise failure
        if self._is_closed:
            raise KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER, "the broker stops")
        share = self._shares.get(key)
        if share is not None and share.is_current:
            return share
        if share is not None:
            self._drop(share)
        hosted = self._replicas.find(key.topic_id, key.partition)
        hosted.check_leader()
        group_id = key.group_id
        share = self._shares[key] = HostedShare(
            key,
            hosted,
            self._persister,
            lambda: self.config_of(group_id),
            self._clock,
            self._drop,
        )
        self._loading[key] = asyncio.get_running_loop().create_task(self._load(share))
        return share

    # --- acknowledging

    async def acknowledge(self, key: ShareKey, member_id: str, batches: Sequence[AcknowledgementBatch]) -> None:
        """Until it is stored what became of the records; KafkaError when it could not be."""
        share = self.loaded(key)
        if share is None or share.state is None:
            # Nobody holds anything here; a partition that moved takes nobody's holds along.
            self._replicas.find(key.topic_id, key.partition).check_leader()
            raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        limits = share.config().limits
        transition = share.state.acknowledge(member_id, batches, limits, self._clock.monotonic_ms())
        share.schedule()
        await share.store(transition)

    # --- ends

    async def end_session(self, session: ShareSession) -> None:
        """Let go of all that its member holds. The session is out of the cache already."""
        key = session.key
        shares = [self.loaded(ShareKey(key.group_id, each.topic_id, each.partition)) for each in session.partitions]
        await asyncio.gather(*(self._release(share, key.member_id) for share in shares if share is not None))
        self._forget_group(key.group_id)

    def connection_gone(self, connection: object) -> None:
        """Its sessions end: whoever was behind it will not come back by it."""
        for session in self.sessions.connection_gone(connection):
            self._tasks.start(self.end_session(session))

    def image_changed(self, old: MetadataImage, new: MetadataImage) -> None:
        """Called after the replicas' own listener: leaderships may have gone, settings may have changed."""
        if new.configs is not old.configs:
            self._configs = {}
        for share in list(self._shares.values()):
            if not share.is_current:
                self._drop(share)

    async def sweep(self) -> None:
        """Let go of what nobody uses; most went when its group's last session did."""
        for group_id in {key.group_id for key in self._shares}:
            self._forget_group(group_id)
        # Whoever waited for these has gone.
        self._failures.clear()

    def close(self) -> None:
        self._is_closed = True
        for share in list(self._shares.values()):
            self._drop(share)
        self._tasks.cancel()

    # --- within

    async def _load(self, share: HostedShare) -> None:
        try:
            await share.load()
        except KafkaError as error:
            _logger.warning(
                "share-partition not loaded group_id=%s partition=%s-%d error=%s",
                share.key.group_id,
                share.hosted.topic,
                share.key.partition,
                error,
            )
            if self._shares.get(share.key) is share:
                if error.code not in _PASSING and share.waiting and len(self._failures) < _FAILURES_MAX:
                    self._failures[share.key] = error
                self._drop(share)
        except Exception:
            # Left as it is, it would be on its way for ever.
            _logger.exception("share-partition not loaded group_id=%s", share.key.group_id)
            self._drop(share)
        else:
            share.wake()
        finally:
            if self._loading.get(share.key) is asyncio.current_task():
                del self._loading[share.key]

    async def _release(self, share: HostedShare, member_id: str) -> None:
        assert share.state is not None
        transition = share.state.release(member_id, share.config().limits)
        try:
            await share.store(transition)
        except KafkaError:
            # Logged. The holds end by their time.
            return

    def _forget_group(self, group_id: str) -> None:
        if self.sessions.of_group(group_id):
            return
        for share in [each for each in self._shares.values() if each.key.group_id == group_id]:
            if share.is_idle and share.key not in self._loading:
                self._drop(share)

    def _drop(self, share: HostedShare) -> None:
        if self._shares.get(share.key) is share:
            del self._shares[share.key]
            loading = self._loading.pop(share.key, None)
            if loading is not None and loading is not asyncio.current_task():
                loading.cancel()
        share.close()
