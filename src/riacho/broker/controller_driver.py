"""The cluster's metadata in a running broker: decide, append, apply, publish, in one step.

Theory of operation. This node is the only voter of the quorum, so what it has synced to disk is committed. `submit`
takes a decision of the core (`metadata/controller.py`), appends its records as one batch, applies them to the image,
swaps the image, and tells the subscribers the old and the new one; when it returns the reply may go. All of it is
synchronous on the event loop: no other request sees a state in between. An append that fails leaves the image as it
was and raises; a subscriber that fails does not undo what is committed.

Settings: `values` is what this broker's settings come to under the current image, `topic_rules` what a topic's do;
both are worked out when first asked for after a change.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from riacho.base.config import Value
from riacho.base.decision import Decision
from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.metadata_log import MetadataLog
from riacho.log.directory import LogDirectory
from riacho.metadata import registration
from riacho.metadata.broker_values import BrokerValues
from riacho.metadata.brokers import SECURITY_PROTOCOLS, Endpoint
from riacho.metadata.config_resource import CLUSTER_DEFAULT, ResourceType
from riacho.metadata.configs import topic_defaults, topic_rules
from riacho.metadata.controller import Controller
from riacho.metadata.features import METADATA_VERSION, SUPPORTED
from riacho.metadata.image import MetadataImage
from riacho.metadata.internal_topics import auto_created, offsets_topic
from riacho.metadata.producer_ids import ProducerIds
from riacho.metadata.records import MetadataRecord
from riacho.metadata.topic_names import CONSUMER_OFFSETS
from riacho.wire.messages.create_topics_request import CreateTopicsRequest
from riacho.wire.messages.create_topics_response import CreatableTopicResult, CreateTopicsResponse

if TYPE_CHECKING:
    from riacho.base.ports import Clock
    from riacho.broker.config import BrokerConfig
    from riacho.broker.node import Broker
    from riacho.log.directories import LogDirectories

T = TypeVar("T")
Subscriber = Callable[[MetadataImage, MetadataImage], None]


class ClusterMetadata:
    def __init__(
        self,
        config: BrokerConfig,
        clock: Clock,
        log: MetadataLog,
        new_uuid: Callable[[], bytes],
        cluster_id: str,
        on_error: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.config = config
        self.log = log
        self.image = MetadataImage(cluster_id=cluster_id)
        self._clock = clock
        self._new_uuid = new_uuid
        self._on_error = on_error
        # Where `metadata.log.dir` is a place of its own.
        self._own_directory: LogDirectory | None = None
        self._subscribers: list[Subscriber] = []
        self._values: BrokerValues | None = None
        self._topic_defaults: dict[str, Value] | None = None
        self._topic_rules: dict[str, Mapping[str, Any]] = {}
        self._producer_ids = ProducerIds(lambda: self.submit(self.controller.allocate_producer_ids(config.node_id)))

    @classmethod
    def open(cls, broker: Broker) -> ClusterMetadata:
        """Replay what is on disk, lead the quorum, and register this broker with the ports that it bound."""
        config = broker.config
        cluster_id = broker.directories.directories[0].meta.cluster_id

        def new_uuid() -> bytes:
            return broker.rng.token(16)

        def on_error(problem: str) -> None:
            broker.logs.error.error("%s", problem)

        path = _shared_directory(config, broker.directories)
        own = None
        if path is None:
            path = os.path.abspath(config.get("metadata.log.dir"))
            own = LogDirectory.open(path, config.node_id, cluster_id, new_uuid)
        log = MetadataLog(
            path,
            config.node_id,
            config.get("metadata.log.segment.bytes"),
            config.get("metadata.log.segment.ms"),
            broker.clock.now_ms(),
        )
        metadata = cls(config, broker.clock, log, new_uuid, cluster_id, on_error)
        metadata._own_directory = own
        metadata.start(
            [(listener.name, *config.advertised(listener.name, listener.port)) for listener in broker.listeners],
            tuple(directory.meta.directory_id for directory in broker.directories.directories),
        )
        return metadata

    def start(self, listeners: Iterable[tuple[str, str, int]], log_dirs: tuple[bytes, ...]) -> None:
        """`listeners`: (name, advertised host, advertised port)."""
        self.image = self.log.replay(self.image)
        level = self.image.features.get(METADATA_VERSION)
        if level is not None and level != SUPPORTED[METADATA_VERSION][1]:
            problem = f"the data is at metadata.version {level}, this broker knows {SUPPORTED[METADATA_VERSION][1]}"
            raise KafkaError(ErrorCode.UNSUPPORTED_VERSION, problem)
        self.log.begin_epoch(self._clock.now_ms())
        self.image = self.image.apply([], self.log.end_offset)
        self._commit(registration.decide_bootstrap(self.image))
        me = registration.Registration(
            node_id=self.config.node_id,
            incarnation_id=self._new_uuid(),
            endpoints=tuple(
                Endpoint(name, host, port, SECURITY_PROTOCOLS[self.config.protocol_of(name)])
                for name, host, port in listeners
            ),
            rack=self.config.get("broker.rack"),
            log_dirs=log_dirs,
            controller_endpoints=tuple(
                Endpoint(listener.name, *self.config.advertised(listener.name, listener.port))
                for listener in self.config.controller_listeners
            ),
        )
        self._commit(registration.decide_register(self.image, me))

    def close(self) -> None:
        """Leave word that this broker went in order; the next start need not fence what it wrote."""
        with suppress(KafkaError):
            self._commit(registration.decide_fence(self.image, self.config.node_id))
        self.log.close()
        if self._own_directory is not None:
            self._own_directory.unlock()

    # Changing

    def subscribe(self, subscriber: Subscriber) -> None:
        """`subscriber(old, new)` is called after every change of the image."""
        self._subscribers.append(subscriber)

    @property
    def controller(self) -> Controller:
        """Decides on the image of this moment; submit what it decides before asking again."""
        return Controller(self.image, self.values, self._new_uuid)

    def submit(self, decision: Decision[MetadataRecord, T]) -> T:
        """Make the decision's records durable and visible; its reply may then go out."""
        self._commit(decision.records)
        return decision.reply

    def _commit(self, records: list[MetadataRecord]) -> None:
        if not records:
            return
        now_ms = self._clock.now_ms()
        old = self.image
        end_offset = self.log.append(records, now_ms)
        new = self.image = old.apply(records, end_offset)
        if new.configs is not old.configs:
            self._forget_settings(old, new)
        for subscriber in self._subscribers:
            try:
                subscriber(old, new)
            except Exception as error:
                # Committed is committed: the others must still hear of it.
                self._on_error(f"metadata subscriber failed error={error!r}")
        if self._is_snapshot_due(now_ms):
            self.take_snapshot()

    def _is_snapshot_due(self, now_ms: int) -> bool:
        """By bytes since the last, or by time; looked at with each change, since without any there is nothing new."""
        interval_ms = self.config.get("metadata.log.max.snapshot.interval.ms")
        if interval_ms and now_ms - self.log.last_snapshot_ms >= interval_ms:
            return True
        limit: int = self.config.get("metadata.log.max.record.bytes.between.snapshots")
        return self.log.size_bytes_since_snapshot >= limit

    def take_snapshot(self) -> None:
        """A snapshot that cannot be written is tried again with the next change: the log still has it all."""
        try:
            self.log.write_snapshot(self.image, self._clock.now_ms())
        except (OSError, KafkaError) as error:
            self._on_error(f"metadata snapshot failed end_offset={self.image.end_offset} error={error}")

    def new_producer_id(self) -> int:
        return self._producer_ids.take()

    # Topics that come into being by being asked for

    def auto_create(self, names: Iterable[str]) -> list[CreatableTopicResult]:
        count = len(self.image.active_brokers())
        topics = [auto_created(name, self.values, count) for name in names]
        return self.submit(self.controller.create_topics(CreateTopicsRequest(topics=topics))).topics

    def offsets_topic_ready(self) -> bool:
        return CONSUMER_OFFSETS in self.image.topics

    async def ensure_offsets_topic(self) -> None:
        """KafkaError COORDINATOR_NOT_AVAILABLE when it cannot be made (too few brokers for a factor that was set)."""
        if self.offsets_topic_ready():
            return
        topic = offsets_topic(self.values, len(self.image.active_brokers()))
        response: CreateTopicsResponse = self.submit(self.controller.create_topics(CreateTopicsRequest(topics=[topic])))
        result = response.topics[0]
        if result.error_code not in (ErrorCode.NONE, ErrorCode.TOPIC_ALREADY_EXISTS):
            raise KafkaError(ErrorCode.COORDINATOR_NOT_AVAILABLE, result.error_message or "")

    # Settings

    @property
    def values(self) -> BrokerValues:
        """This broker's settings: dynamic over static over the table."""
        if self._values is None:
            self._values = BrokerValues(
                self.config.static,
                self.image.overrides(ResourceType.BROKER, CLUSTER_DEFAULT),
                self.image.overrides(ResourceType.BROKER, str(self.config.node_id)),
            )
        return self._values

    def topic_rules(self, topic: str) -> Mapping[str, Any]:
        """Every topic setting, typed: the topic's own, else this broker's default."""
        rules = self._topic_rules.get(topic)
        if rules is None:
            if self._topic_defaults is None:
                self._topic_defaults = topic_defaults(self.values)
            rules = topic_rules(self.image.overrides(ResourceType.TOPIC, topic), self._topic_defaults)
            self._topic_rules[topic] = rules
        return rules

    def _forget_settings(self, old: MetadataImage, new: MetadataImage) -> None:
        self._topic_rules = {}
        brokers = ((ResourceType.BROKER, CLUSTER_DEFAULT), (ResourceType.BROKER, str(self.config.node_id)))
        if any(old.configs.get(resource) != new.configs.get(resource) for resource in brokers):
            self._values = None
            self._topic_defaults = None


def _shared_directory(config: BrokerConfig, directories: LogDirectories) -> str | None:
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
