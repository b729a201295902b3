"""Broker settings: groups and their offsets."""

from __future__ import annotations

from riacho.base.config import ConfigType, Dynamic, Importance, ServerKey, at_least, list_of, one_of_any_case
from riacho.base.config_effect import NoEffect, Restricted

INT = ConfigType.INT
LIST = ConfigType.LIST
LONG = ConfigType.LONG
SHORT = ConfigType.SHORT
STRING = ConfigType.STRING
HIGH = Importance.HIGH
CLUSTER_WIDE = Dynamic.CLUSTER_WIDE

# fmt: off
ONE_LOOP = NoEffect("one event loop does this work")

KEYS: tuple[ServerKey, ...] = (
    ServerKey("group.consumer.assignment.interval.ms", INT, "1000",
              "Shortest time between two assignments of a consumer group.", at_least(0), dynamic=CLUSTER_WIDE),
    ServerKey("group.consumer.assignors", LIST, "uniform,range",
              "Assignors that the broker offers to consumer groups; the first is the default.", list_of(empty=False),
              effect=Restricted("assignors of other classes are not loaded; list uniform, range or both",
                                ("uniform", "range"))),
    ServerKey("group.consumer.heartbeat.interval.ms", INT, "5000",
              "How often members of a consumer group report.", at_least(1)),
    ServerKey("group.consumer.max.assignment.interval.ms", INT, "15000",
              "Largest assignment interval that a consumer group may set.", at_least(0)),
    ServerKey("group.consumer.max.heartbeat.interval.ms", INT, "15000",
              "Largest heartbeat interval that a consumer group may set.", at_least(1)),
    ServerKey("group.consumer.max.session.timeout.ms", INT, "60000",
              "Largest session timeout that a consumer group may set.", at_least(1)),
    ServerKey("group.consumer.max.size", INT, "2147483647", "Most members of a consumer group.", at_least(1)),
    ServerKey("group.consumer.migration.policy", STRING, "bidirectional",
              "Whether groups may go between the classic and the consumer protocol while they run.",
              one_of_any_case("DISABLED", "DOWNGRADE", "UPGRADE", "BIDIRECTIONAL")),
    ServerKey("group.consumer.min.assignment.interval.ms", INT, "0",
              "Smallest assignment interval that a consumer group may set.", at_least(0)),
    ServerKey("group.consumer.min.heartbeat.interval.ms", INT, "5000",
              "Smallest heartbeat interval that a consumer group may set.", at_least(1)),
    ServerKey("group.consumer.min.session.timeout.ms", INT, "45000",
              "Smallest session timeout that a consumer group may set.", at_least(1)),
    ServerKey("group.consumer.regex.refresh.interval.ms", INT, "600000",
              "How often subscriptions by pattern are matched against the topics again.",
              at_least(10000), internal=True),
    ServerKey("group.consumer.session.timeout.ms", INT, "45000",
              "Silence after which a member of a consumer group is taken for dead.", at_least(1)),
    ServerKey("group.coordinator.append.linger.ms", INT, "-1",
              "How long the group coordinator gathers writes; -1 lets it adapt.", at_least(-1),
              effect=NoEffect("records are written as soon as they are decided")),
    ServerKey("group.coordinator.background.threads", INT, "2",
              "Threads for the group coordinator's slow work.", at_least(1), importance=HIGH,
              effect=NoEffect("one thread matches patterns, the event loop does the rest")),
    ServerKey("group.coordinator.cached.buffer.max.bytes", INT, "1048588",
              "Largest write buffer that the group coordinator keeps for reuse.",
              at_least(524288), dynamic=CLUSTER_WIDE, effect=NoEffect("no write buffers are kept")),
    ServerKey("group.coordinator.rebalance.protocols", LIST, "classic,consumer,streams",
              "Kinds of group that are served.", list_of("consumer", "classic", "share", "streams", empty=False)),
    ServerKey("group.coordinator.threads", INT, "4",
              "Threads of the group coordinator.", at_least(1), importance=HIGH, effect=ONE_LOOP),
    ServerKey("group.initial.rebalance.delay.ms", INT, "3000",
              "How long a new classic group waits for more members before its first rebalance."),
    ServerKey("group.max.session.timeout.ms", INT, "1800000",
              "Largest session timeout that a classic member may ask for."),
    ServerKey("group.max.size", INT, "2147483647", "Most members of a classic group.", at_least(1)),
    ServerKey("group.min.session.timeout.ms", INT, "6000",
              "Smallest session timeout that a classic member may ask for."),
    ServerKey("offset.metadata.max.bytes", INT, "4096",
              "Largest note that may go with a committed offset.", importance=HIGH),
    ServerKey("offsets.commit.timeout.ms", INT, "5000",
              "Longest wait for a commit to reach its replicas.", at_least(1), importance=HIGH),
    ServerKey("offsets.load.buffer.size", INT, "5242880",
              "Bytes read at a time when offsets are loaded.", at_least(1), importance=HIGH,
              effect=NoEffect("1 MiB is read at a time")),
    ServerKey("offsets.retention.check.interval.ms", LONG, "600000",
              "How often offsets are looked at for expiry.", at_least(1), importance=HIGH),
    ServerKey("offsets.retention.minutes", INT, "10080",
              "Minutes that a group's offsets outlive its last member.", at_least(1), importance=HIGH),
    ServerKey("offsets.topic.compression.codec", INT, "0",
              "Compression of the offsets topic, by its number.", importance=HIGH,
              effect=NoEffect("the records are stored uncompressed")),
    ServerKey("offsets.topic.num.partitions", INT, "50",
              "Partitions of the offsets topic.", at_least(1), importance=HIGH),
    ServerKey("offsets.topic.replication.factor", SHORT, "3",
              "Replicas of the offsets topic; when not set, no more than there are brokers.",
              at_least(1), importance=HIGH),
    ServerKey("offsets.topic.segment.bytes", INT, "104857600",
              "Segment size of the offsets topic.", at_least(1), importance=HIGH),
)
# fmt: on
