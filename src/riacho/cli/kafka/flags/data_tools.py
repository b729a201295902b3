"""The flags of the tools that send and read records; `tools.py` joins them."""

from __future__ import annotations

from riacho.cli.kafka.flags.flags import REQUIRED_TOPIC, TOPIC, ZOOKEEPER, bootstrap, client_property, config
from riacho.cli.kafka.flags.options import Option, Tool, int32

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
ACKS = ("0", "1", "-1", "all")
DESERIALIZERS = (
    "StringDeserializer", "ByteArrayDeserializer", "ByteBufferDeserializer", "BytesDeserializer", "ShortDeserializer",
    "IntegerDeserializer", "LongDeserializer", "FloatDeserializer", "DoubleDeserializer", "BooleanDeserializer",
    "UUIDDeserializer", "VoidDeserializer",
)  # fmt: skip
_COLUMNS = ("print.timestamp", "print.partition", "print.offset")
_MORE_COLUMNS = ("print.epoch", "print.headers", "print.key", "print.value")
_TEXTS = ("key.separator", "line.separator", "headers.separator", "null.literal")
_DESERIALIZED = ("key.deserializer", "value.deserializer", "headers.deserializer")
FORMATTER_KEYS = (*_COLUMNS, *_MORE_COLUMNS, *_TEXTS, *_DESERIALIZED)
SHARE_FORMATTER_KEYS = (*_COLUMNS, "print.delivery", *_MORE_COLUMNS, *_TEXTS, *_DESERIALIZED)
READER_KEYS = (
    "parse.key", "key.separator", "parse.headers", "headers.delimiter", "headers.separator", "headers.key.separator",
    "null.marker", "ignore.error",
)  # fmt: skip
FORMATTERS = (
    "DefaultMessageFormatter", "LoggingMessageFormatter", "NoOpMessageFormatter", "OffsetsMessageFormatter",
    "GroupMetadataMessageFormatter", "TransactionLogMessageFormatter",
)  # fmt: skip
LINE_READERS = ("LineMessageReader", "AvroMessageReader", "JsonSchemaMessageReader", "ProtobufMessageReader")

CONSOLE_PRODUCER = Tool(
    "kafka-console-producer",
    "Sends each line of standard input to a topic.",
    (
        bootstrap("broker-list"),
        config("producer.config"),
        client_property("producer-property"),
        ZOOKEEPER,
        REQUIRED_TOPIC,
        Option("sync", "Wait for each record's acknowledgement before the next."),
        Option("compression-codec", "How batches are compressed; gzip when bare.", "codec", bare="gzip", offers=CODECS),
        Option("batch-size", "Bytes of a batch.", "bytes", int, 16384, old=("max-partition-memory-bytes",)),
        Option("message-send-max-retries", "Retries of a failed send (retries).", "count", int, 3),
        Option("retry-backoff-ms", "Pause before a retry.", "ms", int, 100),
        Option("timeout", "How long a batch waits for more records (linger.ms).", "ms", int, 1000),
        Option("request-required-acks", "Acknowledgements to wait for.", "acks", default="-1", offers=ACKS),
        Option("request-timeout-ms", "How long a broker may take to acknowledge.", "ms", int, 1500),
        Option("metadata-expiry-ms", "Age at which metadata is asked for anew.", "ms", int, 300_000),
        Option("max-block-ms", "How long to wait for a topic's metadata.", "ms", int, 60_000),
        Option("max-memory-bytes", "Memory for records not sent yet (buffer.memory).", "bytes", int, 33_554_432),
        Option("socket-buffer-size", "Socket send buffer.", "bytes", int, 102_400),
        Option("line-reader", "Class that reads lines.", "class", offers=LINE_READERS),
        Option("reader-property", "How lines are read.", "key=value", many=True, old=("property",), offers=READER_KEYS),
        Option("reader-config", "Properties file with reader properties.", "file"),
    ),
)  # fmt: skip

CONSOLE_CONSUMER = Tool(
    "kafka-console-consumer",
    "Prints the records of topics.",
    (
        bootstrap("broker-list"),
        config("consumer.config"),
        client_property("consumer-property"),
        ZOOKEEPER,
        TOPIC,
        Option("include", "Regular expression of topics.", "regex", old=("whitelist",)),
        Option("partition", "Only this partition; from its end unless --offset says otherwise.", "partition", int32),
        Option("offset", "With --partition: where to start, or a number.", "offset", offers=("earliest", "latest")),
        Option("from-beginning", "Start at the earliest record where the group has no offset."),
        Option("max-messages", "End after this many records.", "count", int),
        Option("timeout-ms", "End when no record came for this long.", "ms", int),
        Option("group", "Consumer group; else console-consumer-NNNNN.", "group"),
        Option("isolation-level", "Whether to see open and aborted transactions.", "level", default="read_uncommitted",
               choices=("read_uncommitted", "read_committed")),
        Option("key-deserializer", "Java class name of the key's deserializer.", "class", offers=DESERIALIZERS),
        Option("value-deserializer", "Java class name of the value's deserializer.", "class", offers=DESERIALIZERS),
        Option("formatter", "Class that prints records.", "class", offers=FORMATTERS,
               default="org.apache.kafka.tools.consumer.DefaultMessageFormatter"),
        Option("formatter-property", "How records are printed.", "key=value", many=True, old=("property",),
               offers=FORMATTER_KEYS),
        Option("formatter-config", "Properties file with formatter properties.", "file"),
        Option("skip-message-on-error", "Go on after a record that cannot be printed."),
        Option("enable-systest-events", "Print start and end as JSON lines too."),
    ),
)  # fmt: skip

PRODUCER_PERF_TEST = Tool(
    "kafka-producer-perf-test",
    "Measures how fast records are sent.",
    (
        bootstrap(),
        config("producer.config"),
        client_property("producer-props", plus=True),
        REQUIRED_TOPIC,
        Option("num-records", "How many records to send.", "count", int, required=True),
        Option("throughput", "Records a second at most; -1: as fast as it goes.", "rate", float, -1.0),
        Option("record-size", "Bytes of each record.", "bytes", int),
        Option("payload-file", "File whose lines are sent, chosen at random.", "file"),
        Option("payload-monotonic", "Send 0, 1, 2 and so on."),
        Option("payload-delimiter", "What divides payloads in the file.", "text", default="\\n"),
        Option("print-metrics", "Print the client's metrics at the end."),
        Option("transactional-id", "Send in transactions of this id.", "transactional-id"),
        Option("transaction-duration-ms", "How long a transaction stays open.", "ms", int),
        Option("warmup-records", "Records left out of the steady state's figures.", "count", int, 0),
        Option("reporting-interval", "How often to report.", "ms", int, 5000),
        Option("record-key-range", "How many different keys.", "count", int),
        Option("key-distribution", "How keys are chosen.", "way", default="none", choices=("none", "range", "random")),
        Option("random-seed", "Seed of payloads and keys.", "seed", int),
    ),
)

CONSUMER_PERF_TEST = Tool(
    "kafka-consumer-perf-test",
    "Measures how fast records are read.",
    (
        bootstrap("broker-list"),
        config("consumer.config"),
        client_property(),
        TOPIC,
        Option("include", "Regular expression of topics.", "regex", old=("whitelist",)),
        Option("num-records", "How many records to read.", "count", int, old=("messages",)),
        Option("group", "Consumer group; else perf-consumer-NNNNN.", "group"),
        Option("fetch-size", "Bytes of a partition in one fetch.", "bytes", int, 1_048_576),
        Option("from-latest", "Start at the end where the group has no offset."),
        Option("socket-buffer-size", "Socket receive buffer.", "bytes", int, 2_097_152),
        Option("timeout", "End when no record came for this long.", "ms", int, 10_000, bare="10000"),
        Option("show-detailed-stats", "Report every interval."),
        Option("reporting-interval", "How often to report.", "ms", int, 5000),
        Option("date-format", "Java date format of the times.", "format", default="yyyy-MM-dd HH:mm:ss:SSS"),
        Option("hide-header", "No header line."),
        Option("print-metrics", "Print the client's metrics at the end."),
    ),
)

E2E_LATENCY = Tool(
    "kafka-e2e-latency",
    "Measures how long a record takes from producer to consumer.",
    (
        bootstrap(),
        REQUIRED_TOPIC,
        Option("num-records", "How many records to send.", "count", int, required=True),
        Option("producer-acks", "Acknowledgements to wait for.", "acks", required=True, choices=("1", "all")),
        Option("record-size", "Bytes of each record.", "bytes", int, required=True),
        config(),
        Option("record-key-size", "Bytes of each key.", "bytes", int, 0),
        Option("num-headers", "Headers of each record.", "count", int, 0),
        Option("record-header-key-size", "Bytes of a header's key.", "bytes", int, 0),
        Option("record-header-size", "Bytes of a header's value.", "bytes", int, 0),
    ),
    positional=("bootstrap-server", "topic", "num-records", "producer-acks", "record-size", "command-config"),
)

VERIFIABLE_PRODUCER = Tool(
    "kafka-verifiable-producer",
    "Sends increasing numbers and prints what became of each, as JSON lines.",
    (
        bootstrap("broker-list"),
        config("producer.config"),
        REQUIRED_TOPIC,
        Option("max-messages", "How many to send; -1: until stopped.", "count", int, -1),
        Option("throughput", "Records a second at most; -1: as fast as it goes.", "rate", int, -1),
        Option("acks", "Acknowledgements to wait for.", "acks", int, -1),
        Option("message-create-time", "Timestamp of the first record, in ms.", "ms", int, -1),
        Option("value-prefix", "Goes before each value, with a dot.", "prefix", int),
        Option("repeating-keys", "Keys count from 0 to below this, over and over.", "count", int),
    ),
)

VERIFIABLE_CONSUMER = Tool(
    "kafka-verifiable-consumer",
    "Reads a topic and prints what happens, as JSON lines.",
    (
        bootstrap("broker-list"),
        config("consumer.config"),
        REQUIRED_TOPIC,
        Option("group-id", "The consumer group.", "group", required=True),
        Option("group-protocol", "How the group is coordinated.", "protocol", default="classic",
               offers=("classic", "consumer")),
        Option("group-remote-assignor", "The broker's assignor, with the consumer protocol.", "assignor"),
        Option("group-instance-id", "Static member's name.", "id"),
        Option("max-messages", "How many to read; -1: until stopped.", "count", int, -1),
        Option("session-timeout", "Session timeout, with the classic protocol.", "ms", int),
        Option("verbose", "Print every record."),
        Option("enable-autocommit", "Let the client commit offsets."),
        Option("close-timeout", "How long closing may take.", "ms", int),
        Option("reset-policy", "Where to start without an offset.", "policy", default="earliest",
               choices=("earliest", "latest", "none")),
        Option("assignment-strategy", "Java class names of assignors.", "classes",
               default="org.apache.kafka.clients.consumer.RangeAssignor"),
    ),
)  # fmt: skip
