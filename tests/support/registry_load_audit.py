"""The judgement of a load of registrations: by the log itself, read as anybody may read it, and by what is served.

No id has two contents and no content two ids, versions are 1, 2, 3, ... and each is written once, new ids only grow,
everything acknowledged is there, and every instance serves what the log has.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any, NamedTuple

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, TopicPartition

from support.cluster_faults_writers import SILENT
from support.cluster_view import settled
from support.registry_load import Notes, call

PATIENCE_S = 120.0
_PAGE = 1_000


class Entry(NamedTuple):
    subject: str
    version: int
    id: int
    schema: str


def read_log(bootstrap: str, topic: str = "_schemas") -> list[Entry]:
    """Committed versions in the order of the log. Nobody deletes here, so a key without a value is a fault."""
    settings = {"bootstrap.servers": bootstrap, "group.id": "audit", "enable.auto.commit": False}
    reader = Consumer(settings | {"isolation.level": "read_committed", "enable.partition.eof": True}, logger=SILENT)
    raw = Consumer(settings | {"isolation.level": "read_uncommitted"}, logger=SILENT)
    place = TopicPartition(topic, 0)
    try:
        # A transaction that a killed leader left open hides what comes after it, until it is ended.
        settled(
            lambda: (reader.get_watermark_offsets(place, 10), raw.get_watermark_offsets(place, 10)),
            lambda both: both[0] is not None and both[0] == both[1],
            PATIENCE_S,
        )
        reader.assign([TopicPartition(topic, 0, OFFSET_BEGINNING)])
        found: list[Entry] = []
        while True:
            message = reader.poll(PATIENCE_S)
            assert message is not None, "the log cannot be read"
            error = message.error()
            if error is None:
                found += _entries(message.key(), message.value())
            elif error.code() == KafkaError._PARTITION_EOF:
                return found
    finally:
        reader.close()
        raw.close()


def _entries(key: bytes, value: bytes | None) -> list[Entry]:
    named: dict[str, Any] = json.loads(key)
    if named["keytype"] != "SCHEMA":
        return []
    assert value is not None, f"{named} was deleted"
    held: dict[str, Any] = json.loads(value)
    assert (held["subject"], held["version"]) == (named["subject"], named["version"]), (named, held)
    assert not held.get("deleted"), held
    return [Entry(held["subject"], held["version"], held["id"], held["schema"])]


def served(url: str) -> list[Entry]:
    """All that an instance shows, by subject and version."""
    found: list[Entry] = []
    while True:
        status, page = call(url, "GET", f"/schemas?offset={len(found)}&limit={_PAGE}")
        if status != 200:
            raise OSError(f"{url} answered {status}: {page}")
        found += [Entry(each["subject"], each["version"], each["id"], each["schema"]) for each in page]
        if len(page) < _PAGE:
            return sorted(found)


def check_log(log: list[Entry]) -> None:
    ids_of: dict[str, set[int]] = defaultdict(set)
    contents_of: dict[int, set[str]] = defaultdict(set)
    versions_of: dict[str, list[int]] = defaultdict(list)
    contents_in: dict[str, list[str]] = defaultdict(list)
    highest = 0
    for entry in log:
        assert entry.id in contents_of or entry.id > highest, f"{entry} has an id below {highest}"
        highest = max(highest, entry.id)
        ids_of[entry.schema].add(entry.id)
        contents_of[entry.id].add(entry.schema)
        versions_of[entry.subject].append(entry.version)
        contents_in[entry.subject].append(entry.schema)
    for schema, ids in ids_of.items():
        assert len(ids) == 1, f"{schema} has the ids {ids}"
    for schema_id, contents in contents_of.items():
        assert len(contents) == 1, f"id {schema_id} stands for {contents}"
    for subject, versions in versions_of.items():
        assert versions == list(range(1, len(versions) + 1)), f"{subject} has the versions {versions}"
        assert len(set(contents_in[subject])) == len(versions), f"{subject} has a content twice"


def check_notes(log: list[Entry], notes: Notes) -> None:
    """Contents as they were sent: the registry keeps the text of an Avro schema in its canonical spelling."""
    assert not notes.wrong, notes.wrong[:5]
    by_content = {(entry.subject, _read(entry.schema)): entry for entry in log}
    for subject, text, schema_id in notes.registered:
        entry = by_content.get((subject, _read(text)))
        assert entry is not None, f"{subject} {text} was acknowledged and is not in the log"
        assert entry.id == schema_id, f"{subject} {text} was acknowledged as {schema_id}: {entry}"
    by_version = {(entry.subject, entry.version): entry.id for entry in log}
    for subject, version, schema_id in notes.looked_up:
        found = by_version.get((subject, version))
        assert found == schema_id, f"{subject} version {version} was shown as id {schema_id}, the log has {found}"


def _read(text: str) -> str:
    return json.dumps(json.loads(text), sort_keys=True)


def check_served(log: list[Entry], urls: list[str]) -> None:
    """Each instance shows what the log has, once it has read it."""
    for url in urls:
        settled(lambda url=url: served(url), lambda shown: shown == sorted(log), PATIENCE_S)  # type: ignore[misc]
