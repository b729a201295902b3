"""Which settings of a Kafka client may come from outside: from a connector's config, say, and not from the file that
the owner of the process wrote.

    key_refusal("plugin.library.paths", "...")     # a sentence
    key_refusal("fetch.max.bytes", "1048576")      # None

Some settings of Kafka's clients load libraries and classes, run programs, read files or call addresses (CVE-2023-25194,
CVE-2025-27817). Such settings come with every release, so nothing is forbidden here: whatever the table does not name
is refused, Java's and librdkafka's alike. Those of kind FILE and URL are for the caller to hold against what may be
read and called.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from riacho.base.config import ConfigError
from riacho.security.jaas import parse_jaas


class Kind(Enum):
    """What a value is, as far as it can do harm."""

    PLAIN = "a number, a word, a secret"
    FILE = "a file that the client reads"
    URL = "an address that the client calls"
    LOGIN = "a login module and its options"
    ASSIGNOR = "a class by its name, of few"


_PLAIN = """
    bootstrap.servers client.id client.rack client.dns.lookup security.protocol
    sasl.mechanism sasl.mechanisms sasl.username sasl.password
    sasl.oauthbearer.method sasl.oauthbearer.client.id sasl.oauthbearer.client.secret sasl.oauthbearer.scope
    sasl.oauthbearer.extensions sasl.oauthbearer.scope.claim.name sasl.oauthbearer.sub.claim.name
    sasl.oauthbearer.client.credentials.client.id sasl.oauthbearer.client.credentials.client.secret
    sasl.login.connect.timeout.ms sasl.login.read.timeout.ms sasl.login.retry.backoff.ms
    sasl.login.retry.backoff.max.ms sasl.login.refresh.buffer.seconds sasl.login.refresh.min.period.seconds
    sasl.login.refresh.window.factor sasl.login.refresh.window.jitter
    ssl.protocol ssl.enabled.protocols ssl.cipher.suites ssl.curves.list ssl.sigalgs.list
    ssl.endpoint.identification.algorithm enable.ssl.certificate.verification
    ssl.truststore.type ssl.truststore.password ssl.truststore.certificates
    ssl.keystore.type ssl.keystore.password ssl.keystore.key ssl.keystore.certificate.chain
    ssl.key.password ssl.ca.pem ssl.certificate.pem ssl.key.pem

    connections.max.idle.ms metadata.max.age.ms metadata.max.idle.ms metadata.recovery.strategy
    metadata.recovery.rebootstrap.trigger.ms topic.metadata.refresh.interval.ms
    reconnect.backoff.ms reconnect.backoff.max.ms retries retry.backoff.ms retry.backoff.max.ms
    request.timeout.ms default.api.timeout.ms send.buffer.bytes receive.buffer.bytes
    socket.connection.setup.timeout.ms socket.connection.setup.timeout.max.ms socket.timeout.ms
    socket.keepalive.enable socket.nagle.disable socket.send.buffer.bytes socket.receive.buffer.bytes
    socket.max.fails broker.address.family broker.address.ttl allow.auto.create.topics
    message.max.bytes receive.message.max.bytes max.in.flight max.in.flight.requests.per.connection
    enable.metrics.push statistics.interval.ms

    auto.offset.reset group.id group.instance.id group.protocol group.remote.assignor session.timeout.ms
    heartbeat.interval.ms max.poll.interval.ms max.poll.records fetch.min.bytes fetch.max.bytes fetch.max.wait.ms
    fetch.wait.max.ms fetch.message.max.bytes fetch.queue.backoff.ms fetch.error.backoff.ms
    max.partition.fetch.bytes isolation.level check.crcs enable.auto.commit auto.commit.interval.ms
    exclude.internal.topics queued.min.messages queued.max.messages.kbytes

    acks request.required.acks batch.size batch.num.messages buffer.memory compression.type compression.codec
    compression.level compression.gzip.level compression.lz4.level compression.zstd.level delivery.timeout.ms
    message.timeout.ms enable.idempotence linger.ms queue.buffering.max.ms queue.buffering.max.messages
    queue.buffering.max.kbytes max.block.ms max.request.size partitioner partitioner.ignore.keys
    partitioner.adaptive.partitioning.enable partitioner.availability.timeout.ms
    sticky.partitioning.linger.ms transaction.timeout.ms transactional.id
"""
_FILES = """
    ssl.truststore.location ssl.keystore.location ssl.ca.location ssl.certificate.location ssl.key.location
    ssl.crl.location
"""

ALLOWED: Mapping[str, Kind] = {
    **dict.fromkeys(_PLAIN.split(), Kind.PLAIN),
    **dict.fromkeys(_FILES.split(), Kind.FILE),
    "sasl.oauthbearer.token.endpoint.url": Kind.URL,
    "sasl.jaas.config": Kind.LOGIN,
    "partition.assignment.strategy": Kind.ASSIGNOR,
}
_LOGIN_MODULES = frozenset(
    f"org.apache.kafka.common.security.{name}LoginModule"
    for name in ("plain.Plain", "scram.Scram", "oauthbearer.OAuthBearer")
)
_JAVA_ASSIGNORS = ("Range", "RoundRobin", "Sticky", "CooperativeSticky")
_ASSIGNORS = frozenset(
    {"range", "roundrobin", "cooperative-sticky"}
    | {f"org.apache.kafka.clients.consumer.{name}Assignor" for name in _JAVA_ASSIGNORS}
)


def key_refusal(key: str, value: str) -> str | None:
    """Why the setting may not come from outside, without its value; None where it may, files and addresses apart."""
    match ALLOWED.get(key):
        case None:
            return f"'{key}' is not among the client settings that may be given here"
        case Kind.LOGIN:
            return _login_refusal(key, value)
        case Kind.ASSIGNOR:
            names = {part.strip() for part in value.split(",") if part.strip()}
            return None if names <= _ASSIGNORS else f"'{key}' names a class that is none of Kafka's assignors"
        case _:
            return None


def _login_refusal(key: str, value: str) -> str | None:
    try:
        module = parse_jaas(value)
    except ConfigError as error:
        return str(error)
    if module.class_name in _LOGIN_MODULES:
        return None
    return f"'{key}' names {module.class_name}, which is none of Kafka's login modules for PLAIN, SCRAM and OAUTHBEARER"
