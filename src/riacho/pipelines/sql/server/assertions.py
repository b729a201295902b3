"""ASSERT TOPIC and ASSERT SCHEMA: waits for what a script needs before it goes on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from riacho.pipelines.formats.registry_client import RegistryError
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.registry_access import RegistryAccess, RegistryRefusal
from riacho.pipelines.sql.server.entities import Entity, entity
from riacho.pipelines.sql.server.topics import Topics
from riacho.pipelines.sql.syntax.statements import AssertSchema, AssertTopic, Duration, PropertyValue

_DEFAULT_TIMEOUT_MS = 1_000
_LOOK_S = 0.2


class AssertionFailed(KsqlError):
    code: ClassVar[int] = 41700


@dataclass(slots=True)
class Assertions:
    topics: Topics
    registry: RegistryAccess | None

    async def topic(self, assertion: AssertTopic, text: str) -> Entity:
        await _until(lambda: self._topic_problem(assertion), assertion.timeout)
        return entity("assert_topic", text, topicName=assertion.topic, exists=assertion.exists)

    async def schema(self, assertion: AssertSchema, text: str) -> Entity:
        if self.registry is None:
            raise AssertionFailed("Cannot check for schema: no schema registry is configured.")
        await _until(lambda: self._schema_problem(assertion), assertion.timeout)
        fields = {"subject": assertion.subject, "id": assertion.schema_id, "exists": assertion.exists}
        return entity("assert_schema", text, **fields)

    def _topic_problem(self, assertion: AssertTopic) -> str | None:
        found = self.topics.find(assertion.topic)
        if not assertion.exists:
            return None if found is None else f"Topic {assertion.topic} exists"
        if found is None:
            return f"Topic {assertion.topic} does not exist"
        configs = {"PARTITIONS": found.partitions, "REPLICAS": found.replicas[0]}
        wrong = [_mismatch(name, value, configs) for name, value in assertion.properties.items()]
        problems = [each for each in wrong if each is not None]
        return f"Mismatched configuration for topic {assertion.topic}: {'; '.join(problems)}" if problems else None

    def _schema_problem(self, assertion: AssertSchema) -> str | None:
        assert self.registry is not None, "it has been asked"
        what = " ".join(
            part
            for part in (
                f"subject name {assertion.subject}" if assertion.subject is not None else "",
                f"id {assertion.schema_id}" if assertion.schema_id is not None else "",
            )
            if part
        )
        is_there = self._is_schema_there(assertion)
        if is_there == assertion.exists:
            return None
        return f"Schema with {what} {'exists' if is_there else 'does not exist'}"

    def _is_schema_there(self, assertion: AssertSchema) -> bool:
        assert self.registry is not None, "it has been asked"
        try:
            if assertion.schema_id is not None:
                self.registry.by_id(assertion.schema_id)
            if assertion.subject is not None:
                return self.registry.latest(assertion.subject) is not None
        except RegistryRefusal:
            return False
        except RegistryError as error:
            raise AssertionFailed(f"Cannot check for schema: {error}") from None
        return True


async def _until(problem: Callable[[], str | None], timeout: Duration | None) -> None:
    limit_ms = timeout.milliseconds if timeout is not None else _DEFAULT_TIMEOUT_MS
    deadline = time.monotonic() + limit_ms / 1000
    while True:
        found = await asyncio.to_thread(problem)
        if found is None:
            return
        if time.monotonic() + _LOOK_S > deadline:
            raise AssertionFailed(found)
        await asyncio.sleep(_LOOK_S)


def _mismatch(name: str, value: PropertyValue, configs: Mapping[str, int]) -> str | None:
    found = configs.get(name.upper())
    if found is None:
        return f"For config {name.lower()}, it is not known"
    return None if found == value else f"For config {name.lower()}, expected {value} got {found}"
