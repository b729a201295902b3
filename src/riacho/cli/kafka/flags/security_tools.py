"""The flags of the tools for access and credentials; `tools.py` joins them."""

from __future__ import annotations

from riacho.cli.kafka.flags.flags import bootstrap, config, controllers
from riacho.cli.kafka.flags.options import Option, Tool

OPERATIONS = (
    "Read", "Write", "Create", "Delete", "Alter", "Describe", "ClusterAction", "DescribeConfigs", "AlterConfigs",
    "IdempotentWrite", "CreateTokens", "DescribeTokens", "TwoPhaseCommit", "All",
)  # fmt: skip
PATTERN_TYPES = ("literal", "prefixed", "match", "any")

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
        Option("transactional-id", "The transactional id; '*' is every one.", "transactional-id", many=True),
        Option("delegation-token", "The delegation token; '*' is every token.", "token", many=True),
        Option("user-principal", "The user for whom tokens are created or described.", "principal", many=True),
        Option("resource-pattern-type", "How names are meant; match (all that cover the name) and any (every kind with "
               "this very name) are to list or remove.", "type", default="LITERAL", offers=PATTERN_TYPES),
        Option("operation", "Operation that is allowed or denied; all of them when left out.", "operation", many=True,
               offers=OPERATIONS),
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

DELEGATION_TOKENS = Tool(
    "kafka-delegation-tokens",
    "Creates, renews, expires and describes delegation tokens.",
    (
        bootstrap(),
        config(),
        Option("create", "Create a token for the user of --command-config."),
        Option("renew", "Move the end of a token; with --renew-time-period and --hmac."),
        Option("expire", "End a token; with --expiry-time-period and --hmac."),
        Option("describe", "Show the tokens, of --owner-principal or all that may be seen."),
        Option("owner-principal", "The owner, User:name; with --create another than who asks.", "principal", many=True),
        Option("renewer-principal", "Who may renew the new token, User:name.", "principal", many=True),
        Option("max-life-time-period", "The longest life of the new token in ms; -1 for the cluster's.", "ms", int),
        Option("renew-time-period", "How long it is to live from now, in ms; -1 for the cluster's default.", "ms", int),
        Option("expiry-time-period", "How long it is to live from now, in ms; -1 ends it at once.", "ms", int),
        Option("hmac", "The token's secret, in base64.", "secret"),
    ),
)
