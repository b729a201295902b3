"""The settings of a connector's Kafka clients, by Java's names.

    security.protocol=SASL_SSL                     the worker's, for all clients
    consumer.fetch.max.bytes=1048576               the worker's, for the consumers of its connectors
    consumer.override.sasl.jaas.config=...         a connector's, for its own (KIP-458)

The later counts. Whether a connector may override is for the worker to say, when the connector is created.
"""

from __future__ import annotations

from collections.abc import Mapping

from riacho.pipelines.connect.protocol import Settings

CONSUMER, PRODUCER, ADMIN = "consumer", "producer", "admin"
# Where a query begins and how it counts is Spark's to say, and no Java runs in these clients.
_LEFT_OUT = {
    CONSUMER: ("auto.offset.reset", "group.id", "enable.auto.commit", "key.deserializer", "value.deserializer",
               "interceptor.classes"),
    # Delivery decides these.
    PRODUCER: ("transactional.id", "enable.idempotence", "interceptor.classes"),
    ADMIN: (),
}  # fmt: skip
_OF_DELIVERY = ("acks",)


def client_config(kind: str, name: str, settings: Settings, configs: Mapping[str, str]) -> dict[str, str]:
    """`configs` are those of the connector of this name, with the worker's defaults under them. Brokers know its
    clients by the name, as those of Kafka's workers."""
    own, override = f"{kind}.", f"{kind}.override."
    workers = {
        key.removeprefix(own): text
        for key, text in settings.defaults.items()
        if key.startswith(own) and not key.startswith(override)
    }
    for key in _OF_DELIVERY:
        workers.pop(key, None)
    chosen = {key.removeprefix(override): text for key, text in configs.items() if key.startswith(override)}
    known_as = {"client.id": f"connector-{kind}-{name}"}
    found = {"bootstrap.servers": settings.bootstrap_servers, **known_as, **settings.client, **workers, **chosen}
    return {key: text for key, text in found.items() if key not in _LEFT_OUT[kind]}
