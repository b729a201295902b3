"""The modules of `api/` that are served, one noun each: a module has `endpoints(parts) -> list[Endpoint]`."""

from __future__ import annotations

MODULES = (
    "session",
    "audit",
    "clusters",
    "overview",
    "brokers",
    "reassignments",
    "topics",
    "topics_tree",
    "topic_changes",
    "messages",
    "groups",
    "group_offsets",
    "schemas",
    "schema_references",
    "connectors",
    "connector_plugins",
    "sql",
    "pipelines",
    "acls",
    "users",
    "quotas",
    "transactions",
    "producers",
    "events",
    "metrics",
    "alerts",
    "flow",
)
