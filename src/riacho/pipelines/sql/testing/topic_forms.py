"""What the topics of a case hold: records of cases to records of topics, and back to what a case would say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from riacho.pipelines.sql.catalogue.sources import DataSource
from riacho.pipelines.sql.formats.codec import CodecSpec
from riacho.pipelines.sql.formats.memory_registry import MemoryRegistry
from riacho.pipelines.sql.formats.record_json import RecordJson, Window
from riacho.pipelines.sql.formats.registry_access import RegistryRefusal
from riacho.pipelines.sql.formats.schema_registration import subject_of
from riacho.pipelines.sql.formats.supported import format_of
from riacho.pipelines.sql.plan.codecs import key_codec, value_codec
from riacho.pipelines.sql.testing.case import CaseError, CaseRecord, CaseTopic, CaseWindow
from riacho.pipelines.sql.testing.topics import TopicRecord


class TopicForms:
    """A topic is described by the first source that has it, else by what the case says of it."""

    def __init__(self, registry: MemoryRegistry) -> None:
        self._registry = registry
        self._sources: dict[str, DataSource] = {}
        self._given: dict[tuple[str, bool], CodecSpec] = {}
        self._forms: dict[tuple[str, bool], RecordJson] = {}

    def describe(self, topic: CaseTopic) -> None:
        """Schemas are registered, so that statements can take columns from them, and inputs are written with them."""
        for is_key, name, schema, schema_id in (
            (True, topic.key_format, topic.key_schema, topic.key_schema_id),
            (False, topic.value_format, topic.value_schema, topic.value_schema_id),
        ):
            if name is None and schema is not None:
                name = "AVRO"
            if name is None:
                continue
            form = format_of(name)
            subject = subject_of(topic.name, is_key)
            self._given[topic.name, is_key] = CodecSpec(form.name, is_key, (), subject=subject)
            if schema is not None and form.schema_type is not None:
                self._register(subject, form.schema_type, schema, schema_id)

    def _register(self, subject: str, schema_type: str, schema: str, schema_id: int | None) -> None:
        if schema_type == "AVRO" and schema.isidentifier():
            schema = f'"{schema}"'  # cases name a primitive as they write it in JSON: "int"
        try:
            self._registry.register_as(subject, schema_type, schema, schema_id=schema_id or 0)
        except RegistryRefusal as error:
            raise CaseError(f"The schema of {subject} is refused: {error}") from None

    def add_source(self, source: DataSource) -> None:
        if source.topic not in self._sources:
            self._sources[source.topic] = source
            self._forms.pop((source.topic, True), None)
            self._forms.pop((source.topic, False), None)

    def written(self, record: CaseRecord) -> TopicRecord:
        """CodecError for what its format cannot hold."""
        key = self._form(record.topic, True, record.key).payload(record.key, _window(record.window))
        value = self._form(record.topic, False, record.value).payload(record.value)
        return TopicRecord(key, value, record.timestamp or 0, record.headers or ())

    def read(self, topic: str, record: TopicRecord) -> CaseRecord:
        """CodecError."""
        key, window = self._form(topic, True).value(record.key)
        value, _ = self._form(topic, False).value(record.value)
        bounds = None if window is None else CaseWindow(window.start_ms, window.end_ms, "")
        return CaseRecord(topic, key, value, record.timestamp_ms, bounds, record.headers)

    def _form(self, topic: str, is_key: bool, value: Any = None) -> RecordJson:
        found = self._forms.get((topic, is_key))
        if found is None:
            found = RecordJson(self._spec(topic, is_key, value), self._registry)
            self._forms[topic, is_key] = found
        return found

    def _spec(self, topic: str, is_key: bool, value: Any) -> CodecSpec:
        source = self._sources.get(topic)
        if source is not None:
            spec = key_codec(source, {}) if is_key else value_codec(source, {})
            return replace(spec, subject=subject_of(topic, is_key))
        given = self._given.get((topic, is_key))
        if given is not None:
            return given
        # Nobody reads or wrote it: a text is a text, anything else JSON.
        return CodecSpec("DELIMITED" if isinstance(value, str) else "JSON", is_key, ())


def _window(window: CaseWindow | None) -> Window | None:
    if window is None:
        return None
    return Window(window.start, window.start if window.end is None else window.end)
