"""The state from its log: what it takes, and what it skips."""

from __future__ import annotations

import logging

import pytest

from riacho.schema_registry.entities import CompatibilityLevel, Mode
from riacho.schema_registry.state import State
from riacho.single_writer.record import LogRecord


def _apply(state: State, key: bytes | None, value: bytes | None, offset: int = 0) -> None:
    state.apply(LogRecord(key, value, offset, 1_000 + offset))


def _schema(
    state: State, subject: str, version: int, schema_id: int, text: str = "string", deleted: bool = False
) -> None:
    key = f'{{"keytype":"SCHEMA","subject":"{subject}","version":{version},"magic":1}}'
    flag = "true" if deleted else "false"
    value = f'{{"subject":"{subject}","version":{version},"id":{schema_id},"schema":"\\"{text}\\"","deleted":{flag}}}'
    _apply(state, key.encode(), value.encode())


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (None, b"x"),
        (b"not json", b"{}"),
        (b"[1]", b"{}"),
        (b"\xff\xfe", None),
        (b'{"keytype":5}', None),
        (b'{"keytype":"SCHEMA","magic":1}', b"{}"),
        (b'{"keytype":"SCHEMA","subject":"s","version":0,"magic":1}', b"{}"),
        (b'{"keytype":"SCHEMA","subject":"s","version":99999999999,"magic":1}', b"{}"),
        (b'{"keytype":"SCHEMA","subject":"s","version":1,"magic":1}', b"nonsense"),
        (b'{"keytype":"SCHEMA","subject":"s","version":1,"magic":1}', b'{"subject":"s"}'),
        (
            b'{"keytype":"SCHEMA","subject":"s","version":1,"magic":1}',
            b'{"subject":"s","version":1,"id":-4,"schema":"x","deleted":false}',
        ),
        (b'{"keytype":"CONFIG","subject":"s","magic":0}', b'{"compatibilityLevel":"SIDEWAYS"}'),
        (b'{"keytype":"MODE","subject":"s","magic":0}', b'{"mode":"SIDEWAYS"}'),
        (b'{"keytype":"MODE","subject":"s","magic":0}', b"[" * 5_000),
    ],
)
def test_garbage_is_skipped_with_a_line(key: bytes | None, value: bytes, caplog: pytest.LogCaptureFixture) -> None:
    state = State()
    _schema(state, "kept", 1, 1)
    with caplog.at_level(logging.WARNING, "riacho.schema_registry"):
        _apply(state, key, value, 7)
    assert "offset=7" in caplog.text
    assert list(state.subjects) == ["kept"]
    assert not state.configs
    assert not state.modes


@pytest.mark.parametrize("kind", ["ASSOC", "EXPORTER", "DEK"])
def test_records_of_other_kinds_are_skipped(kind: str) -> None:
    state = State()
    _apply(state, f'{{"keytype":"{kind}","magic":0}}'.encode(), b"{}")
    _apply(state, b'{"keytype":"NOOP","magic":0}', None)
    assert not state.subjects


def test_an_id_stands_for_one_schema() -> None:
    state = State()
    _schema(state, "a", 1, 5, "string")
    _schema(state, "b", 1, 5, "int")
    _schema(state, "c", 1, 5, "string")
    assert sorted(state.subjects) == ["a", "c"]


def test_the_same_id_may_mean_another_schema_in_another_context() -> None:
    state = State()
    _schema(state, "a", 1, 1, "string")
    _schema(state, ":.ctx:a", 1, 1, "int")
    assert sorted(state.subjects) == [":.ctx:a", "a"]
    assert state.context(".").max_id == state.context(".ctx").max_id == 1


def test_delete_subject_hides_versions_up_to_its_own() -> None:
    state = State()
    for version in (1, 2, 3):
        _schema(state, "s", version, version, f"fixed{version}")
    _apply(state, b'{"keytype":"DELETE_SUBJECT","subject":"s","magic":0}', b'{"subject":"s","version":2}')
    assert [version.deleted for version in state.versions("s")] == [True, True, False]


def test_clear_subject_removes_what_is_hidden_in_its_scope() -> None:
    state = State()
    _schema(state, "s", 1, 1, "string", deleted=True)
    _schema(state, ":.ctx:s", 1, 1, "string", deleted=True)
    _schema(state, "t", 1, 2, "int")
    _apply(state, b'{"keytype":"CLEAR_SUBJECT","subject":":.ctx:","magic":0}', b'{"subject":":.ctx:"}')
    assert sorted(state.subjects) == ["s", "t"]
    _apply(state, b'{"keytype":"CLEAR_SUBJECT","magic":0}', b"{}")
    assert sorted(state.subjects) == ["t"]


def test_a_tombstone_frees_the_digest_but_not_the_id() -> None:
    state = State()
    _schema(state, "s", 1, 1)
    digest = state.versions("s")[0].digest
    _apply(state, b'{"keytype":"SCHEMA","subject":"s","version":1,"magic":1}', None)
    assert not state.subjects
    assert state.context(".").id_of(digest) is None
    assert state.context(".").max_id == 1


def test_a_schema_with_rules_of_an_unknown_kind_keeps_its_id_and_version() -> None:
    """Of a newer registry: were it skipped, both would be given again."""
    state = State()
    key = b'{"keytype":"SCHEMA","subject":"s","version":3,"magic":1}'
    rules = b'"ruleSet":{"domainRules":[{"name":"r","kind":"DIVINATION","type":"X"}]}'
    _apply(state, key, b'{"subject":"s","version":3,"id":7,' + rules + b',"schema":"\\"int\\"","deleted":true}')
    (version,) = state.versions("s")
    assert (version.version, version.id, version.content.text, version.deleted) == (3, 7, '"int"', True)
    assert version.content.rule_set is None
    assert state.context(".").max_id == 7


def test_settings_come_and_go() -> None:
    state = State()
    _apply(state, b'{"keytype":"CONFIG","subject":"s","magic":0}', b'{"subject":"s","compatibilityLevel":"FULL"}')
    _apply(state, b'{"keytype":"MODE","magic":0}', b'{"mode":"READONLY"}')
    assert state.configs["s"].compatibility_level is CompatibilityLevel.FULL
    assert state.modes == {None: Mode.READONLY}
    _apply(state, b'{"keytype":"CONFIG","subject":"s","magic":0}', None)
    _apply(state, b'{"keytype":"MODE","magic":0}', None)
    assert not state.configs
    assert not state.modes


def test_keys_that_another_registry_spelled_differently_are_remembered() -> None:
    state = State()
    older = b'{"magic":0,"keytype":"CONFIG","subject":null}'
    _apply(state, older, b'{"compatibilityLevel":"NONE"}')
    assert state.key_as_written(b'{"keytype":"CONFIG","magic":0}') == older
    _apply(state, older, None)
    assert state.key_as_written(b'{"keytype":"CONFIG","magic":0}') != older


def test_highest_ids_outlive_what_had_them() -> None:
    state = State()
    _apply(state, b'{"keytype":"NOOP","magic":1}', b'{"maxIds":{".":7,".ctx":2}}')
    assert state.max_ids() == {".": 7, ".ctx": 2}


def test_clear_forgets_everything() -> None:
    state = State()
    _schema(state, ":.ctx:s", 1, 1)
    _apply(state, b'{"keytype":"CONTEXT","tenant":"default","context":".ctx","magic":0}', b"{}")
    state.clear()
    assert not state.subjects
    assert not state.context_names
    assert state.context(".ctx").max_id == 0
