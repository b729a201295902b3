"""The topics inside a consumer's join metadata.

A group's embedded protocol belongs to its members, but for protocol type `consumer` the coordinator looks at the topic
names, to know which committed offsets are still in use. They stand at the start of every version of the subscription.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

from riacho.wire.codec import decode
from riacho.wire.messages.consumer_protocol_subscription import ConsumerProtocolSubscription
from riacho.wire.primitives import WireError

CONSUMER_PROTOCOL_TYPE = "consumer"
_VERSION = struct.Struct(">h")


def subscribed_topics(subscriptions: Iterable[bytes]) -> frozenset[str] | None:
    """Every topic that some member subscribes to; None when a subscription cannot be read."""
    topics: set[str] = set()
    for subscription in subscriptions:
        if len(subscription) < _VERSION.size or _VERSION.unpack_from(subscription)[0] < 0:
            return None
        try:
            # Version 0 is a prefix of all later ones, so this reads those as well, also ones not yet invented.
            topics.update(decode(ConsumerProtocolSubscription, 0, subscription, _VERSION.size).topics)
        except WireError:
            return None
    return frozenset(topics)
