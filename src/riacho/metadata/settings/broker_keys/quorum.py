"""Broker settings: identity, metadata quorum, metadata log."""

from __future__ import annotations

from riacho.base.config import ConfigType, Importance, ServerKey, at_least, list_of
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

KEYS: tuple[ServerKey, ...] = (
    ServerKey("broker.heartbeat.interval.ms", INT, "2000", "How often a broker reports to the controller."),
    ServerKey("broker.id", INT, "-1", "Older name of `node.id`.", importance=HIGH),
    ServerKey("broker.session.timeout.ms", INT, "9000", "Silence after which the controller fences a broker."),
    ServerKey("controller.listener.names", LIST, "CONTROLLER",
              "Listeners on which the controllers are reached.", list_of(empty=False), importance=HIGH),
    ServerKey("controller.performance.always.log.threshold.ms", LONG, "2000",
              "Duration from which a slow controller event is always logged.", at_least(0), internal=True,
              effect=NoEffect("durations are in the metrics")),
    ServerKey("controller.performance.sample.period.ms", LONG, "60000",
              "How often the controller logs how long its events take.", at_least(100), internal=True,
              effect=NoEffect("durations are in the metrics")),
    ServerKey("controller.quorum.append.linger.ms", INT, "25",
              "How long the quorum leader gathers writes.", at_least(0),
              effect=NoEffect("records are written as soon as they are decided")),
    ServerKey("controller.quorum.auto.join.enable", BOOLEAN, "false",
              "Whether a controller joins the voters by itself.", importance=LOW),
    ServerKey("controller.quorum.bootstrap.servers", LIST, "",
              "Controllers to ask for the quorum, as host:port.", host_and_port_list, importance=HIGH),
    ServerKey("controller.quorum.election.backoff.max.ms", INT, "1000",
              "Longest random pause before another election.", at_least(0), importance=HIGH),
    ServerKey("controller.quorum.election.timeout.ms", INT, "1000",
              "Longest wait for votes.", at_least(0), importance=HIGH),
    ServerKey("controller.quorum.fetch.max.bytes", INT, "1048576",
              "Most bytes of metadata in one fetch.", at_least(1), importance=LOW),
    ServerKey("controller.quorum.fetch.snapshot.max.bytes", INT, "1048576",
              "Most bytes of a snapshot in one fetch.", at_least(1), importance=LOW),
    ServerKey("controller.quorum.fetch.timeout.ms", INT, "2000",
              "Silence of the leader after which a voter stands for election.", at_least(0), importance=HIGH),
    ServerKey("controller.quorum.request.timeout.ms", INT, "2000", "Timeout of requests among voters.", at_least(0)),
    ServerKey("controller.quorum.retry.backoff.ms", INT, "20",
              "Pause before a request among voters is sent again.", at_least(0), importance=LOW),
    ServerKey("controller.quorum.voters", LIST, "",
              "The voters, as id@host:port, for a fixed quorum.", voter_list, importance=HIGH),
    ServerKey("initial.broker.registration.timeout.ms", INT, "60000",
              "How long a starting broker tries to register before it gives up."),
    ServerKey("internal.metadata.delete.delay.millis", LONG, "60000",
              "How long removed files of the metadata log stay on disk.", importance=LOW, internal=True,
              effect=FOR_TESTS),
    ServerKey("internal.metadata.log.segment.bytes", INT, None,
              "Segment size of the metadata log below the public minimum, for tests.", importance=LOW, internal=True,
              effect=FOR_TESTS),
    ServerKey("internal.metadata.max.batch.size.in.bytes", INT, "8388608",
              "Largest batch of the metadata log.", importance=LOW, internal=True, effect=FOR_TESTS),
    ServerKey("metadata.log.dir", STRING, None,
              "Directory of the metadata log; the first log directory when not set.", importance=HIGH),
    ServerKey("metadata.log.max.record.bytes.between.snapshots", LONG, "20971520",
              "Bytes of metadata after which a snapshot is taken.", at_least(1), importance=HIGH),
    ServerKey("metadata.log.max.snapshot.interval.ms", LONG, "3600000",
              "Longest time between two snapshots while metadata changes; 0 for no limit.",
              at_least(0), importance=HIGH),
    ServerKey("metadata.log.segment.bytes", INT, "1073741824",
              "Segment size of the metadata log.", at_least(8388608), importance=HIGH),
    ServerKey("metadata.log.segment.ms", LONG, "604800000",
              "Age at which a segment of the metadata log is closed.", importance=HIGH),
    ServerKey("metadata.max.idle.interval.ms", INT, "500",
              "How often the active controller writes a no-op record; 0 for never.", at_least(0), importance=LOW,
              effect=NoEffect("no no-op records are written")),
    ServerKey("metadata.max.retention.bytes", LONG, "104857600",
              "Bytes of metadata log and snapshots kept; -1 for no limit.", importance=HIGH,
              effect=NoEffect("the two newest snapshots are kept, and the log after the older one")),
    ServerKey("metadata.max.retention.ms", LONG, "604800000",
              "Time that metadata segments and snapshots are kept.", importance=HIGH,
              effect=NoEffect("the two newest snapshots are kept, and the log after the older one")),
    ServerKey("node.id", INT, "1",
              "Number of this node, its own in the whole cluster.", at_least(0), importance=HIGH),
    ServerKey("process.roles", LIST, "broker,controller",
              "What this process is: broker, controller, or both.",
              list_of("broker", "controller", empty=False), importance=HIGH),
    ServerKey("server.max.startup.time.ms", LONG, "9223372036854775807",
              "Longest time that starting may take.", at_least(0), internal=True,
              effect=NoEffect("a start may take as long as it needs")),
    ServerKey("unstable.api.versions.enable", BOOLEAN, "false",
              "Whether unfinished API versions are offered.", importance=HIGH, internal=True,
              effect=NoEffect("there are no unfinished versions")),
    ServerKey("unstable.feature.versions.enable", BOOLEAN, "false",
              "Whether unfinished feature levels may be set.", importance=HIGH, internal=True,
              effect=NoEffect("there are no unfinished levels")),
)
# fmt: on
