"""The flags of kafka-acls; `tools.py` joins them."""

from __future__ import annotations

from riacho.cli.kafka.flags.flags import bootstrap, config, controllers
from riacho.cli.kafka.flags.options import Option, Tool

ACLS = Tool(
    "kafka-acls",
    "Lists, adds and removes access control entries: who may do what.",
    (
        bootstrap(),
        controllers(),
        config(),
        Option("add", "Add entries."),
        Option("remove", "Remove entries."),
        Option("list", "List the entries of the resources named; of all when none is."),
        Option("topic", "The topic; '*' is every topic.", "topic", many=True),
        Option("group", "The group; '*' is every group.", "group", many=True),
        Option("cluster", "The cluster."),
        Option("transactional-id", "The transactional id; '*' is every one.", "id", many=True),
        Option("delegation-token", "The delegation token; '*' is every token.", "token", many=True),
        Option("user-principal", "The user for whom tokens are created or described.", "principal", many=True),
        Option("resource-pattern-type", "literal or prefixed; to list or remove also match (all that cover the name), "
               "any (every kind with this very name).", "type", default="LITERAL"),
        Option("operation", "Operation that is allowed or denied; all of them when left out: Read, Write, Create, "
               "Delete, Alter, Describe, ClusterAction, DescribeConfigs, AlterConfigs, IdempotentWrite, CreateTokens, "
               "DescribeTokens, TwoPhaseCommit, All.", "operation", many=True),
        Option("allow-principal", "Who is allowed, User:name; User:* is everybody.", "principal", many=True),
        Option("deny-principal", "Who is denied; goes before whatever is allowed.", "principal", many=True),
        Option("allow-host", "Address from which it is allowed; any when left out.", "host", many=True),
        Option("deny-host", "Address from which it is denied; any when left out.", "host", many=True),
        Option("principal", "With --list: only entries of this principal.", "principal", many=True, bare=""),
        Option("producer", "What a producer needs: Write, Describe and Create on the topics."),
        Option("consumer", "What a consumer needs: Read and Describe on the topics, Read on the group."),
        Option("idempotent", "With --producer: what an idempotent producer needs of the cluster."),
        Option("force", "No prompts."),
    ),
)  # fmt: skip
