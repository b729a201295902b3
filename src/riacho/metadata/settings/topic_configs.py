"""Every topic setting of Kafka 4.3: type, default, rule and meaning."""

from __future__ import annotations

from riacho.base.config import ConfigType, ServerKey, at_least, between, list_of, one_of
from riacho.base.config_effect import NoEffect
from riacho.metadata.settings.config_rules import gzip_level, throttled_replicas

BOOLEAN = ConfigType.BOOLEAN
DOUBLE = ConfigType.DOUBLE
INT = ConfigType.INT
LIST = ConfigType.LIST
LONG = ConfigType.LONG
STRING = ConfigType.STRING

# fmt: off
NO_REMOTE = NoEffect("there is no remote storage")

KEYS: tuple[ServerKey, ...] = (
    ServerKey("cleanup.policy", LIST, "delete",
              "What happens to old data: `delete` drops whole segments, `compact` keeps the last "
              "value of each key, both do both, empty keeps everything.",
              list_of("compact", "delete")),
    ServerKey("compression.gzip.level", INT, "-1",
              "Effort of gzip when the broker itself compresses; -1 leaves it to the library.", gzip_level),
    ServerKey("compression.lz4.level", INT, "9", "Effort of LZ4 when the broker itself compresses.", between(1, 17)),
    ServerKey("compression.type", STRING, "producer",
              "How batches are stored: `producer` keeps what arrived, another name makes the broker recompress.",
              one_of("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer")),
    ServerKey("compression.zstd.level", INT, "3",
              "Effort of zstd when the broker itself compresses.", between(-131072, 22)),
    ServerKey("delete.retention.ms", LONG, "86400000",
              "How long a compacted topic keeps tombstones, so that a slow reader still sees the deletion.",
              at_least(0)),
    ServerKey("file.delete.delay.ms", LONG, "60000", "How long a removed segment file stays on disk.", at_least(0)),
    ServerKey("flush.messages", LONG, "9223372036854775807",
              "Records between two forced syncs to disk; the default leaves syncing to the operating system.",
              at_least(1)),
    ServerKey("flush.ms", LONG, "9223372036854775807",
              "Longest time that a record waits for a forced sync to disk.", at_least(0)),
    ServerKey("follower.replication.throttled.replicas", LIST, "",
              "Replicas whose incoming copy traffic is throttled, as partition:broker pairs or `*`.",
              throttled_replicas),
    ServerKey("index.interval.bytes", INT, "4096",
              "Bytes of log between two entries of the offset index.", at_least(0)),
    ServerKey("internal.segment.bytes", INT, None,
              "Segment size below the public minimum, for tests.", internal=True,
              effect=NoEffect("it is for tests of Kafka")),
    ServerKey("leader.replication.throttled.replicas", LIST, "",
              "Replicas whose outgoing copy traffic is throttled, as partition:broker pairs or `*`.",
              throttled_replicas),
    ServerKey("local.retention.bytes", LONG, "-2",
              "Bytes kept on local disk when older data is in remote storage; -2 follows `retention.bytes`.",
              at_least(-2), effect=NO_REMOTE),
    ServerKey("local.retention.ms", LONG, "-2",
              "Time that data stays on local disk when remote storage holds it too; -2 follows `retention.ms`.",
              at_least(-2), effect=NO_REMOTE),
    ServerKey("max.compaction.lag.ms", LONG, "9223372036854775807",
              "Longest time that a record may stay out of reach of compaction.", at_least(1)),
    ServerKey("max.message.bytes", INT, "1048588", "Largest record batch accepted, after compression.", at_least(0)),
    ServerKey("message.timestamp.after.max.ms", LONG, "3600000",
              "How far a record's timestamp may be ahead of the broker's clock.", at_least(0)),
    ServerKey("message.timestamp.before.max.ms", LONG, "9223372036854775807",
              "How far a record's timestamp may be behind the broker's clock.", at_least(0)),
    ServerKey("message.timestamp.type", STRING, "CreateTime",
              "Whose clock stamps a record: the producer's (`CreateTime`) or the broker's (`LogAppendTime`).",
              one_of("CreateTime", "LogAppendTime")),
    ServerKey("min.cleanable.dirty.ratio", DOUBLE, "0.5",
              "Share of a log that must be uncompacted before compaction takes it up.", between(0, 1)),
    ServerKey("min.compaction.lag.ms", LONG, "0",
              "Shortest time that a record stays out of reach of compaction.", at_least(0)),
    ServerKey("min.insync.replicas", INT, "1", "In-sync replicas that a write with acks=all needs.", at_least(1)),
    ServerKey("preallocate", BOOLEAN, "false", "Whether a new segment file gets its full size at once.",
              effect=NoEffect("segment files grow as they are written")),
    ServerKey("remote.log.copy.disable", BOOLEAN, "false", "Whether new segments stop going to remote storage.",
              effect=NO_REMOTE),
    ServerKey("remote.log.delete.on.disable", BOOLEAN, "false",
              "Whether turning remote storage off also deletes what is there.", effect=NO_REMOTE),
    ServerKey("remote.storage.enable", BOOLEAN, "false", "Whether closed segments go to remote storage.",
              effect=NO_REMOTE),
    ServerKey("retention.bytes", LONG, "-1",
              "Bytes that a partition keeps before its oldest segments go; -1 for no limit."),
    ServerKey("retention.ms", LONG, "604800000",
              "Time that a record is kept under the `delete` policy; -1 for ever.", at_least(-1)),
    ServerKey("segment.bytes", INT, "1073741824",
              "Size at which a segment is closed and the next begins.", at_least(1048576)),
    ServerKey("segment.index.bytes", INT, "10485760",
              "Room set aside for the offset index of one segment.", at_least(4)),
    ServerKey("segment.jitter.ms", LONG, "0",
              "Random time taken off `segment.ms`, so that segments do not all roll at once.", at_least(0)),
    ServerKey("segment.ms", LONG, "604800000",
              "Age at which a segment is closed even when it is not full.", at_least(1)),
    ServerKey("unclean.leader.election.enable", BOOLEAN, "false",
              "Whether a replica out of sync may lead when no other is left, at the price of lost records."),
)
# fmt: on
