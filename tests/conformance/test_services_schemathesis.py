"""Schemathesis holds each service against its own /openapi.json: no 500, and no answer that the description lacks.

The description is told a few names that exist (a cluster, topics, subjects, good schemas), so that not every call ends
at 404, and gets bounds where a service takes a caller at its word (a million partitions). Broker and services are the
test's own: what is thrown at them changes modes and deletes topics. A short run belongs to the suite;
`RIACHO_SCHEMATHESIS_CASES=3000` makes that many against each service, and those of the coverage phase besides.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from conformance import registry_http, registry_schemas
from conformance.running_broker import kinds, run
from support.connect_fake_plugins import SINK, SOURCE
from support.connect_worker import fake_settings
from support.service_process import ServiceProcess, running_service

SEED = "20"
CASES = int(os.environ.get("RIACHO_SCHEMATHESIS_CASES", "0"))
SHORT_EXAMPLES = 2
LIMIT_S = 300 + CASES * 1.0
# 501 is how the proxy says that Kafka's client library cannot do something; it is in the description.
CONFIG = """
[checks]
enabled = false
not_a_server_error.enabled = true
not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", "501"]
status_code_conformance.enabled = true
content_type_conformance.enabled = true
response_schema_conformance.enabled = true
allow_header_conformance.enabled = true
[phases.fuzzing]
operation-ordering = "none"
# As in the original, the bare text of a schema comes as what the registry's answers are, though Protobuf is no JSON.
[[operations]]
include-path-regex = "/schema$"
checks.response_schema_conformance.enabled = false
"""
TOPICS = ["fuzzed-a", "fuzzed-b", "fuzzed-c"]
SUBJECTS = [f"{topic}-value" for topic in TOPICS]
SCHEMAS = [
    registry_schemas.text(registry_schemas.AVRO),
    registry_schemas.text(registry_schemas.AVRO_NEXT),
    registry_schemas.text(registry_schemas.JSON_SCHEMA),
    registry_schemas.PROTOBUF,
]
PATHS_LAST = (
    "/mode",  # a registry that is read-only refuses what comes after
    "/consumers/{group}/instances/{instance}",
    "/connectors/{connector}",
    "/v3/clusters/{cluster_id}/topics/{topic_name}",
)
BOUNDS = {"partitions_count": {"type": "integer", "minimum": -1, "maximum": 8}}
BOUNDED = ("CreateTopic", "MorePartitions")
SHORT_WAITS = {
    "consumer.request.timeout.ms": "50",
    "streaming.connection.max.duration.ms": "200",
    "consumer.instance.timeout.ms": "60000",
}
pytestmark = pytest.mark.timeout(LIMIT_S + 120)


@pytest.fixture(scope="module", params=kinds())
def services(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[ServiceProcess]]:
    directory = tmp_path_factory.mktemp("schemathesis")
    with (
        run(request.param, directory / "broker") as broker,
        running_service("schema-registry", broker.bootstrap, directory) as registry,
        running_service(
            "rest-proxy", broker.bootstrap, directory, {"schema.registry.url": registry.url, **SHORT_WAITS}
        ) as proxy,
        running_service("connect", broker.bootstrap, directory, fake_settings(directory)) as connect,
    ):
        yield [registry, proxy, connect]


def test_the_registry_does_what_its_description_says(services: list[ServiceProcess], tmp_path: Path):
    registry, _, _ = services
    ids = []
    for subject, schema, kind in zip(SUBJECTS, (SCHEMAS[0], *SCHEMAS[2:]), ("AVRO", "JSON", "PROTOBUF"), strict=True):
        body = {"schema": schema, "schemaType": kind}
        ids.append(_json(registry, "POST", f"/subjects/{subject}/versions", body)["id"])
    guid = _json(registry, "GET", f"/subjects/{SUBJECTS[0]}/versions/1")["guid"]
    known = {
        "subject": SUBJECTS,
        "id": ids,
        "guid": [guid],
        "version": [1, 2],
        "schema": SCHEMAS,
        "schemaType": ["AVRO", "JSON", "PROTOBUF"],
    }
    _hold_against_its_description(registry, known, tmp_path)


def test_the_proxy_does_what_its_description_says(services: list[ServiceProcess], tmp_path: Path):
    _, proxy, _ = services
    for topic in TOPICS:
        _json(proxy, "POST", f"/topics/{topic}", {"records": [{"value": registry_schemas.RECORD}]}, "json")
    instance = {"name": "fuzzed", "format": "json", "auto.offset.reset": "earliest"}
    _json(proxy, "POST", "/consumers/fuzzers", instance)
    _json(proxy, "POST", "/consumers/fuzzers/instances/fuzzed/subscription", {"topics": TOPICS})
    cluster_id = _json(proxy, "GET", "/v3/clusters")["data"][0]["cluster_id"]
    known = {
        "cluster_id": [cluster_id],
        "topic": TOPICS,
        "topic_name": TOPICS,
        "partition": [0],
        "partition_id": [0],
        "broker_id": [1],
        "group": ["fuzzers"],
        "consumer_group_id": ["fuzzers"],
        "instance": ["fuzzed"],
        "name": ["retention.ms", "cleanup.policy", "log.retention.ms"],
        "value_schema": SCHEMAS[:2],
    }
    _hold_against_its_description(proxy, known, tmp_path)


def test_connect_does_what_its_description_says(services: list[ServiceProcess], tmp_path: Path):
    _, _, connect = services
    for name, kind, topics in (("fuzzed", SOURCE, {"topic": TOPICS[0]}), ("sunk", SINK, {"topics": TOPICS[0]})):
        _json(connect, "POST", "/connectors", {"name": name, "config": {"connector.class": kind, **topics}})
    known = {
        "connector": ["fuzzed", "sunk"],
        "pipeline": ["fuzzed", "sunk"],
        "plugin": [SOURCE, SINK, "FileStreamSource"],
        "task": [0],
        "logger": ["fuzzed.logger"],
        "level": ["DEBUG", "WARN"],
        "scope": ["worker", "cluster"],
    }
    _hold_against_its_description(connect, known, tmp_path)


def _hold_against_its_description(service: ServiceProcess, known: Mapping[str, list[Any]], directory: Path) -> None:
    document = _informed(_json(service, "GET", "/openapi.json"), known)
    operations = sum(len(item) for item in document["paths"].values())
    examples = -(-CASES // operations) if CASES else SHORT_EXAMPLES
    (directory / "openapi.json").write_text(json.dumps(document))
    (directory / "schemathesis.toml").write_text(CONFIG)
    words = [sys.executable, "-m", "schemathesis.cli", "run", "openapi.json", "--url", service.url, "--seed", SEED]
    words += ["-n", str(examples), "--phases", "coverage,fuzzing" if CASES else "fuzzing"]
    words += ["--report", "json", "--report-json-path", "report.json", "--request-timeout", "60", "--no-color"]
    words += ["--generation-database", "none", "--continue-on-failure", "--suppress-health-check", "all"]
    done = subprocess.run(words, cwd=directory, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    report = json.loads((directory / "report.json").read_text())
    print(f"{service.name}: {report['test_cases']}")
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-2_000:]
    assert report["operations"]["tested"] == report["operations"]["selected"] >= operations - 1
    assert service.is_running


def _informed(document: dict[str, Any], known: Mapping[str, list[Any]]) -> dict[str, Any]:
    """The description with the names that exist, and with the operations that end everything at the end."""
    for item in document["paths"].values():
        for operation in item.values():
            for parameter in operation.get("parameters", []):
                parameter["schema"] = _with_known(parameter["name"], parameter["schema"], known)
    for title, component in document["components"]["schemas"].items():
        properties = component.get("properties", {})
        bounds = BOUNDS if title in BOUNDED else {}
        for name in properties:
            properties[name] = bounds.get(name) or _with_known(name, properties[name], known)
    document["paths"] = dict(sorted(document["paths"].items(), key=lambda item: item[0] in PATHS_LAST))
    for path in PATHS_LAST:
        item = document["paths"].get(path, {})
        item.update({method: item.pop(method) for method in ("put", "delete") if method in item})
    return document


def _with_known(name: str, schema: dict[str, Any], known: Mapping[str, list[Any]]) -> dict[str, Any]:
    return {"anyOf": [{"enum": known[name]}, schema]} if name in known else schema


def _json(service: ServiceProcess, method: str, path: str, body: Any = None, embedded: str = "") -> Any:
    if service.name == "connect":
        return registry_http.ask(service, method, path, body, content="application/json")
    kind = "schemaregistry.v1" if service.name == "schema-registry" else f"kafka.{embedded}.v2".replace("..", ".")
    return registry_http.ask(service, method, path, body, content=f"application/vnd.{kind}+json")
