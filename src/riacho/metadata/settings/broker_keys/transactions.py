"""Broker settings: transactions and producer ids."""

from __future__ import annotations

from riacho.base.config import ConfigType, Dynamic, Importance, ServerKey, at_least
from riacho.base.config_effect import NoEffect

BOOLEAN = ConfigType.BOOLEAN
INT = ConfigType.INT
SHORT = ConfigType.SHORT
HIGH = Importance.HIGH
LOW = Importance.LOW
CLUSTER_WIDE = Dynamic.CLUSTER_WIDE

# fmt: off
KEYS: tuple[ServerKey, ...] = (
    ServerKey("add.partitions.to.txn.retry.backoff.max.ms", INT, "100",
              "Longest time that the broker itself retries adding partitions to a transaction.",
              at_least(0), importance=HIGH),
    ServerKey("add.partitions.to.txn.retry.backoff.ms", INT, "20",
              "Pause between two such tries.", at_least(1), importance=HIGH),
    ServerKey("producer.id.expiration.check.interval.ms", INT, "600000",
              "How often idle producer ids are looked for.", at_least(1), importance=LOW, internal=True),
    ServerKey("producer.id.expiration.ms", INT, "86400000",
              "Idle time after which a partition forgets a producer id.",
              at_least(1), importance=LOW, dynamic=CLUSTER_WIDE),
    ServerKey("transaction.abort.timed.out.transaction.cleanup.interval.ms", INT, "10000",
              "How often timed-out transactions are looked for.", at_least(1), importance=LOW),
    ServerKey("transaction.max.timeout.ms", INT, "900000",
              "Longest transaction timeout that a producer may ask for.", at_least(1), importance=HIGH),
    ServerKey("transaction.partition.verification.enable", BOOLEAN, "true",
              "Whether a partition checks with the coordinator that a transaction is open before it takes its data.",
              importance=LOW, dynamic=CLUSTER_WIDE),
    ServerKey("transaction.remove.expired.transaction.cleanup.interval.ms", INT, "3600000",
              "How often expired transactional ids are looked for.", at_least(1), importance=LOW),
    ServerKey("transaction.state.log.load.buffer.size", INT, "5242880",
              "Bytes read at a time when transaction state is loaded.", at_least(1), importance=HIGH,
              effect=NoEffect("1 MiB is read at a time")),
    ServerKey("transaction.state.log.min.isr", INT, "2",
              "In-sync replicas that a write of transaction state needs; when not set, no more than it has replicas.",
              at_least(1), importance=HIGH),
    ServerKey("transaction.state.log.num.partitions", INT, "50",
              "Partitions of the transaction topic.", at_least(1), importance=HIGH),
    ServerKey("transaction.state.log.replication.factor", SHORT, "3",
              "Replicas of the transaction topic; when not set, no more than there are brokers.",
              at_least(1), importance=HIGH),
    ServerKey("transaction.state.log.segment.bytes", INT, "104857600",
              "Segment size of the transaction topic.", at_least(1), importance=HIGH),
    ServerKey("transaction.two.phase.commit.enable", BOOLEAN, "false",
              "Whether producers may hold a prepared transaction open without a timeout.", importance=LOW),
    ServerKey("transactional.id.expiration.ms", INT, "604800000",
              "Idle time after which a transactional id is forgotten.", at_least(1), importance=HIGH),
)
# fmt: on
