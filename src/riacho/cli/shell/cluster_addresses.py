"""Where a cluster of the shell is: its brokers, how to log in there, and the services beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterAddresses:
    """`properties` are client settings with Kafka's names, without `bootstrap.servers`. What nobody named is None."""

    name: str
    bootstrap: str
    # Passwords are among them: they are not shown with the rest.
    properties: Mapping[str, str] = field(default_factory=dict, repr=False)
    schema_registry_url: str | None = None
    connect_url: str | None = None
    ksql_url: str | None = None
    is_production: bool = False
