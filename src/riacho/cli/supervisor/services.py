"""The HTTP services that `riacho up` starts beside the brokers: one table of their names, ports and settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec

from riacho.cli.data_dir import DataDir
from riacho.client.loopback import HOST

BROKER = "broker"


@dataclass(frozen=True, slots=True)
class Service:
    """`bootstrap_key` is what its properties call the brokers; `variables` the prefix of its environment variables in
    the container images that people know it from."""

    name: str
    about: str
    port: int
    bootstrap_key: str
    variables: str
    runner: str

    def url(self, port: int) -> str:
        return f"http://{HOST}:{port}"


SCHEMA_REGISTRY = Service(
    "schema-registry",
    "Avro, JSON Schema and Protobuf schemas, with compatibility",
    8081,
    "kafkastore.bootstrap.servers",
    "SCHEMA_REGISTRY_",
    "riacho.schema_registry.run",
)
REST_PROXY = Service(
    "rest-proxy",
    "produce, consume and administer over HTTP",
    8082,
    "bootstrap.servers",
    "KAFKA_REST_",
    "riacho.rest_proxy.run",
)
CONNECT = Service(
    "connect",
    "connectors to other systems, run on Spark",
    8083,
    "bootstrap.servers",
    "CONNECT_",
    "riacho.pipelines.connect.run",
)
KSQL = Service(
    "ksqldb-server",
    "streams and tables by SQL, run on Spark",
    8088,
    "bootstrap.servers",
    "KSQL_",
    "riacho.pipelines.sql.run",
)
CONTROL_CENTER = Service(
    "control-center",
    "the console: all of it in a browser",
    9021,
    "bootstrap.servers",
    "CONTROL_CENTER_",
    "riacho.console.run",
)
SERVICES = {service.name: service for service in (SCHEMA_REGISTRY, REST_PROXY, CONNECT, KSQL, CONTROL_CENTER)}
# Everything that `--only` can name.
PARTS = {BROKER: "the event brokers"} | {service.name: service.about for service in SERVICES.values()}
# By which setting the console is told of the others.
_SHOWN = {SCHEMA_REGISTRY.name: "schema.registry.url", CONNECT.name: "connect.url", KSQL.name: "ksql.url"}
# What the services need beyond a broker's packages; one of them stands for all.
_EXTRA_PACKAGE = "starlette"


def can_run_services() -> bool:
    return find_spec(_EXTRA_PACKAGE) is not None


def service_properties(
    service: Service,
    bootstrap: str,
    ports: Mapping[str, int],
    directory: DataDir | None = None,
    given: Mapping[str, str] | None = None,
    metrics_ports: Iterable[int] = (),
) -> dict[str, str]:
    """Its settings among the services of one `riacho up`, given the ports of those that run and of brokers' metrics.

    `given` are those of its own file. Where the brokers are and where it listens is decided here, whatever that says.
    """
    properties = dict(given or {})
    if service is REST_PROXY and SCHEMA_REGISTRY.name in ports:
        properties.setdefault("schema.registry.url", SCHEMA_REGISTRY.url(ports[SCHEMA_REGISTRY.name]))
    if service is CONNECT and directory is not None:
        properties.setdefault("checkpoint.location", str(directory.checkpoints))
        properties = _reach(directory, ports) | properties
    if service is KSQL:
        if directory is not None:
            properties.setdefault("ksql.state.dir", str(directory.ksql))
        if SCHEMA_REGISTRY.name in ports:
            properties.setdefault("ksql.schema.registry.url", SCHEMA_REGISTRY.url(ports[SCHEMA_REGISTRY.name]))
        if CONNECT.name in ports:
            properties.setdefault("ksql.connect.url", CONNECT.url(ports[CONNECT.name]))
    if service is CONTROL_CENTER:
        if directory is not None:
            properties.setdefault("riacho.console.dir", str(directory.console))
        if "clusters" not in properties:
            properties.setdefault("cluster.name", "Local")
        metrics = ",".join(f"http://{HOST}:{port}" for port in metrics_ports if port > 0)
        if metrics:
            properties.setdefault("metrics.url", metrics)
        for other, key in _SHOWN.items():
            if other in ports:
                properties.setdefault(key, SERVICES[other].url(ports[other]))
    return {**properties, service.bootstrap_key: bootstrap, "listeners": service.url(ports[service.name])}


def _reach(directory: DataDir, ports: Mapping[str, int]) -> dict[str, str]:
    """What connectors may reach, where its file does not say so: files where the user is, and the registry."""
    from riacho.pipelines.reach import limits

    registry = [SCHEMA_REGISTRY.url(ports[SCHEMA_REGISTRY.name])] if SCHEMA_REGISTRY.name in ports else []
    return {
        limits.PATHS: ",".join(limits.default_paths(directory.files)),
        limits.KEPT: str(directory.path),
        limits.URLS: ",".join((*limits.DEFAULT_URLS, *registry)),
    }
