"""The registry's memory of its log: `apply` is the one writer, live and on replay.

What cannot be understood is skipped with a line in the log: a record of a kind that is not known, a value that is no
JSON, a schema whose id is taken by another. Every instance skips the same, so all come to the same state.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import replace

import msgspec

from riacho.schema_registry import records
from riacho.schema_registry.context_index import ContextIndex, VersionKey
from riacho.schema_registry.entities import NUMBER_MAX, Config, Mode, Version
from riacho.schema_registry.naming import DEFAULT_CONTEXT, context_of, in_scope, qualify_with_parent
from riacho.single_writer.record import LogRecord

_log = logging.getLogger("riacho.schema_registry")
_key_decoder = msgspec.json.Decoder(records.RecordKey)


class State:
    """`configs` and `modes` are by subject, by `:.context:`, and by None for the default context's own."""

    def __init__(self) -> None:
        # Grows with every change: what was made from the state is good while it stays.
        self.revision = 0
        self.clear()

    def clear(self) -> None:
        self.subjects: dict[str, dict[int, Version]] = {}
        self.configs: dict[str | None, Config] = {}
        self.modes: dict[str | None, Mode] = {}
        self.context_names: dict[str, None] = {}
        self._contexts: dict[str, ContextIndex] = {}
        # what is referred to -> who refers to it: its id, and whether it is deleted
        self._referrers: dict[VersionKey, dict[VersionKey, tuple[int, bool]]] = {}
        # Keys that another registry wrote in its own spelling: what they hold is deleted by the same bytes only.
        self._spellings: dict[bytes, bytes] = {}
        self.revision += 1

    # Reading

    def context(self, name: str) -> ContextIndex:
        """Of a context that nothing is in, an empty one."""
        return self._contexts.get(name) or ContextIndex()

    def index_of(self, subject: str | None) -> ContextIndex:
        return self.context(context_of(subject))

    def version(self, subject: str, version: int) -> Version | None:
        return self.subjects.get(subject, {}).get(version)

    def versions(self, subject: str) -> list[Version]:
        """All, deleted ones too, the oldest first."""
        found = self.subjects.get(subject)
        return [found[number] for number in sorted(found)] if found else []

    def all_versions(self) -> Iterator[Version]:
        for subject in self.subjects:
            yield from self.versions(subject)

    def referring_ids(
        self, subject: str, version: int, *, deleted: bool = False, counts: Callable[[str], bool] | None = None
    ) -> list[int]:
        """Ids of the schemas that refer to a version; with `deleted` those of deleted ones too. `counts`: which
        subjects' do."""
        found = self._referrers.get((subject, version), {}).items()
        return sorted(
            {
                schema_id
                for (referrer, _), (schema_id, is_deleted) in found
                if (deleted or not is_deleted) and (counts is None or counts(referrer))
            }
        )

    def key_as_written(self, key: bytes) -> bytes:
        return self._spellings.get(key, key)

    def max_ids(self) -> dict[str, int]:
        return {name: index.max_id for name, index in self._contexts.items() if index.max_id}

    # Writing

    def apply(self, record: LogRecord) -> None:
        self.revision += 1
        if record.key is None:
            _log.warning("record without a key skipped offset=%d", record.offset)
            return
        try:
            key = _key_decoder.decode(record.key)
            handler = _HANDLERS.get(key.keytype)
            if handler is None:
                _log.info("record of another kind skipped keytype=%s offset=%d", key.keytype, record.offset)
                return
            handler(self, key, record)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            _log.warning("record that cannot be read skipped offset=%d reason=%s", record.offset, error)

    def _apply_schema(self, key: records.RecordKey, record: LogRecord) -> None:
        if key.subject is None or key.version is None or not 0 < key.version <= NUMBER_MAX:
            raise ValueError("a schema's key needs a subject and a version")
        canonical = records.schema_key(key.subject, key.version)
        self._remember_spelling(canonical, record)
        if record.value is None:
            self._remove(key.subject, key.version)
            return
        value = _schema_value(record)
        found = records.version_of(value, record.timestamp_ms)
        if not 0 <= found.id <= NUMBER_MAX:
            raise ValueError(f"the id {found.id} is not one")
        # The key rules where the two differ: by it the record is compacted and deleted.
        self._put(replace(found, subject=key.subject, version=key.version))

    def _apply_config(self, key: records.RecordKey, record: LogRecord) -> None:
        self._remember_spelling(records.subject_key("CONFIG", key.subject), record)
        if record.value is None:
            self.configs.pop(key.subject, None)
        else:
            self.configs[key.subject] = msgspec.json.decode(record.value, type=Config)

    def _apply_mode(self, key: records.RecordKey, record: LogRecord) -> None:
        self._remember_spelling(records.subject_key("MODE", key.subject), record)
        if record.value is None:
            self.modes.pop(key.subject, None)
        else:
            self.modes[key.subject] = msgspec.json.decode(record.value, type=records.ModeValue).mode

    def _apply_delete_subject(self, key: records.RecordKey, record: LogRecord) -> None:
        if record.value is None or key.subject is None:
            return
        last = msgspec.json.decode(record.value, type=records.DeleteSubjectValue).version
        for version in self.versions(key.subject):
            if version.version <= last and not version.deleted:
                self._put(replace(version, deleted=True, timestamp_ms=record.timestamp_ms))

    def _apply_clear_subject(self, key: records.RecordKey, record: LogRecord) -> None:
        if record.value is None:
            return
        for version in list(self.all_versions()):
            if version.deleted and in_scope(version.subject, key.subject):
                self._remove(version.subject, version.version)

    def _apply_context(self, key: records.RecordKey, record: LogRecord) -> None:
        if key.context is None or key.context == DEFAULT_CONTEXT:
            return
        self._remember_spelling(records.context_key(key.context), record)
        if record.value is None:
            self.context_names.pop(key.context, None)
        else:
            self.context_names[key.context] = None

    def _apply_noop(self, key: records.RecordKey, record: LogRecord) -> None:
        if record.value is None:
            return
        for name, max_id in msgspec.json.decode(record.value, type=records.MaxIdsValue).max_ids.items():
            index = self._contexts.setdefault(name, ContextIndex())
            index.max_id = max(index.max_id, min(max_id, NUMBER_MAX))

    def _put(self, version: Version) -> None:
        index = self._contexts.setdefault(context_of(version.subject), ContextIndex())
        holder = index.first_holder(version.id, but=version.key)
        other = None if holder is None else self.version(*holder)
        if other is not None and other.content.text != version.content.text:
            raise ValueError(f"the id {version.id} stands for another schema already")
        self._remove(version.subject, version.version)
        self.subjects.setdefault(version.subject, {})[version.version] = version
        index.add(version)
        for target in _targets(version):
            self._referrers.setdefault(target, {})[version.key] = (version.id, version.deleted)

    def _remove(self, subject: str, number: int) -> None:
        versions = self.subjects.get(subject, {})
        version = versions.pop(number, None)
        if version is None:
            return
        if not versions:
            del self.subjects[subject]
        self._contexts[context_of(subject)].remove(version)
        for target in _targets(version):
            referrers = self._referrers.get(target, {})
            referrers.pop(version.key, None)
            if not referrers:
                self._referrers.pop(target, None)

    def _remember_spelling(self, canonical: bytes, record: LogRecord) -> None:
        assert record.key is not None, "checked by apply"
        if record.key != canonical and record.value is not None:
            self._spellings[canonical] = record.key
        elif record.value is None:
            self._spellings.pop(canonical, None)


def _schema_value(record: LogRecord) -> records.SchemaValue:
    """A schema with metadata or rules of a kind that is not known here is kept without them: if it were skipped, its id
    and its version would be given again."""
    assert record.value is not None, "no tombstone"
    try:
        return msgspec.json.decode(record.value, type=records.SchemaValue)
    except msgspec.ValidationError as error:
        bare = msgspec.json.decode(record.value, type=records.BareSchemaValue)
        _log.warning("schema read without its metadata and rules offset=%d reason=%s", record.offset, error)
        return records.SchemaValue(**msgspec.structs.asdict(bare))


def _targets(version: Version) -> list[VersionKey]:
    return [
        (qualify_with_parent(reference.subject, version.subject), reference.version)
        for reference in version.content.references
    ]


_HANDLERS: dict[str, Callable[[State, records.RecordKey, LogRecord], None]] = {
    "SCHEMA": State._apply_schema,
    "CONFIG": State._apply_config,
    "MODE": State._apply_mode,
    "DELETE_SUBJECT": State._apply_delete_subject,
    "CLEAR_SUBJECT": State._apply_clear_subject,
    "CONTEXT": State._apply_context,
    "NOOP": State._apply_noop,
}
