"""Broker settings: identity, metadata quorum, metadata log."""

from __future__ import annotations

from riacho.base.config import ConfigKey, ConfigType, Importance, at_least, list_of
from riacho.base.config_effect import NoEffect
from riacho.metadata.settings.config_rules import host_and_port_list, voter_list

BOOLEAN = ConfigType.BOOLEAN
INT = ConfigType.INT
LIST = ConfigType.LIST
LONG = ConfigType.LONG
STRING = ConfigType.STRING
HIGH = Importance.HIGH
LOW = Importance.LOW

# fmt: off
FOR_TESTS = NoEffect("it is for tests of Kafka")

KEYS: tuple[ConfigKey, ...] = (
    ConfigKey("broker.heartbeat.interval.ms", INT, "2000", "How often a broker reports to the controller."),
    ConfigKey("broker.id", INT, "-1", "Older name of `node.id`.", importance=HIGH),
    ConfigKey("broker.session.timeout.ms", INT, "9000", "Silence after which the controller fences a broker."),
    ConfigKey("controller.listener.names", LIST, "CONTROLLER",
              "Listeners on which the controllers are reached.", list_of(empty=False), importance=HIGH),
    ConfigKey("controller.performance.always.log.threshold.ms", LONG, "2000",
              "Duration from which a slow controller event is always logged.", at_least(0), internal=True,
              effect=NoEffect("durations are in the metrics")),
    ConfigKey("controller.performance.sample.period.ms", LONG, "60000",
              "How often the controller logs how long its events take.", at_least(100), internal=True,
              effect=NoEffect("durations are in the metrics")),
    ConfigKey("controller.quorum.append.linger.ms", INT, "25",
              "How long the quorum leader gathers writes.", at_least(0),
              effect=NoEffect("records are written as soon as they are decided")),
    ConfigKey("controller.quorum.auto.join.enable", BOOLEAN, "false",
              "Whether a controller joins the voters by itself.", importance=LOW),
    ConfigKey("controller.quorum.bootstrap.servers", LIST, "",
              "Controllers to ask for the quorum, as host:port.", host_and_port_list, importance=HIGH),
    ConfigKey("controller.quorum.election.backoff.max.ms", INT, "1000",
              "Longest random pause before another election.", at_least(0), importance=HIGH),
    ConfigKey("controller.quorum.election.timeout.ms", INT, "1000",
              "Longest wait for votes.", at_least(0), importance=HIGH),
    ConfigKey("controller.quorum.fetch.max.bytes", INT, "1048576",
              "Most bytes of metadata in one fetch.", at_least(1), importance=LOW),
    ConfigKey("controller.quorum.fetch.snapshot.max.bytes", INT, "1048576",
              "Most bytes of a snapshot in one fetch.", at_least(1), importance=LOW),
    ConfigKey("controller.quorum.fetch.timeout.ms", INT, "2000",
              "Silence of the leader after which a voter stands for election.", at_least(0), importance=HIGH),
    ConfigKey("controller.quorum.request.timeout.ms", INT, "2000", "Timeout of requests among voters.", at_least(0)),
    ConfigKey("controller.quorum.retry.backoff.ms", INT, "20",
              "Pause before a request among voters is sent again.", at_least(0), importance=LOW),
    ConfigKey("controller.quorum.voters", LIST, "",
              "The voters, as id@host:port, for a fixed quorum.", voter_list, importance=HIGH),
    ConfigKey("initial.broker.registration.timeout.ms", INT, "60000",
              "How long a starting broker tries to register before it gives up."),
    ConfigKey("internal.metadata.delete.delay.millis", LONG, "60000",
              "How long removed files of the metadata log stay on disk.", importance=LOW, internal=True,
              effect=FOR_TESTS),
    ConfigKey("internal.metadata.log.segment.bytes", INT, None,
              "Segment size of the metadata log below the public minimum, for tests.", importance=LOW, internal=True,
              effect=FOR_TESTS),
    ConfigKey("internal.metadata.max.batch.size.in.bytes", INT, "8388608",
              "Largest batch of the metadata log.", importance=LOW, internal=True, effect=FOR_TESTS),
    ConfigKey("metadata.log.dir", STRING, None,
              "Directory of the metadata log; the first log directory when not set.", importance=HIGH),
    ConfigKey("metadata.log.max.record.bytes.between.snapshots", LONG, "20971520",
              "Bytes of metadata after which a snapshot is taken.", at_least(1), importance=HIGH),
    ConfigKey("metadata.log.max.snapshot.interval.ms", LONG, "3600000",
              "Longest time between two snapshots while metadata changes; 0 for no limit.",
              at_least(0), importance=HIGH),
    ConfigKey("metadata.log.segment.bytes", INT, "1073741824",
              "Segment size of the metadata log.", at_least(8388608), importance=HIGH),
    ConfigKey("metadata.log.segment.ms", LONG, "604800000",
              "Age at which a segment of the metadata log is closed.", importance=HIGH),
    ConfigKey("metadata.max.idle.interval.ms", INT, "500",
              "How often the active controller writes a no-op record; 0 for never.", at_least(0), importance=LOW,
              effect=NoEffect("no no-op records are written")),
    ConfigKey("metadata.max.retention.bytes", LONG, "104857600",
              "Bytes of metadata log and snapshots kept; -1 for no limit.", importance=HIGH,
              effect=NoEffect("the two newest snapshots are kept, and the log after the older one")),
    ConfigKey("metadata.max.retention.ms", LONG, "604800000",
              "Time that metadata segments and snapshots are kept.", importance=HIGH,
              effect=NoEffect("the two newest snapshots are kept, and the log after the older one")),
    ConfigKey("node.id", INT, "1",
              "Number of this node, its own in the whole cluster.", at_least(0), importance=HIGH),
    ConfigKey("process.roles", LIST, "broker,controller",
              "What this process is: broker, controller, or both.",
              list_of("broker", "controller", empty=False), importance=HIGH),
    ConfigKey("server.max.startup.time.ms", LONG, "9223372036854775807",
              "Longest time that starting may take.", at_least(0), internal=True,
              effect=NoEffect("a start may take as long as it needs")),
    ConfigKey("unstable.api.versions.enable", BOOLEAN, "false",
              "Whether unfinished API versions are offered.", importance=HIGH, internal=True,
              effect=NoEffect("there are no unfinished versions")),
    ConfigKey("unstable.feature.versions.enable", BOOLEAN, "false",
              "Whether unfinished feature levels may be set.", importance=HIGH, internal=True,
              effect=NoEffect("there are no unfinished levels")),
)
# fmt: on
