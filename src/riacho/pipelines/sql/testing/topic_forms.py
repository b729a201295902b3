"""What the topics of a case hold: records of cases to records of topics, and back to what a case would say."""

from __future__ import annotations

import struct
from dataclasses import replace

from riacho.pipelines.sql.catalogue.sources import DataSource, WindowInfo
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.formats.codec import CodecError, CodecSpec
from riacho.pipelines.sql.formats.inferred_names import UnsupportedTypeError, as_written
from riacho.pipelines.sql.formats.memory_registry import MemoryRegistry
from riacho.pipelines.sql.formats.registry_access import RegistryRefusal
from riacho.pipelines.sql.formats.schema_inference import schema_sql_type
from riacho.pipelines.sql.formats.schema_registration import subject_of
from riacho.pipelines.sql.formats.supported import format_of
from riacho.pipelines.sql.plan.codecs import key_codec, value_codec
from riacho.pipelines.sql.syntax.statements import WindowKind
from riacho.pipelines.sql.testing.case import CaseError, CaseRecord, CaseTopic, CaseWindow
from riacho.pipelines.sql.testing.payloads import PayloadForm, open_form
from riacho.pipelines.sql.testing.topics import TopicRecord
from riacho.pipelines.sql.types import Struct

_LONG = struct.Struct(">q")
_LONGS = struct.Struct(">qq")


class TopicForms:
    """A topic is described by what the case says of it; what it leaves open, by the first source that has it."""

    def __init__(self, registry: MemoryRegistry) -> None:
        self._registry = registry
        self._sources: dict[str, DataSource] = {}
        self._given: dict[tuple[str, bool], CodecSpec] = {}
        self._forms: dict[tuple[str, bool], PayloadForm] = {}

    def describe(self, topic: CaseTopic) -> None:
        """Schemas are registered, so that statements can take columns from them."""
        for is_key, name, schema, schema_id in (
            (True, topic.key_format, topic.key_schema, topic.key_schema_id),
            (False, topic.value_format, topic.value_schema, topic.value_schema_id),
        ):
            if schema is not None:
                spec = self._registered(topic.name, is_key, name or "AVRO", schema, schema_id)
                if spec is not None:
                    self._given[topic.name, is_key] = spec

    def _registered(self, topic: str, is_key: bool, name: str, schema: str, schema_id: int | None) -> CodecSpec | None:
        form = format_of(name)
        if form.schema_type is None:
            return None
        try:
            found = self._registry.register_as(
                subject_of(topic, is_key), form.schema_type, schema, schema_id=schema_id or 0
            )
            kind = schema_sql_type(found.parsed, as_written, {})
        except RegistryRefusal as error:
            raise CaseError(f"The schema of topic {topic} is refused: {error}") from None
        except (UnsupportedTypeError, CodecError, KsqlError):
            return None
        is_record = isinstance(kind, Struct)
        columns = kind.fields if isinstance(kind, Struct) else ()
        listed = [(each.name, str(each.type)) for each in columns] or [("VALUE", str(kind))]
        return CodecSpec(form.name, is_key, tuple(listed), wrap=is_record, subject=found.subject, schema_id=found.id)

    def add_source(self, source: DataSource) -> None:
        if source.topic not in self._sources:
            self._sources[source.topic] = source
            self._forms.pop((source.topic, True), None)
            self._forms.pop((source.topic, False), None)

    def written(self, record: CaseRecord) -> TopicRecord:
        """CodecError for what its format cannot hold."""
        key = self._form(record.topic, True).payload(record.key)
        if record.window is not None and key is not None:
            key += _bounds(record.window)
        value = self._form(record.topic, False).payload(record.value)
        return TopicRecord(key, value, record.timestamp or 0, record.headers or ())

    def read(self, topic: str, record: TopicRecord) -> CaseRecord:
        """CodecError."""
        source = self._sources.get(topic)
        key, window = record.key, None
        if source is not None and source.window is not None and key is not None:
            key, window = _without_bounds(key, source.window)
        return CaseRecord(
            topic=topic,
            key=self._form(topic, True).value(key),
            value=self._form(topic, False).value(record.value),
            timestamp=record.timestamp_ms,
            window=window,
            headers=record.headers,
        )

    def _form(self, topic: str, is_key: bool) -> PayloadForm:
        found = self._forms.get((topic, is_key))
        if found is None:
            found = self._forms[topic, is_key] = open_form(self._spec(topic, is_key), self._registry)
        return found

    def _spec(self, topic: str, is_key: bool) -> CodecSpec | None:
        given = self._given.get((topic, is_key))
        if given is not None:
            return given
        source = self._sources.get(topic)
        if source is None:
            return None
        spec = key_codec(source, {}) if is_key else value_codec(source, {})
        return replace(spec, window=None, subject=subject_of(topic, is_key))


def _bounds(window: CaseWindow) -> bytes:
    if window.is_session:
        return _LONGS.pack(window.end if window.end is not None else window.start, window.start)
    return _LONG.pack(window.start)


def _without_bounds(key: bytes, window: WindowInfo) -> tuple[bytes, CaseWindow]:
    if window.kind is WindowKind.SESSION:
        end, start = _LONGS.unpack_from(key, len(key) - _LONGS.size)
        return key[: -_LONGS.size], CaseWindow(start, end, "session")
    (start,) = _LONG.unpack_from(key, len(key) - _LONG.size)
    size = window.size_ms
    return key[: -_LONG.size], CaseWindow(start, None if size is None else start + size, "time")
