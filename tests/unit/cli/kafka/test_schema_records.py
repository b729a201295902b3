"""What the console tools say where a schema cannot be read: one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from riacho.cli.kafka.launch import ToolError
from riacho.cli.kafka.schema_records import SchemaRecords

_NOBODY = {"schema.registry.url": "http://127.0.0.1:1"}


def test_a_schema_file_that_is_no_text(tmp_path: Path) -> None:
    file = tmp_path / "schema"
    file.write_bytes(b"\xff\xfe")
    records = SchemaRecords("Avro", {**_NOBODY, "value.schema.file": str(file)})
    with pytest.raises(ToolError, match="is not a text file"):
        records.encoder("t", is_key=False)


@pytest.mark.parametrize("references", ['[{"name":"a"}]', '[{"name":1,"subject":"s","version":1}]', "{}", "["])
def test_references_that_are_none(references: str) -> None:
    records = SchemaRecords("Avro", {**_NOBODY, "value.schema": '"string"', "value.refs": references})
    with pytest.raises(ToolError, match="is not a JSON list of references"):
        records.encoder("t", is_key=False)
