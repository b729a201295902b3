"""The services beside one cluster's brokers. One that the settings do not name answers 404 to every question."""

from __future__ import annotations

from riacho.console.config import ClusterConfig
from riacho.console.services.connect import Connect, connect_service
from riacho.console.services.ksql import Ksql, ksql_service
from riacho.console.services.pipelines import Pipelines
from riacho.console.services.schema_registry import SchemaRegistry, registry_service


class Services:
    def __init__(self, config: ClusterConfig, timeout_ms: int) -> None:
        timeout_s = timeout_ms / 1000
        self.schema_registry = SchemaRegistry(registry_service(config.schema_registry_urls, timeout_s))
        self.connect = Connect(connect_service(config.connect_urls, timeout_s))
        self.ksql = Ksql(ksql_service(config.ksql_urls, timeout_s), timeout_s)
        self.pipelines = Pipelines(self.connect, self.ksql)

    def close(self) -> None:
        self.schema_registry.close()
        self.connect.close()
        self.ksql.close()
