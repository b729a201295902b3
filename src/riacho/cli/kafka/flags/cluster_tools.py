"""The flags of the tools for clusters of several nodes: quorum, elections, moves, features; `tools.py` joins them."""

from __future__ import annotations

from riacho.cli.kafka.flags.flags import bootstrap, config, controllers
from riacho.cli.kafka.flags.options import Command, Option, Tool, int32

_DRY_RUN = Option("dry-run", "Check and print what would be done, and do nothing.")

METADATA_QUORUM = Tool(
    "kafka-metadata-quorum",
    "Shows the controllers' quorum: who leads, who votes, how far behind the others are; adds and removes voters.",
    (bootstrap(), controllers(), config()),
    (
        Command("describe", "Show the state of the quorum.", (
            Option("status", "Leader, epoch, high watermark, voters and observers."),
            Option("replication", "A row for each voter and observer, with its log end offset and lag."),
            Option("human-readable", "With --replication: times as so many ms ago."),
        )),
        Command("add-controller", "Make a running controller a voter; --command-config is its properties file.",
                (_DRY_RUN,)),
        Command("remove-controller", "Take a controller out of the voters.", (
            Option("controller-id", "The controller's node.id.", "id", int32, required=True, short="i"),
            Option("controller-directory-id", "Its directory.id, as describe --status prints it.", "uuid",
                   required=True, short="d"),
            _DRY_RUN,
        )),
    ),
)  # fmt: skip

LEADER_ELECTION = Tool(
    "kafka-leader-election",
    "Elects leaders of partitions: the preferred replica where it is in sync, or, unclean, one that is not.",
    (
        bootstrap(),
        config("admin.config"),
        Option("election-type", "preferred: the first replica of each partition, where another leads. unclean: any "
               "live replica, where none leads; may lose acked records.", "type", kind=str.upper,
               choices=("PREFERRED", "UNCLEAN")),
        Option("topic", "The topic; goes with --partition.", "topic"),
        Option("partition", "The partition of --topic.", "partition", int32),
        Option("all-topic-partitions", "Every partition that is in need of such an election."),
        Option("path-to-json-file", 'JSON, {"partitions": [{"topic": "t", "partition": 0}]}.', "file"),
    ),
)  # fmt: skip

REASSIGN_PARTITIONS = Tool(
    "kafka-reassign-partitions",
    "Moves replicas between brokers, and between the log directories of a broker.",
    (
        bootstrap(),
        controllers()._replace(
            help="Controllers to connect to instead of brokers, host:port[,host:port]; for --cancel and --list."
        ),
        config(),
        Option("generate", "Print a plan for the topics of --topics-to-move-json-file over --broker-list; moves none."),
        Option("execute", "Start the moves of --reassignment-json-file."),
        Option("verify", "Tell how far those moves are; once they are done, take their throttles away."),
        Option("cancel", "Undo those moves that are under way."),
        Option("list", "List the moves under way."),
        Option("reassignment-json-file", 'JSON, {"version": 1, "partitions": [{"topic": "t", "partition": 0, '
               '"replicas": [1, 2], "log_dirs": ["any", "any"]}]}; log_dirs may be left out.', "file"),
        Option("topics-to-move-json-file", 'JSON, {"version": 1, "topics": [{"topic": "t"}]}.', "file"),
        Option("broker-list", "With --generate: brokers to move to, 1,2,3.", "brokers"),
        Option("disable-rack-aware", "With --generate: do not spread replicas over racks."),
        Option("throttle", "With --execute: bytes a second between brokers; -1 for no limit. Given again with "
               "--additional, it changes the limit of moves under way.", "bytes", int, -1),
        Option("replica-alter-log-dirs-throttle", "With --execute: bytes a second between directories; -1 for no "
               "limit.", "bytes", int, -1),
        Option("timeout", "How long moves between directories may take to begin.", "ms", int, 10_000),
        Option("additional", "With --execute: even while other moves are under way."),
        Option("disallow-replication-factor-change", "With --execute: refuse moves that change how many replicas "
               "there are."),
        Option("preserve-throttles", "With --verify and --cancel: leave throttles as they are."),
        Option("wait", "With --verify: wait until those moves are done, and show how far they are. Riacho's own."),
    ),
)  # fmt: skip

_RELEASE = Option("release-version", "The release whose levels to take for all features; version-mapping shows them.",
                  "release")  # fmt: skip
_METADATA = Option("metadata", "The metadata.version, 4.2-IV1; older than --release-version.", "release")
_FEATURE = Option("feature", "A feature and its level, name=level.", "feature=level", many=True)
_UNSAFE = Option("unsafe", "Even where metadata may be lost for good.")

FEATURES = Tool(
    "kafka-features",
    "Shows and changes the feature levels that the cluster has agreed on.",
    (bootstrap(), controllers(), config()),
    (
        Command("describe", "Show each feature: the levels a node can do, and the one agreed on.",
                (Option("node-id", "Ask this node.", "broker", int32),)),
        Command("upgrade", "Raise features.", (_METADATA, _RELEASE, _FEATURE, _DRY_RUN)),
        Command("downgrade", "Lower features.", (_METADATA, _RELEASE, _FEATURE, _UNSAFE, _DRY_RUN)),
        Command("disable", "Lower features to 0.",
                (Option("feature", "The feature.", "feature", many=True), _UNSAFE, _DRY_RUN)),
        Command("version-mapping", "Print the feature levels of a release.",
                (_RELEASE._replace(help="The release; the newest when left out."),)),
        Command("feature-dependencies", "Print what a feature level needs.", (_FEATURE._replace(required=True),)),
    ),
)  # fmt: skip

REPLICA_VERIFICATION = Tool(
    "kafka-replica-verification",
    "Checks that all replicas of partitions hold the same records, until stopped; reports the largest lag found.",
    (
        bootstrap(),
        Option("broker-list", "The same as --bootstrap-server.", "servers"),
        config(),
        Option("topics-include", "Regular expression of topics.", "regex", default=".*"),
        Option("time", "Begin at this timestamp in ms, or -1 for the end, -2 for the start of the log.", "ms", int, -1),
        Option("report-interval-ms", "Time between reports.", "ms", int, 30_000),
        Option("fetch-size", "Bytes asked of a partition at a time.", "bytes", int32, 1_048_576),
        Option("max-wait-ms", "How long a broker may wait for records.", "ms", int32, 1_000),
    ),
)
