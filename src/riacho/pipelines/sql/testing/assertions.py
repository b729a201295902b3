"""ASSERT TOPIC and ASSERT SCHEMA, in cases and in scripts. Nothing is waited for: what is not there will not come."""

from __future__ import annotations

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.memory_registry import MemoryRegistry
from riacho.pipelines.sql.formats.registry_access import RegistryRefusal
from riacho.pipelines.sql.syntax.statements import AssertSchema, AssertTopic
from riacho.pipelines.sql.testing.topics import MemoryTopics


def check_topic(assertion: AssertTopic, topics: MemoryTopics) -> None:
    found = topics.find(assertion.topic)
    if not assertion.exists:
        if found is not None:
            raise KsqlError(f"Topic {assertion.topic} exists")
        return
    if found is None:
        raise KsqlError(f"Topic {assertion.topic} does not exist")
    configs = {"PARTITIONS": found.partitions, "REPLICAS": found.replicas}
    wrong = [
        f"For config {name.lower()}, expected {value} got {configs[name.upper()]}"
        for name, value in assertion.properties.items()
        if name.upper() in configs and configs[name.upper()] != value
    ]
    if wrong:
        raise KsqlError(f"Mismatched configuration for topic {assertion.topic}: {'; '.join(wrong)}")


def check_schema(assertion: AssertSchema, registry: MemoryRegistry) -> None:
    if _is_there(assertion, registry) == assertion.exists:
        return
    subject = f" subject name {assertion.subject}" if assertion.subject is not None else ""
    number = f" id {assertion.schema_id}" if assertion.schema_id is not None else ""
    raise KsqlError(f"Schema with{subject}{number} {'does not exist' if assertion.exists else 'exists'}")


def _is_there(assertion: AssertSchema, registry: MemoryRegistry) -> bool:
    try:
        if assertion.schema_id is not None:
            registry.by_id(assertion.schema_id)
    except RegistryRefusal:
        return False
    return assertion.subject is None or registry.latest(assertion.subject) is not None
