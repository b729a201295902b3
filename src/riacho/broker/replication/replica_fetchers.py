"""Every partition that this broker follows, and the fetcher that copies it.

`num.replica.fetchers` fetchers for each leader, made when the first partition needs one and ended with the last. The
metadata image decides: `role_changed` is called with each hosted partition whose role may have changed, and moves it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from riacho.broker.replication.fetcher_settings import FetcherSettings, FetcherWorld
from riacho.broker.replication.follower_session import Followed, PartitionKey
from riacho.broker.replication.replica_fetcher import ReplicaFetcher
from riacho.client.tasks import Tasks

if TYPE_CHECKING:
    from riacho.broker.partitions.hosted_partition import HostedPartition
    from riacho.broker.partitions.replicas import Replicas
    from riacho.broker.quorum.metadata_cache import MetadataCache
    from riacho.metadata.image.image import MetadataImage
    from riacho.metadata.image.topics import Topic
    from riacho.metadata.settings.broker_values import BrokerValues

Place = tuple[int, int]


class ReplicaFetchers:
    def __init__(self, world: FetcherWorld, replicas: Replicas, metadata: MetadataCache) -> None:
        self._world = world
        self._replicas = replicas
        self._metadata = metadata
        self._settings = FetcherSettings.of(metadata.values)
        self._count = metadata.values.integer("num.replica.fetchers")
        self._fetchers: dict[Place, ReplicaFetcher] = {}
        self._followed: dict[PartitionKey, tuple[Followed, Place]] = {}
        self._is_stopped = False
        # Bytes and requests of fetchers that are gone.
        self._past_size_bytes = 0
        self._past_fetches = 0
        self._ending: Tasks[None] = Tasks()

    def start(self) -> None:
        """Follow what is hosted by now; `role_changed` is called for the rest."""
        for hosted in self._replicas.all():
            self.role_changed(hosted)

    # --- what to follow

    def image_changed(self, old: MetadataImage, new: MetadataImage) -> None:
        """Subscribed after the replicas, whose roles are those of the new image by then."""
        if new.topics is not old.topics:
            for name, before in old.topics.items():
                after = new.topics.get(name)
                if after is not before:
                    self._topic_changed(before, after)
            # In the image's order, which is the same in every process: one of a set is not.
            for name in [name for name in new.topics if name not in old.topics]:
                for hosted in self._replicas.by_name.get(name, {}).values():
                    self.role_changed(hosted)
        if new.brokers is not old.brokers:
            self._brokers_changed(old, new)
        if new.configs is not old.configs:
            self._settings_changed(self._metadata.values)

    def _topic_changed(self, before: Topic, after: Topic | None) -> None:
        hosted = {} if after is None else self._replicas.by_name.get(after.name, {})
        for index in range(len(before.partitions)):
            known = self._followed.get((before.id, index))
            if known is not None and hosted.get(index) is not known[0].hosted:
                self._unfollow((before.id, index))
        for each in hosted.values():
            self.role_changed(each)

    def role_changed(self, hosted: HostedPartition) -> None:
        """Follow it from its leader, in its epoch, or no longer."""
        key = (hosted.topic_id, hosted.index)
        known = self._followed.get(key)
        if not hosted.is_follower or hosted.is_without_room or self._is_stopped:
            if known is not None:
                self._unfollow(key)
            return
        if known is not None:
            state, place = known[0].state, known[1]
            if (state.leader_id, state.leader_epoch) == (hosted.leader_id, hosted.leader_epoch):
                return
            if place[0] != hosted.leader_id:
                self._unfollow(key)
        self._follow(hosted)

    def gone(self, hosted: HostedPartition) -> None:
        """It left this broker: deleted, moved away, or on a directory that broke."""
        self._unfollow((hosted.topic_id, hosted.index))

    def _brokers_changed(self, old: MetadataImage, new: MetadataImage) -> None:
        """Leaders that moved, or came back, are asked at once rather than after a pause."""
        for fetcher in self._fetchers.values():
            before, after = old.brokers.get(fetcher.leader_id), new.brokers.get(fetcher.leader_id)
            if after is not None and (
                before is None or before.endpoints != after.endpoints or before.epoch != after.epoch
            ):
                fetcher.reconnect()

    def _settings_changed(self, values: BrokerValues) -> None:
        settings, count = FetcherSettings.of(values), values.integer("num.replica.fetchers")
        if (settings, count) == (self._settings, self._count):
            return
        self._settings, self._count = settings, count
        for followed, _ in tuple(self._followed.values()):
            self._unfollow(followed.key)
            self._follow(followed.hosted)

    def _follow(self, hosted: HostedPartition) -> None:
        place = (hosted.leader_id, (int.from_bytes(hosted.topic_id[:4], "big") * 31 + hosted.index) % self._count)
        fetcher = self._fetchers.get(place)
        if fetcher is None:
            fetcher = self._fetchers[place] = ReplicaFetcher(hosted.leader_id, self._world, self._settings)
        followed = Followed(hosted)
        self._followed[followed.key] = (followed, place)
        fetcher.add(followed)

    def _unfollow(self, key: PartitionKey) -> None:
        known = self._followed.pop(key, None)
        if known is None:
            return
        followed, place = known
        fetcher = self._fetchers[place]
        fetcher.remove(followed)
        if fetcher.is_idle:
            del self._fetchers[place]
            self._end(fetcher)

    def _end(self, fetcher: ReplicaFetcher) -> None:
        self._past_size_bytes += fetcher.fetched_size_bytes
        self._past_fetches += fetcher.fetch_count
        self._ending.start(fetcher.stop())

    async def stop(self) -> None:
        """Nothing is written by any fetcher once this returns."""
        self._is_stopped = True
        fetchers, self._fetchers = self._fetchers, {}
        self._followed = {}
        await asyncio.gather(*(fetcher.stop() for fetcher in fetchers.values()), *self._ending)

    # --- figures

    @property
    def fetched_size_bytes(self) -> int:
        return self._past_size_bytes + sum(each.fetched_size_bytes for each in self._fetchers.values())

    @property
    def fetch_count(self) -> int:
        return self._past_fetches + sum(each.fetch_count for each in self._fetchers.values())

    def max_lag(self) -> int:
        """The most records that a followed partition is short of its leader's high watermark."""
        return max((followed.state.lag or 0 for followed, _ in self._followed.values()), default=0)

    def followed_count(self) -> int:
        return len(self._followed)
