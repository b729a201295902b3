"""`riacho schema` beside a registry, in this process: a process each would take ten times as long."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from riacho.cli.main import cli
from riacho.testing import KafkaCluster

FIELDS = [{"name": "title", "type": "string"}, {"name": "pages", "type": "int"}]
BOOK = json.dumps({"type": "record", "name": "Book", "fields": FIELDS})
WIDER = json.dumps({"type": "record", "name": "Book", "fields": [*FIELDS, {"name": "x", "type": "int"}]})
Schema = Callable[..., Result]


@pytest.fixture
def schema(kafka_cluster: KafkaCluster) -> Schema:
    def run(*words: str, given: str | None = None) -> Result:
        env = {"RIACHO_SCHEMA_REGISTRY_URL": kafka_cluster.schema_registry_url, "NO_COLOR": "1"}
        return CliRunner().invoke(cli, ["schema", *words], input=given, env=env)

    return run


def said(result: Result) -> str:
    assert result.exit_code == 0, result.stderr
    return result.stdout


def refused(result: Result, code: int = 1) -> str:
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    return result.stderr


def test_a_subject_from_its_first_version_on(schema: Schema, tmp_path: Path) -> None:
    file = tmp_path / "book.avsc"
    file.write_text(BOOK)
    assert said(schema("register", "books-value", str(file))) == "books-value has it as version 1, with id 1.\n"
    assert said(schema("register", "books-value", str(file), "--normalize")).endswith("version 1, with id 1.\n")
    wider = ("--schema", WIDER, "--type", "avro")
    told = refused(schema("check", "books-value", *wider))
    assert "READER_FIELD_MISSING_DEFAULT_VALUE" in told
    assert told.endswith("Error: It may not follow what books-value has.\n")
    assert "409" in refused(schema("register", "books-value", *wider))
    assert said(schema("compatibility", "books-value", "none")) == "books-value: NONE\n"
    assert said(schema("check", "books-value", "-", "--type", "avro", given=WIDER)).startswith("It may be the next")
    assert "version 2" in said(schema("register", "books-value", *wider))
    assert said(schema("compatibility", "books-value", "--unset")) == "books-value: BACKWARD\n"
    assert "READER_FIELD" in refused(schema("check", "books-value", *wider, "--version", "1"))
    assert json.loads(said(schema("show", "books-value", "--version", "1", "-o", "raw")))["fields"] == FIELDS
    assert json.loads(said(schema("show", "books-value", "-o", "json")))["versions"] == [1, 2]


def test_references_lists_and_deleting(schema: Schema) -> None:
    for subject in ("books-value", "other"):
        said(schema("register", subject, "--schema", BOOK, "--type", "avro"))
    shelf = ("--schema", '{"type": "array", "items": "Book"}', "--type", "avro", "--reference", "Book=books-value:1")
    said(schema("register", "shelf-value", *shelf))
    assert "Book=books-value:1" in said(schema("show", "shelf-value"))
    listed = json.loads(said(schema("list", "-o", "json")))
    assert [each["subject"] for each in listed] == ["books-value", "other", "shelf-value"]
    assert [each["type"] for each in listed] == ["AVRO"] * 3
    assert said(schema("list", "--prefix", "shelf", "-o", "raw")).split("\t")[:2] == ["shelf-value", "1"]
    assert "books-value" in refused(schema("delete", "books-value", "--version", "1")), "it is referred to"
    assert said(schema("delete", "shelf-value", "--yes")) == "Deleted of shelf-value: 1.\n"
    assert said(schema("list", "--prefix", "shelf")) == ""
    assert "shelf-value" in said(schema("list", "--prefix", "shelf", "--deleted"))
    assert said(schema("delete", "shelf-value", "--permanent")) == "Deleted for good of shelf-value: 1.\n"
    assert said(schema("delete", "books-value", "--version", "latest")) == "Deleted of books-value: 1.\n"
    assert said(schema("compatibility", "--global", "full")) == "The registry: FULL\n"
    assert said(schema("compatibility")) == "The registry: FULL\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("register", "x", "order.txt"), "--type avro|json-schema|protobuf"),
        (("register", "x"), "Give a FILE"),
        (("register", "x", "a.avsc", "--schema", "{}"), "Give a FILE"),
        (("delete", "x", "--version", "../config"), "a number from 1 on"),
        (("show", "x", "--version", "-1"), "a number from 1 on"),
        (("register", "x", "--schema", "{}", "--type", "avro", "--reference", "a"), "NAME=SUBJECT:VERSION"),
        (("compatibility", "--unset"), "Say one of"),
        (("compatibility", "x", "--global", "FULL"), "Say one of"),
    ],
)
def test_what_cannot_be_meant(tmp_path: Path, words: tuple[str, ...], told: str) -> None:
    (tmp_path / "order.txt").write_text("?")
    placed = [str(tmp_path / each) if each == "order.txt" else each for each in words]
    result = CliRunner().invoke(cli, ["schema", *placed])
    assert result.exit_code == 2, result.output
    assert told in result.stderr


def test_what_cannot_be_had_is_one_sentence(schema: Schema, tmp_path: Path) -> None:
    assert "Subject 'none' not found" in refused(schema("show", "none"))
    assert "cannot be read" in refused(schema("register", "x", str(tmp_path / "gone.avsc")))
    (tmp_path / "bytes.avsc").write_bytes(b"\xff\xfe")
    assert "no text file" in refused(schema("register", "x", str(tmp_path / "bytes.avsc")))
    told = refused(schema("list", "--registry", "http://127.0.0.1:1"))
    assert "cannot be reached" in told
    assert told.count("\n") == 1
