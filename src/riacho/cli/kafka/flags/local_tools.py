"""The flags of the tools that work on the files of a node; `tools.py` joins them."""

from __future__ import annotations

from riacho.cli.kafka.flags.options import Command, Option, Tool

_DECODER = "org.apache.kafka.tools.api.StringDecoder"
DECODERS = ("StringDecoder", "IntegerDecoder", "LongDecoder", "DefaultDecoder")

DUMP_LOG = Tool(
    "kafka-dump-log",
    "Prints what is in the files of a log directory.",
    (
        Option("files", "Files, a.log,b.index.", "files", required=True),
        Option("print-data-log", "Print the records."),
        Option("deep-iteration", "Open the batches."),
        Option("verify-index-only", "Check indexes against the log, printing only mismatches."),
        Option("index-sanity-check", "Only the check that a broker makes on start."),
        Option("max-message-size", "Largest batch in bytes.", "bytes", int, 5_242_880),
        Option("max-bytes", "Read no more of a log than this.", "bytes", int, 2_147_483_647),
        Option("value-decoder-class", "How values are shown.", "class", default=_DECODER, bare=_DECODER,
               offers=DECODERS),
        Option("key-decoder-class", "How keys are shown.", "class", default=_DECODER, bare=_DECODER,
               offers=DECODERS),
        Option("offsets-decoder", "Records of __consumer_offsets, as JSON."),
        Option("transaction-log-decoder", "Records of __transaction_state, as JSON."),
        Option("cluster-metadata-decoder", "Records of __cluster_metadata, as JSON."),
        Option("remote-log-metadata-decoder", "Records of __remote_log_metadata; there is no such topic here."),
        Option("share-group-state-decoder", "Records of __share_group_state, as JSON."),
        Option("skip-record-metadata", "Print only the records' keys and payloads."),
    ),
)  # fmt: skip

_SERVER_CONFIG = Option("config", "The broker's properties file.", "file", required=True, short="c")
_RELEASE = Option("release-version", "Release whose features to use.", "release", short="r")
_FEATURE = Option("feature", "A feature and its level, name=level.", "feature=level", many=True, short="f")

STORAGE = Tool(
    "kafka-storage",
    "Prepares the log directories of a node, and tells what is in them.",
    (),
    (
        Command("info", "Tell how the log directories are formatted.", (_SERVER_CONFIG,)),
        Command("format", "Format the log directories.", (
            _SERVER_CONFIG,
            Option("cluster-id", "The cluster's id, a 22 character uuid.", "id", required=True, short="t"),
            Option("add-scram", "A SCRAM credential for the metadata log.", "credential", many=True, short="S"),
            Option("ignore-formatted", "Pass over directories that are formatted already.", short="g"),
            _RELEASE,
            _FEATURE,
            Option("standalone", "This node is the whole controller quorum.", short="s"),
            Option("no-initial-controllers", "Do not say which controllers there are.", short="N"),
            Option("initial-controllers", "Controllers, id@host:port:directory,...", "controllers", short="I"),
        )),
        Command("version-mapping", "Print the feature levels of a release.", (_RELEASE,)),
        Command("feature-dependencies", "Print what a feature level needs.", (_FEATURE._replace(required=True),)),
        Command("random-uuid", "Print a fresh uuid."),
    ),
)  # fmt: skip
