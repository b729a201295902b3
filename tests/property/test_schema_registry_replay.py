"""The registry under any order of changes: replaying the log gives the live state, compacted or not.

A state machine registers, deletes, configures and changes modes in several contexts, and checks after every step that
no id ever stands for two schemas, none is given twice, none that was given moves, and live versions never come back
under another schema.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from riacho.base.decision import Decision
from riacho.schema_registry.configuring import ConfigUpdate, decide_config, decide_delete_config
from riacho.schema_registry.deleting import decide_delete_context, decide_delete_subject, decide_delete_version
from riacho.schema_registry.entities import Content, Mode, Version
from riacho.schema_registry.modes import decide_delete_mode, decide_mode
from riacho.schema_registry.naming import context_of
from riacho.schema_registry.records import NOOP_KEY
from riacho.schema_registry.registering import Registration, decide_register
from riacho.schema_registry.registry import Registry
from riacho.schema_registry.state import State
from riacho.schemas.parsed import Reference
from riacho.single_writer.record import Append, LogRecord
from riacho.web.errors import ApiError
from support.schema_registry import ListOffice, record_schema, replayed

SUBJECTS = ("a", "b", ":.x:a", ":.x:b", ":.y:a")
SCOPES = (None, ":.x:", ":.y:", ":.__GLOBAL:", *SUBJECTS)
TEXTS = ('"string"', '"int"', record_schema("f:int"), record_schema("f:int", "g:int=0"), record_schema("f:string"))
subjects = st.sampled_from(SUBJECTS)
scopes = st.sampled_from(SCOPES)
texts = st.sampled_from(TEXTS)


def _seen(state: State) -> object:
    """All that can be asked, in an order that does not depend on the way there.

    But for the time of a delete: compaction may leave only the last of several records that deleted a subject.
    """
    return (
        [replace(version, timestamp_ms=0) for version in _versions(state)],
        sorted((scope or "", config) for scope, config in state.configs.items()),
        sorted((scope or "", mode.value) for scope, mode in state.modes.items()),
        sorted(state.context_names),
        state.max_ids(),
        {key: state.referring_ids(*key, deleted=True) for key in _keys(state)},
        [state.index_of(version.subject).id_of(version.digest) for version in _versions(state)],
    )


def _keys(state: State) -> list[tuple[str, int]]:
    return sorted(version.key for version in state.all_versions())


def _versions(state: State) -> list[Version]:
    return sorted(state.all_versions(), key=lambda version: version.key)


def _compacted(log: list[LogRecord]) -> list[LogRecord]:
    """What is left when the cleaner has been over the whole log and its tombstones have expired."""
    last = {record.key: record for record in log}
    return [record for record in log if last[record.key] is record and record.value is not None]


class RegistryMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.registry = Registry()
        self.office = ListOffice(self.registry.state)
        self.given: dict[tuple[str, int], str] = {}

    def _decide(self, decide: Callable[[], Decision[Append, Any]]) -> None:
        refused = None
        try:
            self.office.decide(decide)
        except ApiError as error:
            refused = error
        assert refused is None or refused.error_code == 409 or 40000 < refused.error_code < 42300, refused.message

    @rule(subject=subjects, text=texts, normalize=st.booleans())
    def register(self, subject: str, text: str, normalize: bool) -> None:
        asked = Registration(subject, Content("AVRO", text), normalize=normalize)
        self._decide(lambda: decide_register(self.registry, asked))

    @rule(subject=subjects, target_subject=st.sampled_from(("a", "b")), number=st.integers(-1, 3))
    def register_with_reference(self, subject: str, target_subject: str, number: int) -> None:
        text = '{"type":"record","name":"User","fields":[{"name":"used","type":"R"}]}'
        content = Content("AVRO", text, (Reference("R", target_subject, number),))
        self._decide(lambda: decide_register(self.registry, Registration(subject, content)))

    @rule(subject=subjects, text=texts, schema_id=st.integers(0, 9), version=st.integers(0, 6))
    def register_by_id(self, subject: str, text: str, schema_id: int, version: int) -> None:
        asked = Registration(subject, Content("AVRO", text), id=schema_id, version=version)
        self._decide(lambda: decide_register(self.registry, asked))

    @rule(subject=subjects, version=st.sampled_from(("1", "2", "3", "latest")), permanent=st.booleans())
    def delete_version(self, subject: str, version: str, permanent: bool) -> None:
        self._decide(lambda: decide_delete_version(self.registry, subject, version, permanent=permanent))

    @rule(subject=subjects, permanent=st.booleans())
    def delete_subject(self, subject: str, permanent: bool) -> None:
        self._decide(lambda: decide_delete_subject(self.registry, subject, permanent=permanent))

    @rule(context=st.sampled_from((":.x:", ":.y:")))
    def delete_context(self, context: str) -> None:
        self._decide(lambda: decide_delete_context(self.registry, context))

    @rule(scope=scopes, level=st.sampled_from(("NONE", "BACKWARD", "FULL_TRANSITIVE", None)))
    def configure(self, scope: str | None, level: str | None) -> None:
        self._decide(lambda: decide_config(self.registry, scope, ConfigUpdate(compatibility=level)))

    @rule(scope=scopes)
    def delete_config(self, scope: str | None) -> None:
        self._decide(lambda: decide_delete_config(self.registry, scope))

    @rule(
        scope=scopes,
        mode=st.sampled_from((Mode.READWRITE, Mode.READWRITE, Mode.READONLY, Mode.IMPORT)),
        force=st.booleans(),
    )
    def change_mode(self, scope: str | None, mode: Mode, force: bool) -> None:
        self._decide(lambda: decide_mode(self.registry, scope, mode, force=force))

    @rule(scope=scopes, recursive=st.booleans())
    def delete_mode(self, scope: str | None, recursive: bool) -> None:
        self._decide(lambda: decide_delete_mode(self.registry, scope, recursive=recursive))

    @rule()
    def restart_on_a_compacted_log(self) -> None:
        """Also what a new leader writes first."""
        self.office.log = [*_compacted(self.office.log), LogRecord(NOOP_KEY, None, len(self.office.log), 0)]
        state = replayed(self.office.log)
        assert _seen(state) == _seen(self.registry.state)
        self.registry = Registry(state)
        self.office.state = state

    @invariant()
    def replay_gives_the_live_state(self) -> None:
        assert _seen(replayed(self.office.log)) == _seen(self.registry.state)

    @invariant()
    def an_id_stands_for_one_schema_for_ever(self) -> None:
        for version in self.registry.state.all_versions():
            key = (context_of(version.subject), version.id)
            assert self.given.setdefault(key, version.content.text) == version.content.text

    @invariant()
    def what_is_referred_to_is_there(self) -> None:
        state = self.registry.state
        for version in state.all_versions():
            if not version.deleted:
                for reference in version.content.references:
                    targets = [key for key in _keys(state) if version.id in state.referring_ids(*key)]
                    assert any(number == reference.version for _, number in targets)


RegistryMachine.TestCase.settings = settings(max_examples=100, stateful_step_count=40, deadline=None, derandomize=True)
TestRegistry = RegistryMachine.TestCase
