"""The flags of the tools for credentials; `tools.py` joins them."""

from __future__ import annotations

from riacho.cli.kafka.flags.flags import bootstrap, config
from riacho.cli.kafka.flags.options import Option, Tool

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
