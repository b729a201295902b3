"""What is remembered stays within its bounds."""

from __future__ import annotations

import pytest

from riacho.schema_registry import parsing
from riacho.schema_registry.parsing import ParsedSchemas
from riacho.schema_registry.remembered import Remembered
from support.schema_registry import record_schema


def test_the_one_unused_for_longest_goes_first() -> None:
    kept: Remembered[str] = Remembered(2)
    for key in "ab":
        kept.get(key, key.upper)
    assert kept.find("a") == "A"
    kept.get("c", "c".upper)
    assert (len(kept), kept.find("b")) == (2, None)


def test_few_that_are_heavy_count_as_many() -> None:
    kept: Remembered[str] = Remembered(100, len, 10)
    for letter in "abc":
        kept.get(letter, lambda letter=letter: letter * 5)  # type: ignore[misc]
    assert [kept.find(letter) for letter in "abc"] == [None, "bbbbb", "ccccc"]
    kept.get("d", lambda: "d" * 50)
    assert (len(kept), kept.find("d")) == (1, "d" * 50)
    kept.clear()
    kept.get("e", lambda: "e" * 10)
    kept.get("f", str)
    assert len(kept) == 2


def test_large_schemas_are_not_kept_by_the_thousand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, "_CHARACTERS_MAX", 1_000)
    schemas = ParsedSchemas(1_000)
    large = [record_schema(*(f"field_{at}:int" for at in range(20)), name=f"R{number}") for number in range(5)]
    first = schemas.parse("AVRO", large[0])
    assert schemas.parse("AVRO", large[0]) is first
    for text in large[1:]:
        schemas.parse("AVRO", text)
    assert schemas.parse("AVRO", large[0]) is not first
