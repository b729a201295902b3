"""Broker settings: listeners, connections, threads, client quotas, metrics."""

from __future__ import annotations

from riacho.base.config import ConfigType, Dynamic, Importance, ServerKey, at_least, list_of
from riacho.base.config_effect import READ_AT_START, NoEffect, Restricted

CLASS = ConfigType.CLASS
INT = ConfigType.INT
LIST = ConfigType.LIST
LONG = ConfigType.LONG
STRING = ConfigType.STRING
HIGH = Importance.HIGH
LOW = Importance.LOW
CLUSTER_WIDE = Dynamic.CLUSTER_WIDE
PER_BROKER = Dynamic.PER_BROKER

# fmt: off
ONE_LOOP = NoEffect("one event loop does this work")

KEYS: tuple[ServerKey, ...] = (
    ServerKey("advertised.listeners", LIST, None,
              "Addresses that clients are told to use; those of `listeners` when not set.",
              list_of(empty=False), importance=HIGH),
    ServerKey("background.threads", INT, "10",
              "Threads for housekeeping work.", at_least(1), importance=HIGH, dynamic=CLUSTER_WIDE, effect=ONE_LOOP),
    ServerKey("broker.rack", STRING, None, "Rack or zone of this broker, for spreading replicas and reading nearby."),
    ServerKey("client.quota.callback.class", CLASS, None,
              "Class that decides client quotas in place of the built-in rules.", importance=LOW,
              effect=Restricted("classes are not loaded; leave it out and set quotas with kafka-configs")),
    ServerKey("connections.max.idle.ms", LONG, "600000", "Idle time after which a connection is closed."),
    ServerKey("controller.quota.window.num", INT, "11",
              "Samples kept when measuring metadata changes against their quota.", at_least(1), importance=LOW),
    ServerKey("controller.quota.window.size.seconds", INT, "1",
              "Length of one such sample.", at_least(1), importance=LOW),
    ServerKey("early.start.listeners", LIST, None,
              "Listeners opened before the authorizer is ready.", list_of(), importance=HIGH,
              effect=NoEffect("listeners open when the node can serve all of its requests")),
    ServerKey("inter.broker.listener.name", STRING, None, "Listener that brokers use among themselves."),
    ServerKey("kafka.metrics.polling.interval.secs", INT, "10",
              "How often the classes of `kafka.metrics.reporters` are asked.", at_least(1), importance=LOW,
              effect=NoEffect("there are no such reporters")),
    ServerKey("kafka.metrics.reporters", LIST, "",
              "Classes that report the older kind of metrics.", list_of(), importance=LOW,
              effect=NoEffect("classes are not loaded; metrics are served on `riacho.metrics.port`")),
    ServerKey("listener.security.protocol.map", STRING,
              "SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT",
              "Which security protocol each listener name speaks.", importance=LOW, dynamic=PER_BROKER,
              effect=READ_AT_START),
    ServerKey("listeners", LIST, "PLAINTEXT://127.0.0.1:9092",
              "Addresses that this node binds, as NAME://host:port.",
              list_of(empty=False), importance=HIGH, dynamic=PER_BROKER, effect=READ_AT_START),
    ServerKey("max.connection.creation.rate", INT, "2147483647",
              "New connections that the broker takes per second.", at_least(0), dynamic=CLUSTER_WIDE),
    ServerKey("max.connections", INT, "2147483647",
              "Connections that the broker holds at a time.", at_least(0), dynamic=CLUSTER_WIDE),
    ServerKey("max.connections.per.ip", INT, "2147483647",
              "Connections that one client address may hold.", at_least(0), dynamic=CLUSTER_WIDE),
    ServerKey("max.connections.per.ip.overrides", STRING, "",
              "Limits for single addresses or host names, in place of the one for all.", dynamic=CLUSTER_WIDE),
    ServerKey("max.incremental.fetch.session.cache.slots", INT, "1000",
              "Incremental fetch sessions kept.", at_least(0)),
    ServerKey("max.request.partition.size.limit", INT, "2000",
              "Most partitions in one answer of DescribeTopicPartitions.", at_least(1)),
    ServerKey("metric.reporters", LIST, "org.apache.kafka.common.metrics.JmxReporter",
              "Classes that are told of every metric.", list_of(), importance=LOW, dynamic=CLUSTER_WIDE,
              effect=NoEffect("classes are not loaded; metrics are served on `riacho.metrics.port`")),
    ServerKey("metrics.num.samples", INT, "2", "Samples kept for a metric.", at_least(1), importance=LOW,
              effect=NoEffect("metrics are totals and gauges, without samples")),
    ServerKey("metrics.recording.level", STRING, "INFO", "Finest level of metrics recorded.", importance=LOW,
              effect=NoEffect("all metrics are recorded")),
    ServerKey("metrics.sample.window.ms", LONG, "30000",
              "Length of one sample of a metric.", at_least(1), importance=LOW,
              effect=NoEffect("metrics are totals and gauges, without samples")),
    ServerKey("num.io.threads", INT, "8",
              "Threads that serve requests, disk work included.", at_least(1), importance=HIGH, dynamic=CLUSTER_WIDE,
              effect=ONE_LOOP),
    ServerKey("num.network.threads", INT, "3",
              "Threads that read requests and write responses, for each listener.",
              at_least(1), importance=HIGH, dynamic=CLUSTER_WIDE, effect=ONE_LOOP),
    ServerKey("queued.max.request.bytes", LONG, "-1",
              "Bytes of waiting requests at which reading from the network stops; -1 for 1 GiB."),
    ServerKey("queued.max.requests", INT, "500",
              "Waiting requests at which reading from the network stops.", at_least(1), importance=HIGH,
              effect=NoEffect("each connection has one in flight, and `queued.max.request.bytes` bounds them all")),
    ServerKey("quota.window.num", INT, "11",
              "Samples kept when measuring clients against their quota.", at_least(1), importance=LOW),
    ServerKey("quota.window.size.seconds", INT, "1", "Length of one such sample.", at_least(1), importance=LOW),
    ServerKey("request.timeout.ms", INT, "30000",
              "How long this node waits for the answer to a request of its own.", importance=HIGH),
    ServerKey("socket.connection.setup.timeout.max.ms", LONG, "30000",
              "Longest wait for an outgoing connection after repeated failures.",
              effect=NoEffect("nodes wait 5 seconds for a connection to each other")),
    ServerKey("socket.connection.setup.timeout.ms", LONG, "10000", "First wait for an outgoing connection.",
              effect=NoEffect("nodes wait 5 seconds for a connection to each other")),
    ServerKey("socket.listen.backlog.size", INT, "50", "Connections that may wait to be accepted.", at_least(1)),
    ServerKey("socket.receive.buffer.bytes", INT, "102400",
              "Receive buffer of server sockets; -1, or not set, for the system's default.", importance=HIGH),
    ServerKey("socket.request.max.bytes", INT, "104857600",
              "Largest request accepted.", at_least(1), importance=HIGH),
    ServerKey("socket.send.buffer.bytes", INT, "102400",
              "Send buffer of server sockets; -1 for the system's default.", importance=HIGH),
    ServerKey("telemetry.max.bytes", INT, "1048576",
              "Largest push of client metrics accepted.", at_least(1), importance=LOW,
              effect=NoEffect("clients' metrics are not collected")),
)
# fmt: on
