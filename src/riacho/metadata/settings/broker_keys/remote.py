"""Broker settings: remote (tiered) storage, KIP-405."""

from __future__ import annotations

from riacho.base.config import ConfigType, Dynamic, Importance, ServerKey, at_least, between, non_empty
from riacho.base.config_effect import NoEffect, Restricted

BOOLEAN = ConfigType.BOOLEAN
DOUBLE = ConfigType.DOUBLE
INT = ConfigType.INT
LONG = ConfigType.LONG
STRING = ConfigType.STRING
LOW = Importance.LOW
CLUSTER_WIDE = Dynamic.CLUSTER_WIDE

# fmt: off
NO_REMOTE = NoEffect("there is no remote storage")

KEYS: tuple[ServerKey, ...] = (
    ServerKey("remote.fetch.max.wait.ms", INT, "500",
              "Longest wait for data from remote storage.", at_least(1), dynamic=CLUSTER_WIDE, effect=NO_REMOTE),
    ServerKey("remote.list.offsets.request.timeout.ms", LONG, "30000",
              "Longest wait for an offset lookup in remote storage.", at_least(1), dynamic=CLUSTER_WIDE,
              effect=NO_REMOTE),
    ServerKey("remote.log.index.file.cache.total.size.bytes", LONG, "1073741824",
              "Disk for copies of remote indexes.", at_least(1), importance=LOW, dynamic=CLUSTER_WIDE,
              effect=NO_REMOTE),
    ServerKey("remote.log.index.file.cache.ttl.ms", LONG, "900000",
              "How long an unused copy of a remote index is kept.", at_least(-1), importance=LOW, internal=True,
              effect=NO_REMOTE),
    ServerKey("remote.log.manager.copier.thread.pool.size", INT, "10",
              "Threads that copy segments to remote storage.", at_least(1), dynamic=CLUSTER_WIDE, effect=NO_REMOTE),
    ServerKey("remote.log.manager.copy.max.bytes.per.second", LONG, "9223372036854775807",
              "Bytes copied to remote storage per second.", at_least(1), dynamic=CLUSTER_WIDE, effect=NO_REMOTE),
    ServerKey("remote.log.manager.copy.quota.window.num", INT, "11",
              "Samples kept when measuring those copies.", at_least(1), effect=NO_REMOTE),
    ServerKey("remote.log.manager.copy.quota.window.size.seconds", INT, "1",
              "Length of one such sample.", at_least(1), effect=NO_REMOTE),
    ServerKey("remote.log.manager.expiration.thread.pool.size", INT, "10",
              "Threads that delete expired remote segments.", at_least(1), dynamic=CLUSTER_WIDE, effect=NO_REMOTE),
    ServerKey("remote.log.manager.fetch.max.bytes.per.second", LONG, "9223372036854775807",
              "Bytes read from remote storage per second.", at_least(1), dynamic=CLUSTER_WIDE, effect=NO_REMOTE),
    ServerKey("remote.log.manager.fetch.quota.window.num", INT, "11",
              "Samples kept when measuring those reads.", at_least(1), effect=NO_REMOTE),
    ServerKey("remote.log.manager.fetch.quota.window.size.seconds", INT, "1",
              "Length of one such sample.", at_least(1), effect=NO_REMOTE),
    ServerKey("remote.log.manager.follower.thread.pool.size", INT, "2",
              "Threads that follow remote state on followers.", at_least(1), dynamic=CLUSTER_WIDE, effect=NO_REMOTE),
    ServerKey("remote.log.manager.task.interval.ms", LONG, "30000",
              "How often remote work of a partition runs.", at_least(1), importance=LOW, effect=NO_REMOTE),
    ServerKey("remote.log.manager.task.retry.backoff.max.ms", LONG, "30000",
              "Longest pause before failed remote work is tried again.", at_least(1), importance=LOW, internal=True,
              effect=NO_REMOTE),
    ServerKey("remote.log.manager.task.retry.backoff.ms", LONG, "500",
              "First pause before failed remote work is tried again.", at_least(1), importance=LOW, internal=True,
              effect=NO_REMOTE),
    ServerKey("remote.log.manager.task.retry.jitter", DOUBLE, "0.2",
              "Random share added to that pause.", between(0, 0.5), importance=LOW, internal=True, effect=NO_REMOTE),
    ServerKey("remote.log.manager.thread.pool.size", INT, "2",
              "Threads of remote work that has no pool of its own.", at_least(1), effect=NO_REMOTE),
    ServerKey("remote.log.metadata.custom.metadata.max.bytes", INT, "128",
              "Largest note that a storage plugin may keep with a segment.", at_least(0), importance=LOW,
              effect=NO_REMOTE),
    ServerKey("remote.log.metadata.manager.class.name", STRING,
              "org.apache.kafka.server.log.remote.metadata.storage.TopicBasedRemoteLogMetadataManager",
              "Class that keeps track of remote segments.", non_empty,
              effect=NO_REMOTE),
    ServerKey("remote.log.metadata.manager.class.path", STRING, None, "Where that class is loaded from.",
              effect=NO_REMOTE),
    ServerKey("remote.log.metadata.manager.impl.prefix", STRING, "rlmm.config.",
              "Prefix of the settings passed to that class.", non_empty, effect=NO_REMOTE),
    ServerKey("remote.log.metadata.manager.listener.name", STRING, None,
              "Listener that that class uses to reach brokers.", non_empty, effect=NO_REMOTE),
    ServerKey("remote.log.reader.max.pending.tasks", INT, "100",
              "Remote reads that may wait for a thread.", at_least(1), effect=NO_REMOTE),
    ServerKey("remote.log.reader.threads", INT, "10",
              "Threads that read from remote storage.", at_least(1), dynamic=CLUSTER_WIDE, effect=NO_REMOTE),
    ServerKey("remote.log.storage.manager.class.name", STRING, None,
              "Class that reaches the remote storage.", non_empty, effect=NO_REMOTE),
    ServerKey("remote.log.storage.manager.class.path", STRING, None, "Where that class is loaded from.",
              effect=NO_REMOTE),
    ServerKey("remote.log.storage.manager.impl.prefix", STRING, "rsm.config.",
              "Prefix of the settings passed to that class.", non_empty, effect=NO_REMOTE),
    ServerKey("remote.log.storage.system.enable", BOOLEAN, "false",
              "Whether this broker uses remote storage at all.",
              effect=Restricted("there is no remote storage; set it to false", ("false",))),
)
# fmt: on
