"""The flags of the tools that ask brokers over the wire; `tools.py` joins them."""

from __future__ import annotations

from riacho.cli.kafka.flags.flags import ZOOKEEPER, bootstrap, config, controllers
from riacho.cli.kafka.flags.options import Command, Option, Tool, int32

GROUP_STATES = ("CompletingRebalance", "Empty", "Assigning", "PreparingRebalance", "Reconciling", "Dead", "Stable")
# Of consumer groups, and of groups at all.
CONSUMER_GROUP_TYPES = ("Classic", "Consumer")
GROUP_TYPES = ("classic", "consumer", "share", "streams")
# What stands for a timestamp, and its number on the wire.
OFFSET_TIMES = {
    "latest": -1,
    "earliest": -2,
    "max-timestamp": -3,
    "earliest-local": -4,
    "latest-tiered": -5,
    "earliest-pending-upload": -6,
}

TOPICS = Tool(
    "kafka-topics",
    "Creates, lists, describes, changes and deletes topics.",
    (
        bootstrap("broker-list"),
        config(),
        ZOOKEEPER,
        Option("list", "List the topics."),
        Option("create", "Create a topic."),
        Option("delete", "Delete topics."),
        Option("alter", "Add partitions to topics."),
        Option("describe", "Show partitions, replicas and overridden configs."),
        Option("topic", "The topic; a regular expression save with --create.", "topic"),
        Option("topic-id", "Describe the topic of this id.", "id"),
        Option("config", "A config override for the new topic.", "name=value", many=True),
        Option("delete-config", "No longer supported.", "name", many=True),
        Option("partitions", "How many partitions the topic is to have.", "count", kind=int32),
        Option("replication-factor", "How many replicas each partition is to have.", "count", kind=int32),
        Option("replica-assignment", "Brokers of each partition, 1:2,2:3.", "assignment"),
        Option("if-exists", "With --alter, --delete or --describe: no error when the topic is missing."),
        Option("if-not-exists", "With --create: no error when the topic is there."),
        Option("exclude-internal", "Leave internal topics out."),
        Option("under-replicated-partitions", "Describe only partitions with replicas out of sync."),
        Option("unavailable-partitions", "Describe only partitions without a live leader."),
        Option("under-min-isr-partitions", "Describe only partitions with fewer in-sync replicas than the minimum."),
        Option("at-min-isr-partitions", "Describe only partitions with exactly the minimum of in-sync replicas."),
        Option("topics-with-overrides", "Describe only topics that override configs, without partitions."),
        Option(
            "partition-size-limit-per-response", "Partitions asked for at a time.", "count", kind=int32, default=2000
        ),
    ),
    positional=("topic",),
)

CONSUMER_GROUPS = Tool(
    "kafka-consumer-groups",
    "Lists, describes and deletes consumer groups, and moves their offsets.",
    (
        bootstrap("broker-list"),
        config(),
        ZOOKEEPER,
        Option("list", "List the consumer groups."),
        Option("describe", "Show a group's offsets, members or state."),
        Option("delete", "Delete groups."),
        Option("reset-offsets", "Move an inactive group's offsets; a dry run unless --execute."),
        Option("delete-offsets", "Delete a group's offsets of topics."),
        Option("group", "The group.", "group", many=True),
        Option("all-groups", "Every group."),
        Option("topic", "topic or topic:partition,partition.", "topic", many=True),
        Option("all-topics", "Every topic of the group."),
        Option("members", "With --describe: the members."),
        Option("offsets", "With --describe: offsets and lag; what is shown by default."),
        Option(
            "state",
            "With --describe: the state; with --list: show states, or only these.",
            "states",
            bare="",
            offers=GROUP_STATES,
        ),
        Option("type", "With --list: show types, or only these.", "types", bare="", offers=CONSUMER_GROUP_TYPES),
        Option("verbose", "More columns."),
        Option("timeout", "How long to wait for a group to settle.", "ms", int, 30_000),
        Option("dry-run", "Show what --reset-offsets would do."),
        Option("execute", "Do it."),
        Option("export", "Print the new offsets as CSV."),
        Option("to-offset", "Reset to this offset.", "offset", int),
        Option("from-file", "Reset to the offsets of a CSV file.", "file"),
        Option("to-datetime", "Reset to the offset at a time, YYYY-MM-DDThh:mm:ss.sss.", "time"),
        Option("by-duration", "Reset to the offset a while ago, PnDTnHnMnS.", "duration"),
        Option("to-earliest", "Reset to the first offset."),
        Option("to-latest", "Reset to the end."),
        Option("to-current", "Reset to the current offset."),
        Option("shift-by", "Move by so many offsets, back when negative.", "count", int),
        Option("validate-regex", "Check a regular expression.", "regex"),
    ),
)

_ENTITY_TYPES = ("topics", "clients", "users", "brokers", "broker-loggers", "ips", "client-metrics", "groups")

CONFIGS = Tool(
    "kafka-configs",
    "Shows and changes the configs of topics, brokers, groups, users, clients and IPs.",
    (
        bootstrap("broker-list"),
        controllers(),
        config(),
        ZOOKEEPER,
        Option("alter", "Change configs."),
        Option("describe", "Show configs."),
        Option("all", "With --describe: defaults too."),
        Option("entity-type", "What to configure.", "type", many=True, choices=_ENTITY_TYPES),
        Option("entity-name", "Its name.", "entity", many=True),
        Option("entity-default", "The defaults of the type.", many=True),
        Option("add-config", "Configs to set, 'k1=v1,k2=[v1,v2]'.", "configs"),
        Option("add-config-file", "Properties file of configs to set.", "file"),
        Option("delete-config", "Configs to set back, k1,k2.", "names", many=True),
        Option("topic", "The topic.", "topic"),
        Option("client", "The client id.", "client"),
        Option("client-defaults", "Defaults of all clients."),
        Option("user", "The user.", "user"),
        Option("user-defaults", "Defaults of all users."),
        Option("broker", "The broker's id.", "broker"),
        Option("broker-defaults", "Defaults of all brokers."),
        Option("broker-logger", "The broker whose loggers to configure.", "broker"),
        Option("ip", "The IP address.", "ip"),
        Option("ip-defaults", "Defaults of all IPs."),
        Option("group", "The group.", "group"),
        Option("client-metrics", "The client metrics subscription.", "subscription"),
        Option("force", "No prompts."),
    ),
)

GET_OFFSETS = Tool(
    "kafka-get-offsets",
    "Prints the offsets of topic partitions.",
    (
        bootstrap("broker-list"),
        config(),
        Option("topic", "Regular expression of topics; all when left out.", "topic"),
        Option("partitions", "Partitions, 0,1,2; all when left out.", "partitions"),
        Option("topic-partitions", "Patterns, topic:0-3,topic:5-,topic.", "patterns"),
        Option("time", "A timestamp in ms, or what stands for one; so do the numbers -1 to -6, in this order.", "time",
               default="latest", offers=tuple(OFFSET_TIMES)),
        Option("exclude-internal-topics", "Leave internal topics out."),
    ),
)  # fmt: skip

DELETE_RECORDS = Tool(
    "kafka-delete-records",
    "Deletes the records of partitions up to an offset.",
    (
        bootstrap(),
        config(),
        Option("offset-json-file", 'JSON, {"partitions": [{"topic": "t", "partition": 0, "offset": 1}], "version": 1}.',
               "file", required=True),
    ),
)  # fmt: skip

LOG_DIRS = Tool(
    "kafka-log-dirs",
    "Shows the log directories of brokers, and what is in them.",
    (
        bootstrap(),
        config(),
        Option("describe", "Print the directories as JSON."),
        Option("topic-list", "Topics, t1,t2; all when left out.", "topics", default=""),
        Option("broker-list", "Brokers, 0,1,2; all when left out.", "brokers", default=""),
    ),
)

_CLUSTER_COMMON = (
    bootstrap(short="b"),
    controllers(short="C"),
    config("config", short="c"),
)

CLUSTER = Tool(
    "kafka-cluster",
    "Tells a cluster's id and endpoints, and unregisters brokers.",
    _CLUSTER_COMMON,
    (
        Command("cluster-id", "Print the cluster's id."),
        Command("unregister", "Unregister a broker.",
                (Option("id", "The broker's id.", "broker", int32, required=True, short="i"),)),
        Command("list-endpoints", "List the endpoints.",
                (Option("include-fenced-brokers", "Fenced brokers too."),)),
    ),
)  # fmt: skip

BROKER_API_VERSIONS = Tool(
    "kafka-broker-api-versions", "Prints which APIs each broker serves, and their versions.", (bootstrap(), config())
)

GROUPS = Tool(
    "kafka-groups",
    "Lists groups of every type.",
    (
        bootstrap(),
        config(),
        Option("list", "List the groups."),
        Option("group-type", "Only this type.", "type", offers=GROUP_TYPES),
        Option("protocol", "Only this protocol.", "protocol"),
        Option("consumer", "Only consumer groups of either type."),
        Option("share", "Only share groups."),
        Option("streams", "Only streams groups."),
    ),
)
