"""Settings of one group (KIP-848, KIP-932, KIP-1071)."""

from __future__ import annotations

from riacho.base.config import ConfigType, ServerKey, at_least, one_of
from riacho.base.config_effect import NoEffect
from riacho.metadata.settings.config_rules import offset_reset

BOOLEAN = ConfigType.BOOLEAN
INT = ConfigType.INT
STRING = ConfigType.STRING

# fmt: off
NO_STREAMS = NoEffect("there are no streams groups")

KEYS: tuple[ServerKey, ...] = (
    ServerKey("consumer.assignment.interval.ms", INT, "1000",
              "Shortest time between two assignments of this consumer group.", at_least(0)),
    ServerKey("consumer.heartbeat.interval.ms", INT, "5000",
              "How often members of this consumer group report.", at_least(1)),
    ServerKey("consumer.session.timeout.ms", INT, "45000",
              "Silence after which a member of this consumer group is taken for dead.", at_least(1)),
    ServerKey("share.assignment.interval.ms", INT, "1000",
              "Shortest time between two assignments of this share group.", at_least(0)),
    ServerKey("share.auto.offset.reset", STRING, "latest",
              "Where a share group starts reading when it has no position.", offset_reset),
    ServerKey("share.delivery.count.limit", INT, "5",
              "How often a record is tried before the share group gives it up.", at_least(2)),
    ServerKey("share.heartbeat.interval.ms", INT, "5000",
              "How often members of this share group report.", at_least(1)),
    ServerKey("share.isolation.level", STRING, "read_uncommitted",
              "Whether this share group sees records of open transactions.",
              one_of("read_committed", "read_uncommitted")),
    ServerKey("share.partition.max.record.locks", INT, "2000",
              "Records of one partition that this share group may hold at a time.", at_least(100)),
    ServerKey("share.record.lock.duration.ms", INT, "30000",
              "How long a record stays with the consumer that took it.", at_least(1000)),
    ServerKey("share.renew.acknowledge.enable", BOOLEAN, "true",
              "Whether consumers may ask for more time on a record they hold."),
    ServerKey("share.session.timeout.ms", INT, "45000",
              "Silence after which a member of this share group is taken for dead.", at_least(1)),
    ServerKey("streams.assignment.interval.ms", INT, "1000",
              "Shortest time between two assignments of this streams group.", at_least(0), effect=NO_STREAMS),
    ServerKey("streams.heartbeat.interval.ms", INT, "5000",
              "How often members of this streams group report.", at_least(1), effect=NO_STREAMS),
    ServerKey("streams.initial.rebalance.delay.ms", INT, "3000",
              "How long a new streams group waits for more members before its first assignment.", at_least(0),
              effect=NO_STREAMS),
    ServerKey("streams.num.standby.replicas", INT, "0", "Standby copies of each task's state.", at_least(0),
              effect=NO_STREAMS),
    ServerKey("streams.session.timeout.ms", INT, "45000",
              "Silence after which a member of this streams group is taken for dead.", at_least(1), effect=NO_STREAMS),
)
# fmt: on
