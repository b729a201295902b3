"""A script that defines variables and uses them."""

from __future__ import annotations

import pytest

from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.parsing.scripts import parse_with_variables
from riacho.pipelines.sql.parsing.variables import Variables

SCRIPT = """
DEFINE streamName = 's1';
DEFINE topic = '''t1''';
CREATE STREAM ${streamName} (a INT) WITH (kafka_topic=${topic}, value_format='${format}');
UNDEFINE topic;
SHOW VARIABLES;
"""


def test_each_statement_sees_what_was_defined_before_it() -> None:
    variables = Variables({"format": "JSON"})
    parsed = parse_with_variables(SCRIPT, variables)
    assert parsed[2].text == "CREATE STREAM s1 (a INT) WITH (kafka_topic='t1', value_format='JSON');"
    assert parsed[2].at == (4, 1)
    assert dict(variables) == {"format": "JSON", "streamName": "s1"}


def test_what_nobody_defined_is_said_by_name() -> None:
    with pytest.raises(KsqlError, match=r"The variable \$\{x\} is not defined"):
        parse_with_variables("CREATE STREAM ${x} (a INT);", Variables())


def test_a_value_does_not_make_two_statements_of_one() -> None:
    with pytest.raises(KsqlError, match="Only one statement"):
        parse_with_variables("SHOW ${x};", Variables({"x": "STREAMS; DROP STREAM s"}))
