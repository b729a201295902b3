"""A log as Confluent's registry writes it answers as that registry does; and our own log has the same bytes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from riacho.single_writer.record import Append
from support.schema_registry import RegistryClient


def _records(name: str) -> Iterator[Append]:
    """A file of keys and values, one under the other; `-` is a tombstone."""
    text = (Path(__file__).parent / name).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    for key, value in zip(lines[::2], lines[1::2], strict=True):
        yield Append(key.encode(), None if value == "-" else value.encode())


@pytest.fixture
def registry() -> RegistryClient:
    client = RegistryClient()
    client.replicated_log.append(*_records("golden_confluent_log.txt"))
    return client


def test_subjects_and_versions(registry: RegistryClient) -> None:
    assert registry.get("/subjects") == (
        200,
        [
            ":.eu:orders-value",
            "customers-value",
            "invoices-value",
            "old-value",
            "orders-key",
            "orders-value",
            "parcels-value",
        ],
    )
    assert registry.get("/subjects/orders-value/versions") == (200, [1, 2])
    assert registry.get("/subjects/old-value/versions?deletedAsNegative=true") == (200, [-1, -2, 3])
    assert registry.get("/contexts") == (200, [".", ".eu"])


def test_ids_and_types(registry: RegistryClient) -> None:
    assert registry.get("/schemas/ids/3")[1]["schema"] == '"string"'
    assert registry.get("/schemas/ids/3/versions?deleted=true")[1] == [
        {"subject": "orders-key", "version": 1},
        {"subject": "old-value", "version": 2},
    ]
    assert registry.get("/schemas/ids/4")[1]["schemaType"] == "PROTOBUF"
    parcels = registry.get("/subjects/parcels-value/versions/latest")[1]
    assert (parcels["schemaType"], parcels["metadata"]) == ("JSON", {"properties": {"owner": "ana"}})
    assert parcels["ruleSet"]["domainRules"][0]["expr"] == "true"
    assert registry.get("/schemas/ids/1?subject=:.eu:")[1]["schema"] == '"long"'
    assert registry.get("/schemas/ids/9")[0] == 404


def test_settings(registry: RegistryClient) -> None:
    assert registry.get("/config") == (200, {"compatibilityLevel": "FULL"})
    assert registry.get("/config/orders-value") == (
        200,
        {"normalize": True, "compatibilityLevel": "BACKWARD_TRANSITIVE"},
    )
    assert registry.get("/mode/:.eu:orders-value?defaultToGlobal=true") == (200, {"mode": "READONLY"})


def test_references(registry: RegistryClient) -> None:
    assert registry.get("/subjects/orders-value/versions/1/referencedby") == (200, [6])
    assert '"name":"id"' in registry.get("/schemas/ids/6?format=resolved")[1]["schema"]
    assert registry.delete("/subjects/orders-value")[1]["error_code"] == 42206


def test_it_goes_on_where_the_other_registry_left_off(registry: RegistryClient) -> None:
    assert registry.register("new-value", '"boolean"') == 10
    assert registry.register("orders-key", '"string"') == 3
    assert registry.get("/subjects/orders-key/versions") == (200, [1])


def test_a_key_in_an_older_spelling_is_deleted_in_that_spelling(registry: RegistryClient) -> None:
    registry.put("/config", {"compatibility": "NONE"})
    registry.delete("/config")
    written = [key for key in registry.replicated_log.written_keys() if "CONFIG" in key and "orders" not in key]
    assert written == ['{"keytype":"CONFIG","subject":null,"magic":0}'] * 3
    assert registry.get("/config") == (200, {"compatibilityLevel": "BACKWARD"})


def test_what_we_write_has_its_layout_byte_by_byte() -> None:
    registry = RegistryClient()
    order = '{"type":"record","name":"Order","fields":[{"name":"id","type":"long"}]}'
    rules = {"domainRules": [{"name": "check", "kind": "CONDITION", "type": "CEL"}]}
    registry.register("s", order)
    registry.register(
        ":.eu:j", '{"type":"object"}', schemaType="JSON", metadata={"properties": {"owner": "ana"}}, ruleSet=rules
    )
    invoice = '{"type":"record","name":"Invoice","fields":[{"name":"order","type":"Order"}]}'
    registry.register("r", invoice, references=[{"name": "Order", "subject": "s", "version": 1}])
    registry.put("/config", {"compatibility": "FULL"})
    registry.put("/config/s", {"compatibility": "NONE", "normalize": True})
    registry.put("/mode/s", {"mode": "READWRITE"})
    registry.delete("/subjects/r/versions/1")
    registry.delete("/subjects/r/versions/1?permanent=true")
    registry.delete("/subjects/s")
    written = [Append(record.key, record.value) for record in registry.replicated_log.log]
    assert written == list(_records("golden_own_log.txt"))
