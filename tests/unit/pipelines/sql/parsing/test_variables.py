"""Variables in statements."""

from __future__ import annotations

import pytest

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.parsing.variables import Variables, substituted

VARIABLES = {"format": "AVRO", "replicas": "3", "topicName": "'my_topic'", "nested": "${format}"}

CASES = [
    ("VALUE_FORMAT='${format}', REPLICAS=${replicas}", "VALUE_FORMAT='AVRO', REPLICAS=3"),
    ("${FORMAT} ${Format}", "AVRO AVRO"),
    ("KAFKA_TOPIC=${topicName}", "KAFKA_TOPIC='my_topic'"),
    ("SELECT $${format}, '$${format}'", "SELECT ${format}, '${format}'"),
    ("${unknown} '${unknown}'", "${unknown} '${unknown}'"),
    ("${} ${1a} $format {format} ${format", "${} ${1a} $format {format} ${format"),
    ("-- ${format}\n${format}", "-- ${format}\nAVRO"),
    ("/* ${format} */ ${format}", "/* ${format} */ AVRO"),
    ("'-- ${format}'", "'-- AVRO'"),
    ("`${format}`", "`AVRO`"),
    ("${nested}", "${format}"),
    ("no reference", "no reference"),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_values_in_place_of_references(text: str, expected: str) -> None:
    assert substituted(text, VARIABLES) == expected


def test_variables_are_known_in_any_case() -> None:
    variables = Variables({"topicName": "a"})
    variables.define("TOPICNAME", "b")
    assert dict(variables) == {"TOPICNAME": "b"}
    assert variables["topicname"] == "b"
    assert variables.undefine("topicName")
    assert not variables.undefine("topicName")
    assert len(variables) == 0


@pytest.mark.parametrize("name", ["", "1a", "a-b", "a b", "é", "${a}"])
def test_a_name_of_letters_digits_and_underscores(name: str) -> None:
    with pytest.raises(KsqlError, match="Illegal variable name"):
        Variables().define(name, "x")


def test_a_text_does_not_grow_without_bound() -> None:
    with pytest.raises(KsqlError, match="more than"):
        substituted("${a}" * 1_000, {"a": "x" * 10_000})
