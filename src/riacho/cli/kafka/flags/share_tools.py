"""The flags of the tools for share groups; `tools.py` joins them."""

from __future__ import annotations

from riacho.cli.kafka.flags.data_tools import DESERIALIZERS, FORMATTERS, SHARE_FORMATTER_KEYS
from riacho.cli.kafka.flags.flags import REQUIRED_TOPIC, bootstrap, client_property, config
from riacho.cli.kafka.flags.options import Option, Tool

STATES = ("Empty", "Stable", "Dead")

SHARE_GROUPS = Tool(
    "kafka-share-groups",
    "Lists, describes and deletes share groups, and moves or forgets their offsets.",
    (
        bootstrap(),
        config(),
        Option("list", "List the share groups."),
        Option("describe", "Show where groups stand: their first offset not done with, and what is still to do."),
        Option("delete", "Delete groups that have no members, and all they remember."),
        Option("reset-offsets", "Move a group without members: --to-earliest, --to-latest or --to-datetime, of --topic "
               "or --all-topics. --dry-run shows it, --execute does it."),
        Option("delete-offsets", "Forget topics: the group will start with them by its share.auto.offset.reset."),
        Option("group", "The group.", "group", many=True),
        Option("all-groups", "All share groups."),
        Option("topic", "A topic, or topic:0,1,2 with --reset-offsets.", "topic", many=True),
        Option("all-topics", "All topics that the group has read."),
        Option("members", "With --describe: the members and their partitions."),
        Option("offsets", "With --describe: where the group stands; the default."),
        Option("state", "With --describe: the state; with --list: show states, or only these.", "states", bare="",
               offers=STATES),
        Option("verbose", "With --describe: epochs too."),
        Option("timeout", "How long to wait for an answer.", "ms", int, 30_000),
        Option("dry-run", "Show what --reset-offsets would do."),
        Option("execute", "Do it."),
        Option("to-datetime", "Reset to the offset at a time, YYYY-MM-DDThh:mm:ss.sss.", "time"),
        Option("to-earliest", "Reset to the first offset."),
        Option("to-latest", "Reset to the end."),
    ),
)  # fmt: skip

CONSOLE_SHARE_CONSUMER = Tool(
    "kafka-console-share-consumer",
    "Takes records of a topic in a share group, prints them, and accepts, releases or rejects each.",
    (
        bootstrap(),
        config("consumer-config"),
        client_property("consumer-property"),
        REQUIRED_TOPIC,
        Option("group", "Share group; else console-share-consumer. It starts at the end of the topic unless its "
               "share.auto.offset.reset says otherwise: kafka-configs --alter --group G --add-config "
               "share.auto.offset.reset=earliest.", "group"),
        Option("max-messages", "End after this many records.", "count", int),
        Option("timeout-ms", "End when no record came for this long.", "ms", int),
        Option("reject", "Reject records: nobody gets them again."),
        Option("release", "Release records: they are handed out again, until their delivery count is used up."),
        Option("reject-message-on-error", "Reject a record that cannot be printed, and go on."),
        Option("key-deserializer", "Java class name of the key's deserializer.", "class", offers=DESERIALIZERS),
        Option("value-deserializer", "Java class name of the value's deserializer.", "class", offers=DESERIALIZERS),
        Option("formatter", "Class that prints records.", "class", offers=FORMATTERS[:3],
               default="org.apache.kafka.tools.consumer.DefaultMessageFormatter"),
        Option("formatter-property", "How records are printed.", "key=value", many=True, old=("property",),
               offers=SHARE_FORMATTER_KEYS),
        Option("formatter-config", "Properties file with formatter properties.", "file"),
        Option("enable-systest-events", "Print the end as a line too."),
    ),
)  # fmt: skip

VERIFIABLE_SHARE_CONSUMER = Tool(
    "kafka-verifiable-share-consumer",
    "Takes the records of a topic in a share group and prints what happens, as JSON lines.",
    (
        bootstrap(),
        config(),
        REQUIRED_TOPIC,
        Option("group-id", "The share group.", "group", required=True),
        Option("max-messages", "How many to acknowledge; -1: until stopped.", "count", int, -1),
        Option("verbose", "Print every record."),
        Option("acknowledgement-mode", "auto: with the next poll; sync, async: after each poll.", "mode",
               default="auto", choices=("auto", "sync", "async")),
        Option("offset-reset-strategy", "First set share.auto.offset.reset.", "strategy", default="",
               offers=("earliest", "latest")),
    ),
)  # fmt: skip

SHARE_CONSUMER_PERF_TEST = Tool(
    "kafka-share-consumer-perf-test",
    "Measures how fast records are taken and acknowledged in a share group.",
    (
        bootstrap(),
        config("consumer.config"),
        client_property(),
        REQUIRED_TOPIC,
        Option("num-records", "How many records to take.", "count", int, required=True, old=("messages",)),
        Option("group", "Share group.", "group", default="perf-share-consumer"),
        Option("threads", "How many consumers share the work.", "count", int, 1),
        Option("timeout", "End when no record came for this long.", "ms", int, 10_000, bare="10000"),
        Option("fetch-size", "Understood, without effect: the broker's and the group's limits rule.", "bytes", int,
               1_048_576),
        Option("socket-buffer-size", "Understood, without effect.", "bytes", int, 2_097_152),
        Option("show-detailed-stats", "Report every interval."),
        Option("show-consumer-stats", "Report for each consumer at the end."),
        Option("reporting-interval", "How often to report.", "ms", int, 5000),
        Option("date-format", "Java date format of the times.", "format", default="yyyy-MM-dd HH:mm:ss:SSS"),
        Option("hide-header", "No header line."),
        Option("print-metrics", "Understood, without effect: this client keeps none."),
    ),
)  # fmt: skip
