"""The flags of kafka-transactions; `tools.py` joins them with the others'."""

from __future__ import annotations

from riacho.cli.kafka.flags.flags import bootstrap, config
from riacho.cli.kafka.flags.options import Command, Option, Tool, int32

_TOPIC = Option("topic", "The topic.", "topic")
_PARTITION = Option("partition", "The partition of --topic.", "partition", int32)

TRANSACTIONS = Tool(
    "kafka-transactions",
    "Shows transactions and the producers of partitions; finds and ends transactions that hang.",
    (bootstrap(), config()),
    (
        Command("list", "List the transactional ids and the state of each.", (
            Option("duration-filter", "Only transactions that have been open for longer.", "ms", int, -1),
            Option("transactional-id-pattern", "Only ids that match this regular expression.", "regex"),
        )),
        Command("describe", "Show the state of a transactional id.", (
            Option("transactional-id", "The transactional id.", "transactional-id", required=True),
        )),
        Command("describe-producers", "Show the producers that a partition remembers.", (
            Option("broker-id", "Ask this broker instead of the leader.", "broker", int32),
            _TOPIC._replace(required=True),
            _PARTITION._replace(required=True),
        )),
        Command("abort", "End a transaction that hangs on a partition; give --start-offset, or all of the others.", (
            _TOPIC._replace(required=True),
            _PARTITION._replace(required=True),
            Option("start-offset", "Where the transaction starts.", "offset", int),
            Option("producer-id", "Its producer id.", "id", int),
            Option("producer-epoch", "Its producer epoch.", "epoch", int),
            Option("coordinator-epoch", "The epoch of its coordinator.", "epoch", int32),
        )),
        Command("find-hanging", "Find transactions that are open on partitions, and that no coordinator will end.", (
            Option("broker-id", "Search this broker's partitions.", "broker", int32),
            Option("max-transaction-timeout", "How long transactions may be open at most.", "minutes", int32, 15),
            _TOPIC,
            _PARTITION,
        )),
        Command("forceTerminateTransaction", "Abort what is open under a transactional id, and fence its producer.", (
            Option("transactionalId", "The transactional id.", "transactional-id", required=True),
        )),
    ),
)  # fmt: skip
