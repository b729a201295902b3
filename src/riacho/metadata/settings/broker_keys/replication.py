"""Broker settings: topic defaults, replication, leadership, requests that wait."""

from __future__ import annotations

from riacho.base.config import ConfigType, Dynamic, Importance, ServerKey, at_least
from riacho.base.config_effect import NoEffect, Restricted

BOOLEAN = ConfigType.BOOLEAN
CLASS = ConfigType.CLASS
INT = ConfigType.INT
LONG = ConfigType.LONG
STRING = ConfigType.STRING
HIGH = Importance.HIGH
LOW = Importance.LOW
CLUSTER_WIDE = Dynamic.CLUSTER_WIDE

# fmt: off
# By their whole names, and by their own alone.
SELECTORS = tuple(f"{package}{name}" for package in ("org.apache.kafka.common.replica.", "")
                  for name in ("RackAwareReplicaSelector", "LeaderSelector"))
NOTHING_LEFT = NoEffect("waits leave memory when they end")

KEYS: tuple[ServerKey, ...] = (
    ServerKey("alter.config.policy.class.name", CLASS, None,
              "Class that may refuse a change of configuration.", importance=LOW,
              effect=Restricted("classes are not loaded; leave it out and let ACLs say who may change settings")),
    ServerKey("alter.log.dirs.replication.quota.window.num", INT, "11",
              "Samples kept when measuring moves between log directories.", at_least(1), importance=LOW),
    ServerKey("alter.log.dirs.replication.quota.window.size.seconds", INT, "1",
              "Length of one such sample.", at_least(1), importance=LOW),
    ServerKey("auto.create.topics.enable", BOOLEAN, "true",
              "Whether asking for an unknown topic creates it.", importance=HIGH),
    ServerKey("auto.leader.rebalance.enable", BOOLEAN, "true",
              "Whether leadership goes back to the preferred replica by itself.", importance=HIGH),
    ServerKey("controlled.shutdown.enable", BOOLEAN, "true",
              "Whether leadership is handed over before the broker stops."),
    ServerKey("controller.socket.timeout.ms", INT, "30000",
              "Timeout of the controller's connections.",
              effect=NoEffect("Kafka itself reads it no more")),
    ServerKey("create.topic.policy.class.name", CLASS, None, "Class that may refuse a new topic.", importance=LOW,
              effect=Restricted("classes are not loaded; leave it out and let ACLs say who may create topics")),
    ServerKey("default.replication.factor", INT, "1", "Replicas of a topic that does not ask for a number."),
    ServerKey("delete.records.purgatory.purge.interval.requests", INT, "1",
              "Finished DeleteRecords waits left in memory before they are swept out.", effect=NOTHING_LEFT),
    ServerKey("delete.topic.enable", BOOLEAN, "true", "Whether topics may be deleted.", importance=HIGH),
    ServerKey("fetch.max.bytes", INT, "57671680", "Most bytes returned for one fetch.", at_least(1024)),
    ServerKey("fetch.purgatory.purge.interval.requests", INT, "1000",
              "Finished fetch waits left in memory before they are swept out.", effect=NOTHING_LEFT),
    ServerKey("follower.fetch.last.tiered.offset.enable", BOOLEAN, "false",
              "Whether an empty follower starts at what is not yet in remote storage.", dynamic=CLUSTER_WIDE,
              effect=NoEffect("there is no remote storage")),
    ServerKey("leader.imbalance.check.interval.seconds", LONG, "300",
              "How often leadership is compared with the preferred replicas.", at_least(1), importance=HIGH),
    ServerKey("min.insync.replicas", INT, "1",
              "In-sync replicas that a write with acks=all needs.",
              at_least(1), importance=HIGH, dynamic=CLUSTER_WIDE),
    ServerKey("num.partitions", INT, "1", "Partitions of a topic that does not ask for a number.", at_least(1)),
    ServerKey("num.replica.alter.log.dirs.threads", INT, None,
              "Threads that move replicas between log directories.", importance=HIGH,
              effect=NoEffect("replicas move one after the other")),
    ServerKey("num.replica.fetchers", INT, "1",
              "Connections with which a follower copies from each leader.",
              at_least(1), importance=HIGH, dynamic=CLUSTER_WIDE),
    ServerKey("producer.purgatory.purge.interval.requests", INT, "1000",
              "Finished produce waits left in memory before they are swept out.", effect=NOTHING_LEFT),
    ServerKey("replica.fetch.backoff.ms", INT, "1000", "Pause of a follower after a failed fetch.", at_least(0)),
    ServerKey("replica.fetch.max.bytes", INT, "1048576",
              "Bytes that a follower asks for each partition.", at_least(0)),
    ServerKey("replica.fetch.min.bytes", INT, "1",
              "Bytes that a leader waits for before it answers a follower.", importance=HIGH),
    ServerKey("replica.fetch.response.max.bytes", INT, "10485760",
              "Most bytes that a follower takes in one answer.", at_least(0)),
    ServerKey("replica.fetch.wait.max.ms", INT, "500",
              "Longest time that a leader lets a follower's fetch wait.", importance=HIGH),
    ServerKey("replica.high.watermark.checkpoint.interval.ms", LONG, "5000",
              "How often high watermarks are written down.", importance=HIGH),
    ServerKey("replica.lag.time.max.ms", LONG, "30000",
              "Time without catching up after which a follower leaves the in-sync set.", importance=HIGH),
    ServerKey("replica.selector.class", STRING, None, "Class that chooses the replica a consumer reads from.",
              effect=Restricted("other classes are not loaded; RackAwareReplicaSelector is there", SELECTORS)),
    ServerKey("replica.socket.receive.buffer.bytes", INT, "65536",
              "Receive buffer of a follower's connections.", importance=HIGH,
              effect=NoEffect("the kernel chooses the size")),
    ServerKey("replica.socket.timeout.ms", INT, "30000", "Timeout of a follower's connections.", importance=HIGH),
    ServerKey("replication.quota.window.num", INT, "11",
              "Samples kept when measuring throttled copies.", at_least(1), importance=LOW),
    ServerKey("replication.quota.window.size.seconds", INT, "1",
              "Length of one such sample.", at_least(1), importance=LOW),
    ServerKey("unclean.leader.election.enable", BOOLEAN, "false",
              "Whether a replica out of sync may lead when no other is left, at the price of lost records.",
              importance=HIGH, dynamic=CLUSTER_WIDE),
    ServerKey("unclean.leader.election.interval.ms", LONG, "300000",
              "How often an unclean election is tried where it is allowed.", at_least(1), internal=True),
)
# fmt: on
