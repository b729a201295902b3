"""`riacho produce` and `riacho consume` with Avro, JSON Schema and Protobuf, beside a registry."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from e2e.shell import Shell
from riacho.testing import KafkaCluster

FIELDS = [{"name": "title", "type": "string"}, {"name": "pages", "type": "int"}]
SCHEMAS = {
    "avro": ("book.avsc", json.dumps({"type": "record", "name": "Book", "fields": FIELDS})),
    "json-schema": (
        "book.json",
        '{"type": "object", "required": ["title"], "properties": {"title": {"type": "string"}, '
        '"pages": {"type": "integer"}}}',
    ),
    "protobuf": ("book.proto", 'syntax = "proto3";\nmessage Book { string title = 1; int32 pages = 2; }\n'),
}
BOOK = {"title": "Iracema", "pages": 120}


@pytest.fixture
def shell(kafka_cluster: KafkaCluster, tmp_path: Path) -> Shell:
    variables = {
        "KAFKA_BOOTSTRAP_SERVERS": kafka_cluster.bootstrap_servers,
        "RIACHO_SCHEMA_REGISTRY_URL": kafka_cluster.schema_registry_url,
    }
    return Shell(tmp_path, variables)


@pytest.mark.parametrize("kind", SCHEMAS)
def test_a_record_goes_by_its_schema_both_ways(
    shell: Shell, kafka_cluster: KafkaCluster, tmp_path: Path, kind: str
) -> None:
    name, text = SCHEMAS[kind]
    file = tmp_path / name
    file.write_text(text)
    shell.run("topic", "create", "books")
    shell.run("produce", "books", "--value-schema", str(file), json.dumps(BOOK))
    shell.run("produce", "books", "--value-format", kind, json.dumps(BOOK | {"pages": 7}))
    assert [record.value[:5] for record in kafka_cluster.consume("books") if record.value] == [b"\0\0\0\0\1"] * 2
    shown = shell.run("consume", "books", "--value-format", kind, "-o", "raw").splitlines()
    assert [json.loads(line) for line in shown] == [BOOK, BOOK | {"pages": 7}]
    found = shell.run("consume", "books", "--value-format", kind, "-o", "raw", "--grep", '"pages": ?7')
    assert json.loads(found)["pages"] == 7


def test_keys_have_schemas_too(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "key.avsc"
    file.write_text('"long"')
    shell.run("topic", "create", "books")
    shell.run("produce", "books", "--key", "42", "--key-schema", str(file), "plain text")
    assert shell.run("consume", "books", "--key-format", "avro", "-f", "%k=%v\\n") == "42=plain text\n"


def test_what_does_not_go_with_its_schema_is_told_with_its_line(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "book.avsc"
    file.write_text(SCHEMAS["avro"][1])
    shell.run("topic", "create", "books")
    lines = f'{json.dumps(BOOK)}\n{{"title": 7}}\n{json.dumps(BOOK)}\n'
    done = shell.try_("produce", "books", "--value-schema", str(file), given=lines)
    assert done.returncode == 1
    told = done.stderr.decode()
    assert told.startswith("Error: Line 2 is no record: ")
    assert told.endswith("Sent 1 record before that, and none after.\n")
    shell.run("produce", "books", "no schema at all")
    assert "books[0]@1 has no such schema" in shell.fail("consume", "books", "--value-format", "avro")


def test_what_cannot_be_had_is_one_sentence(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "book.txt"
    file.write_text("?")
    shell.run("topic", "create", "books")
    assert "--value-format avro|json-schema|protobuf" in shell.misuse(
        "produce", "books", "--value-schema", str(file), "x"
    )
    assert "The value's schema: " in shell.fail("produce", "books", "--value-format", "avro", "{}")
    nowhere = ("--registry", "http://127.0.0.1:1")
    assert "127.0.0.1:1" in shell.fail("produce", "books", "--value-format", "avro", *nowhere, "{}")
