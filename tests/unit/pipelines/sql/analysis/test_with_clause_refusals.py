"""WITH clauses that are refused."""

from __future__ import annotations

import pytest

from riacho.pipelines.sql.errors import KsqlError
from support.sql_statements import carry_out, known_sources

KNOWN = known_sources()

# A statement, and a part of the sentence it is refused with. `{json}` is a topic and the format.
REFUSED = [
    (
        "CREATE STREAM X (A INT) WITH ({topic})",
        "Statement is missing the 'VALUE_FORMAT' property from the WITH clause. Either provide one or set a",
    ),
    (
        "CREATE STREAM X (A INT) WITH (VALUE_FORMAT='JSON')",
        'Missing required property "KAFKA_TOPIC" which has no default value.',
    ),
    ("CREATE STREAM X (A INT, B INT) WITH ({json}, FOO='x')", "Invalid config variable(s) in the WITH clause: FOO"),
    (
        "CREATE STREAM X (A INT, B INT) WITH ({json}, TIMESTAMP='C')",
        "The TIMESTAMP column set in the WITH clause does not exist in the schema: 'C'",
    ),
    (
        "CREATE STREAM X (A INT, B INT) WITH ({json}, TIMESTAMP='A')",
        "Timestamp column, `A`, should be LONG(INT64), TIMESTAMP, or a String with a timestamp_format",
    ),
    ("CREATE STREAM X (A INT) WITH ({topic}, VALUE_FORMAT='FOO')", "Unknown format: FOO"),
    (
        "CREATE STREAM X (A INT, B INT) WITH ({json}, WRAP_SINGLE_VALUE=false)",
        "'WRAP_SINGLE_VALUE' is only valid for single-field value schemas",
    ),
    (
        "CREATE STREAM X (A INT) WITH ({topic}, VALUE_FORMAT='DELIMITED', WRAP_SINGLE_VALUE=true)",
        "Format 'DELIMITED' does not support 'WRAP_SINGLE_VALUE' set to 'true'.",
    ),
    ("CREATE STREAM X (A INT) WITH (KAFKA_TOPIC='', VALUE_FORMAT='JSON')", "KAFKA_TOPIC property cannot be empty."),
    (
        "CREATE STREAM X (A INT) WITH ({json}, PARTITIONS='x')",
        "Invalid value x for configuration PARTITIONS: Not a number of type INT",
    ),
    (
        "CREATE STREAM X (A INT) WITH ({json}, PARTITIONS=0)",
        "Invalid value 0 for configuration PARTITIONS: a topic has 1 to 100000.",
    ),
    (
        "CREATE STREAM X (A INT) WITH ({json}, WRAP_SINGLE_VALUE='maybe')",
        "Invalid value maybe for configuration WRAP_SINGLE_VALUE: Expected value to be either true or false",
    ),
    (
        "CREATE STREAM X (A INT) WITH ({json}, FORMAT='JSON')",
        "Cannot supply both 'VALUE_FORMAT' and 'FORMAT' properties, as 'FORMAT' sets both key and value",
    ),
    (
        "CREATE STREAM X (A INT) WITH ({topic}, KEY_FORMAT='JSON', FORMAT='JSON')",
        "Cannot supply both 'KEY_FORMAT' and 'FORMAT' properties, as 'FORMAT' sets both key and value",
    ),
    (
        "CREATE STREAM X (A INT) WITH ({json}, WINDOW_TYPE='ROUND')",
        "Invalid value ROUND for configuration WINDOW_TYPE: String must be one of: SESSION, HOPPING,",
    ),
    (
        "CREATE STREAM X (A INT) WITH ({json}, WINDOW_TYPE='TUMBLING')",
        "TUMBLING windows require 'WINDOW_SIZE' to be provided in the WITH clause. For example:",
    ),
    (
        "CREATE STREAM X (A INT) WITH ({json}, WINDOW_TYPE='SESSION', WINDOW_SIZE='1 HOUR')",
        "'WINDOW_SIZE' should not be set for SESSION windows.",
    ),
    (
        "CREATE STREAM X (K INT KEY, A INT) WITH ({json}, WINDOW_TYPE='TUMBLING', WINDOW_SIZE='1 BLINK')",
        "Error configuring WINDOW_SIZE: Invalid duration: '1 BLINK'. A duration is a number and a unit, such",
    ),
    (
        "CREATE STREAM X (A INT) WITH ({json}, VALUE_DELIMITER=',')",
        "JSON does not support the following configs: [delimiter]",
    ),
    (
        "CREATE STREAM X (A INT) WITH ({topic}, VALUE_FORMAT='DELIMITED', VALUE_DELIMITER='foo')",
        "Invalid delimiter value: 'foo'. Delimiter must be a single character or TAB,SPACE",
    ),
    (
        "CREATE STREAM X (A INT) WITH ({topic}, VALUE_FORMAT='DELIMITED', VALUE_DELIMITER='')",
        "Delimiter cannot be empty, if you meant to have a tab or space for delimiter, please use the",
    ),
    (
        "CREATE STREAM X (A INT) WITH ({json}, VALUE_SCHEMA_FULL_NAME='x.y')",
        "JSON does not support the following configs: [fullSchemaName]",
    ),
    (
        "CREATE STREAM X (A INT) WITH ({topic}, VALUE_FORMAT='AVRO', VALUE_SCHEMA_FULL_NAME=' ')",
        "fullSchemaName cannot be empty. Format configuration: {fullSchemaName=}",
    ),
    (
        "CREATE STREAM X (A INT) WITH ({topic}, VALUE_FORMAT='AVRO', VALUE_SCHEMA_ID=3)",
        "Table elements and VALUE_SCHEMA_ID cannot both exist for create statement.",
    ),
    (
        "CREATE STREAM X (A INT) WITH ({json}, VALUE_SCHEMA_ID=3)",
        "VALUE_FORMAT should support schema inference when VALUE_SCHEMA_ID is provided. Current format is JSON.",
    ),
    (
        "CREATE STREAM X (A INT) WITH ({topic}, VALUE_FORMAT='PROTOBUF', VALUE_PROTOBUF_NULLABLE_REPRESENTATION='foo')",
        "Invalid value foo for configuration VALUE_PROTOBUF_NULLABLE_REPRESENTATION: String must be one of:",
    ),
    (
        "CREATE STREAM X (A STRING) WITH ({json}, TIMESTAMP='A')",
        "A String timestamp field has been specified without also specifying the timestamp_format",
    ),
    (
        "CREATE STREAM X (A BIGINT) WITH ({json}, TIMESTAMP='A', TIMESTAMP_FORMAT='yyyy')",
        "'TIMESTAMP_FORMAT' set in the WITH clause can only be used when the timestamp column is of type",
    ),
    (
        "CREATE STREAM X (A INT) WITH ({topic}, VALUE_FORMAT='KAFKA', WRAP_SINGLE_VALUE=true)",
        "Format 'KAFKA' does not support 'WRAP_SINGLE_VALUE' set to 'true'.",
    ),
    (
        "CREATE STREAM X (A INT) WITH ({json}, KEY_DELIMITER=';')",
        "KAFKA does not support the following configs: [delimiter]",
    ),
    (
        "CREATE STREAM X (A INT) WITH ({json}, KEY_SCHEMA_FULL_NAME='a.b')",
        "KAFKA does not support the following configs: [fullSchemaName]",
    ),
    (
        "CREATE STREAM X (A INT) WITH ({topic}, VALUE_FORMAT='AVRO', VALUE_PROTOBUF_NULLABLE_REPRESENTATION='WRAPPER')",
        "AVRO does not support the following configs: [nullableRepresentation]",
    ),
    (
        "CREATE STREAM X (A INT) WITH ({json}, REPLICAS='many')",
        "Invalid value many for configuration REPLICAS: Not a number of type SHORT",
    ),
    (
        "CREATE STREAM X (A INT) WITH ({json}, RETENTION_MS='long')",
        "Invalid value long for configuration RETENTION_MS: Not a number of type LONG",
    ),
    (
        "CREATE STREAM X (A INT) WITH ({json}, CLEANUP_POLICY='burn')",
        "Invalid value burn for configuration CLEANUP_POLICY: it is one of 'compact', 'delete' and",
    ),
    ("CREATE STREAM X (A INT) WITH ({json}, KEY='A')", "Invalid config variable(s) in the WITH clause: KEY"),
    ("CREATE STREAM X (A INT) WITH ({json}, KEY_FORMAT='XML')", "Unknown format: XML"),
    (
        "CREATE STREAM X (A INT) WITH ({json}, WINDOW_SIZE='1 HOUR')",
        "'WINDOW_SIZE' is only valid together with 'WINDOW_TYPE'.",
    ),
    (
        "CREATE STREAM X (K INT KEY, A INT) WITH ({json}, WINDOW_TYPE='HOPPING')",
        "HOPPING windows require 'WINDOW_SIZE' to be provided in the WITH clause. For example:",
    ),
    (
        "CREATE STREAM X (K INT KEY, A INT) WITH ({json}, WINDOW_TYPE='HOPPING', WINDOW_SIZE='0 SECONDS')",
        "Error configuring WINDOW_SIZE: the size of a window is at least one millisecond.",
    ),
    ("CREATE STREAM X (A INT) WITH ({json}, WINDOW_TYPE='SESSION')", "Windowed sources require a key column."),
]


@pytest.mark.parametrize(("statement", "sentence"), REFUSED)
def test_refusals(statement: str, sentence: str) -> None:
    with pytest.raises(KsqlError) as refused:
        carry_out(statement.format(json="KAFKA_TOPIC='s', VALUE_FORMAT='JSON'", topic="KAFKA_TOPIC='s'") + ";", KNOWN)
    assert sentence in refused.value.message
    assert refused.value.statement
