"""The one table of Kafka's tools and their flags: it drives the parser, the help, shell completion and the docs."""

from __future__ import annotations

from riacho.cli.kafka.flags.admin_tools import (
    BROKER_API_VERSIONS,
    CLUSTER,
    CONFIGS,
    CONSUMER_GROUPS,
    DELETE_RECORDS,
    GET_OFFSETS,
    GROUPS,
    LOG_DIRS,
    TOPICS,
)
from riacho.cli.kafka.flags.cluster_tools import (
    FEATURES,
    LEADER_ELECTION,
    METADATA_QUORUM,
    REASSIGN_PARTITIONS,
    REPLICA_VERIFICATION,
)
from riacho.cli.kafka.flags.data_tools import (
    CONSOLE_CONSUMER,
    CONSOLE_PRODUCER,
    CONSUMER_PERF_TEST,
    E2E_LATENCY,
    PRODUCER_PERF_TEST,
    VERIFIABLE_CONSUMER,
    VERIFIABLE_PRODUCER,
)
from riacho.cli.kafka.flags.local_tools import DUMP_LOG, STORAGE
from riacho.cli.kafka.flags.options import Tool
from riacho.cli.kafka.flags.schema_tools import SCHEMA_TOOLS
from riacho.cli.kafka.flags.security_tools import ACLS, DELEGATION_TOKENS
from riacho.cli.kafka.flags.share_tools import (
    CONSOLE_SHARE_CONSUMER,
    SHARE_CONSUMER_PERF_TEST,
    SHARE_GROUPS,
    VERIFIABLE_SHARE_CONSUMER,
)
from riacho.cli.kafka.flags.transaction_tools import TRANSACTIONS

TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        TOPICS, CONSOLE_PRODUCER, CONSOLE_CONSUMER, CONSUMER_GROUPS, CONFIGS, GET_OFFSETS, DELETE_RECORDS, LOG_DIRS,
        DUMP_LOG, CLUSTER, BROKER_API_VERSIONS, STORAGE, PRODUCER_PERF_TEST, CONSUMER_PERF_TEST, E2E_LATENCY,
        VERIFIABLE_PRODUCER, VERIFIABLE_CONSUMER, GROUPS, METADATA_QUORUM, LEADER_ELECTION, REASSIGN_PARTITIONS,
        FEATURES, REPLICA_VERIFICATION, ACLS, CONSOLE_SHARE_CONSUMER, SHARE_GROUPS, VERIFIABLE_SHARE_CONSUMER,
        SHARE_CONSUMER_PERF_TEST, DELEGATION_TOKENS,
        TRANSACTIONS, *SCHEMA_TOOLS,
    )
}  # fmt: skip


def module_of(name: str) -> str:
    """`kafka-topics` lives in `riacho.cli.kafka.topics`."""
    return "riacho.cli.kafka." + name.removeprefix("kafka-").replace("-", "_")
