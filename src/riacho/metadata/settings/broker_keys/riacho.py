"""Broker settings that Kafka does not have."""

from __future__ import annotations

from riacho.base.config import ConfigType, Importance, ServerKey, between

INT = ConfigType.INT
LONG = ConfigType.LONG
STRING = ConfigType.STRING
LOW = Importance.LOW

# fmt: off
KEYS: tuple[ServerKey, ...] = (
    ServerKey("cluster.id", STRING, None,
              "Identity of the cluster for data directories that have none yet; random when not set."),
    ServerKey("riacho.boot.id.file", STRING, "/proc/sys/kernel/random/boot_id",
              "File that holds the identity of the machine's present boot. A broker that crashes and comes back within "
              "one boot has lost nothing of what it wrote. Without such a file every crash counts as a loss of power.",
              importance=LOW),
    ServerKey("riacho.metrics.host", STRING, "127.0.0.1", "Address on which metrics and health are served.",
              importance=LOW),
    ServerKey("riacho.metrics.port", INT, "9404", "Port on which metrics and health are served; -1 for none.",
              between(-1, 65535), importance=LOW),
    ServerKey("riacho.metrics.entries.max", INT, "2000",
              "Most topics, partitions and committed offsets, each, that metrics tell of one by one.",
              between(0, 1_000_000), importance=LOW),
    ServerKey("riacho.log.seen.interval.ms", LONG, "3600000",
              "How often the agent log and the referrer log tell who has asked since, and how much.",
              between(100, 86_400_000), importance=LOW),
    ServerKey("riacho.log.file.max.bytes", LONG, "10485760",
              "Size at which a log that the broker writes about itself goes on in a new file; 0 for never.",
              between(0, 1 << 40), importance=LOW),
    ServerKey("riacho.log.file.backups", INT, "5",
              "How many of its earlier files each such log keeps: `access-1.log.1` is the youngest.",
              between(1, 100), importance=LOW),
    ServerKey("riacho.tls.check.interval.ms", INT, "5000", "How often the files of keys are looked at for changes.",
              between(10, 86_400_000), importance=LOW),
)
# fmt: on
