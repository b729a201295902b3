"""The cluster's metadata as this node knows it: the image of everything committed, swapped whole.

Whoever reads takes the image once and keeps it for the request. Subscribers get every change, with the image before
and after; one that fails does not keep the others from hearing.

Settings: `values` is what this node's settings come to under the current image, `topic_rules` what a topic's do; both
are worked out when first asked for after a change.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from riacho.base.config import Value
from riacho.metadata.image.config_resource import CLUSTER_DEFAULT, ResourceType
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.settings.broker_values import BrokerValues
from riacho.metadata.settings.configs import topic_defaults, topic_rules

if TYPE_CHECKING:
    from riacho.broker.config import BrokerConfig

Subscriber = Callable[[MetadataImage, MetadataImage], None]


class MetadataCache:
    def __init__(
        self, config: BrokerConfig, image: MetadataImage, on_error: Callable[[Exception], None] = lambda _: None
    ) -> None:
        self.config = config
        self.image = image
        self._on_error = on_error
        self._subscribers: list[Subscriber] = []
        self._waiting: list[tuple[Callable[[MetadataImage], bool], asyncio.Future[None]]] = []
        self._values: BrokerValues | None = None
        self._topic_defaults: dict[str, Value] | None = None
        self._topic_rules: dict[str, Mapping[str, Any]] = {}

    def subscribe(self, subscriber: Subscriber) -> None:
        """`subscriber(old, new)` is called after every change of the image."""
        self._subscribers.append(subscriber)

    def publish(self, new: MetadataImage) -> None:
        old, self.image = self.image, new
        if new.configs is not old.configs:
            self._forget_settings(old, new)
        for subscriber in self._subscribers:
            try:
                subscriber(old, new)
            except Exception as error:
                # Committed is committed: the other subscribers must still get it.
                self._on_error(error)
        if self._waiting:
            self._wake()

    async def until(self, is_so: Callable[[MetadataImage], bool], timeout_ms: int | None = None) -> bool:
        """Wait for an image of which this is true; False when the time is up first."""
        if is_so(self.image):
            return True
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = (is_so, future)
        self._waiting.append(entry)
        try:
            async with asyncio.timeout(None if timeout_ms is None else timeout_ms / 1000):
                await future
        except TimeoutError:
            return False
        finally:
            if entry in self._waiting:
                self._waiting.remove(entry)
        return True

    def _wake(self) -> None:
        for entry in tuple(self._waiting):
            if not entry[1].done() and entry[0](self.image):
                entry[1].set_result(None)

    # This node among the others

    def own_broker_epoch(self) -> int:
        """The epoch of this broker's registration; -1 where there is none."""
        registered = self.image.brokers.get(self.config.node_id)
        return -1 if registered is None else registered.epoch

    def some_live_broker(self) -> int:
        """Whom to name where a client wants the controller: this broker, while it is in service or nobody else is.

        Never nobody: librdkafka would wait minutes for a controller, and this broker passes requests on anyway.
        """
        node_id = self.config.node_id
        me = self.image.brokers.get(node_id)
        if me is not None and not me.is_fenced:
            return node_id
        return next((broker.id for broker in self.image.brokers.values() if not broker.is_fenced), node_id)

    # Settings

    @property
    def values(self) -> BrokerValues:
        """This node's settings: dynamic over static over the table."""
        if self._values is None:
            self._values = values_under(self.image, self.config)
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


def values_under(image: MetadataImage, config: BrokerConfig) -> BrokerValues:
    return BrokerValues(
        config.static,
        image.overrides(ResourceType.BROKER, CLUSTER_DEFAULT),
        image.overrides(ResourceType.BROKER, str(config.node_id)),
    )
