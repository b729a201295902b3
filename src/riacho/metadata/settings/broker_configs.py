"""Every broker setting of Kafka 4.3, joined from the tables of `broker_keys/`.

Five defaults differ from Kafka's, so that a broker with no settings at all works, keeps its data, and is not open to
the network: `node.id`, `process.roles`, `controller.listener.names` (Kafka demands all three), `log.dir`,
`listeners`.
"""

from __future__ import annotations

from riacho.base.config import ConfigType, Dynamic, ServerKey, at_least
from riacho.metadata.settings.broker_keys import (
    groups,
    log,
    network,
    oauth,
    quorum,
    remote,
    replication,
    riacho,
    security,
    share,
    ssl,
    transactions,
)

_AREAS = (network, log, replication, groups, share, quorum, transactions, remote, security, oauth, ssl, riacho)

BROKER_KEYS: dict[str, ServerKey] = {key.name: key for area in _AREAS for key in area.KEYS}

_UNLIMITED = str((1 << 63) - 1)
# Replication throttles: never in a file, only set while the broker runs (KIP-73, KIP-113).
DYNAMIC_ONLY_KEYS: dict[str, ServerKey] = {
    name: ServerKey(name, ConfigType.LONG, _UNLIMITED, doc, at_least(0), dynamic=Dynamic.CLUSTER_WIDE)
    for name, doc in (
        ("leader.replication.throttled.rate", "Bytes per second sent for throttled replicas."),
        ("follower.replication.throttled.rate", "Bytes per second received for throttled replicas."),
        (
            "replica.alter.log.dirs.io.max.bytes.per.second",
            "Bytes per second that replicas moving between log directories may copy.",
        ),
    )
}

# Security settings that may change while the broker runs only under the prefix of a listener (KIP-226).
LISTENER_ONLY_KEYS = frozenset(
    {
        "ssl.key.password",
        "ssl.keystore.certificate.chain",
        "ssl.keystore.key",
        "ssl.keystore.location",
        "ssl.keystore.password",
        "ssl.keystore.type",
        "ssl.truststore.certificates",
        "ssl.truststore.location",
        "ssl.truststore.password",
        "ssl.truststore.type",
    }
)

_UNIT_FAMILIES = (
    ("log.retention.ms", "log.retention.minutes", "log.retention.hours"),
    ("log.roll.ms", "log.roll.hours"),
    ("log.roll.jitter.ms", "log.roll.jitter.hours"),
)
_FAMILY_OF = {name: family for family in _UNIT_FAMILIES for name in family}
_FAMILY_OF["log.flush.interval.ms"] = ("log.flush.interval.ms", "log.flush.scheduler.interval.ms")


def broker_key(name: str) -> ServerKey | None:
    """The key of a setting, also one with a `listener.name.<listener>.` prefix."""
    return BROKER_KEYS.get(name) or DYNAMIC_ONLY_KEYS.get(name) or BROKER_KEYS.get(without_listener(name))


def without_listener(name: str) -> str:
    """`listener.name.external.ssl.key.password` -> `ssl.key.password`; other names as they are."""
    parts = name.split(".", 3)
    if len(parts) != 4 or parts[:2] != ["listener", "name"]:
        return name
    base = parts[3]
    # Settings of one SASL mechanism carry its name too: `plain.sasl.jaas.config`.
    mechanism, _, rest = base.partition(".")
    return rest if base not in BROKER_KEYS and rest in BROKER_KEYS and mechanism else base


def synonyms_of(name: str) -> tuple[str, ...]:
    """The names that can give a setting its value, the one that rules first."""
    family = _FAMILY_OF.get(name)
    if family is not None:
        return family
    base = without_listener(name)
    return (name,) if base == name else (name, base)
