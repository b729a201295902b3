"""Conversations with a schema registry, led by hand: what is asked, and what is not asked again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeVar

import pytest

from riacho.schemas.formats import parse
from riacho.schemas.parsed import Reference, SchemaError, SchemaSource
from riacho.schemas.registry_conversations import Conversation, RegistryCall, RegistryConversations

T = TypeVar("T")

INNER = {"schema": '{"type":"record","name":"Inner","fields":[]}'}
OUTER = {
    "schema": '{"type":"record","name":"Outer","fields":[{"name":"i","type":"Inner"}]}',
    "references": [{"name": "Inner", "subject": "a/b", "version": 3}],
}
INT = {"id": 7, "version": 2, "schema": '"int"'}


def lead(conversation: Conversation[T], answers: Mapping[str, Any]) -> tuple[T, list[RegistryCall]]:
    """What it returns, and what it asked, by answers of `METHOD path`."""
    calls: list[RegistryCall] = []
    answer: Any = None
    while True:
        try:
            calls.append(conversation.send(answer))
        except StopIteration as end:
            return end.value, calls
        answer = answers[f"{calls[-1].method} {calls[-1].path}"]


@pytest.fixture
def conversations() -> RegistryConversations:
    return RegistryConversations(latest_kept_ms=1_000)


def test_a_schema_is_asked_for_once(conversations: RegistryConversations) -> None:
    first, calls = lead(conversations.by_id(7), {"GET /schemas/ids/7": INT})
    assert (first.text, calls) == ('"int"', [RegistryCall("GET", "/schemas/ids/7")])
    assert lead(conversations.by_id(7), {}) == (first, [])


def test_what_a_schema_refers_to_is_asked_for(conversations: RegistryConversations) -> None:
    answers = {"GET /schemas/ids/1": OUTER, "GET /subjects/a%2Fb/versions/3?deleted=true": INNER}
    found, calls = lead(conversations.by_id(1), answers)
    assert (found.resolved, len(calls)) == ({"Inner": INNER["schema"]}, 2)


def test_references_without_end_are_refused(conversations: RegistryConversations) -> None:
    many = [{"name": f"N{n}", "subject": "s", "version": 1} for n in range(1_001)]
    endless = {"schema": '"int"', "references": many}
    with pytest.raises(SchemaError, match="refers to more than 1000 others"):
        lead(conversations.parsed(endless), {"GET /subjects/s/versions/1?deleted=true": {"schema": '"int"'}})


def test_the_latest_version_is_asked_for_again_after_a_moment(conversations: RegistryConversations) -> None:
    answers = {"GET /subjects/s/versions/latest": INT}
    found, calls = lead(conversations.latest("s", now_ms=0), answers)
    assert (found.id, found.version, found.prefix, len(calls)) == (7, 2, b"\0\0\0\0\x07", 1)
    assert lead(conversations.latest("s", now_ms=999), answers)[1] == []
    assert len(lead(conversations.latest("s", now_ms=1_000), answers)[1]) == 1
    assert lead(conversations.by_id(7), {}) == (found.parsed, [])


def test_a_version_never_changes(conversations: RegistryConversations) -> None:
    answers = {"GET /subjects/s/versions/2": INT, "POST /subjects/s": INT}
    found, _ = lead(conversations.by_version("s", 2), answers)
    assert lead(conversations.by_version("s", 2), {}) == (found, [])
    assert lead(conversations.version_of("s", 7), answers)[0] == 2
    assert lead(conversations.version_of("s", 7), {}) == (2, [])


def test_what_is_not_there_is_registered_where_it_may_be(conversations: RegistryConversations) -> None:
    parsed = parse("AVRO", SchemaSource('"int"'))
    asking = conversations.looked_up("s", parsed, may_register=True)
    lookup = asking.send(None)
    assert (lookup.path, lookup.may_be_absent) == ("/subjects/s", True)
    assert asking.send(None).path == "/subjects/s/versions"
    again = asking.send({"id": 7})
    assert (again.path, again.may_be_absent) == ("/subjects/s", False)
    with pytest.raises(StopIteration) as end:
        asking.send(INT)
    assert (end.value.value.id, end.value.value.version) == (7, 2)
    assert not conversations.looked_up("t", parsed, may_register=False).send(None).may_be_absent


def test_schemas_of_one_text_with_other_references_are_others(conversations: RegistryConversations) -> None:
    answers = {"POST /subjects/s/versions?normalize=true": {"id": 1}, "GET /schemas/ids/1": {"schema": '"int"'}}
    for version, count in ((1, 2), (2, 1), (2, 0)):
        reference = Reference("N", "n", version)
        _, calls = lead(
            conversations.registered("s", "AVRO", '"int"', register=True, normalize=True, references=[reference]),
            answers,
        )
        assert len(calls) == count
        if calls:
            body = json.loads(calls[0].body or b"")
            assert body["references"] == [{"name": "N", "subject": "n", "version": version}]


def test_a_guid_is_looked_up_in_the_default_context(conversations: RegistryConversations) -> None:
    answers = {"GET /schemas/guids/g/ids": [{"context": ".other", "id": 1}, {"context": ".", "id": 2}]}
    assert lead(conversations.id_of("g"), answers)[0] == 2
    assert lead(conversations.id_of("g"), {}) == (2, [])
    assert lead(conversations.id_of("h"), {"GET /schemas/guids/h/ids": [{"context": ".other", "id": 1}]})[0] is None
