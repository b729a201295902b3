"""Statements at a server: what is sent, what is shown, and how the program ends."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from riacho.cli.ksql.main import command
from support.ksql_fake_server import FakeKsql

STREAMS = {
    "@type": "streams",
    "statementText": "SHOW STREAMS;",
    "streams": [
        {"type": "STREAM", "name": "B", "topic": "b", "keyFormat": "KAFKA", "valueFormat": "JSON", "isWindowed": False},
        {"type": "STREAM", "name": "A", "topic": "a", "keyFormat": "KAFKA", "valueFormat": "AVRO", "isWindowed": True},
    ],
    "warnings": [{"message": "be careful"}],
}
SHOWN = """\
WARNING: be careful
 Stream Name | Kafka Topic | Key Format | Value Format | Windowed 
------------------------------------------------------------------
 A           | a           | KAFKA      | AVRO         | true     
 B           | b           | KAFKA      | JSON         | false    
------------------------------------------------------------------
"""
CREATE = "CREATE STREAM s (a INT) WITH (kafka_topic='t', value_format='JSON');"


def created(status: str, number: int = 3) -> dict[str, Any]:
    return {
        "@type": "currentStatus",
        "statementText": CREATE,
        "commandId": "stream/`S`/create",
        "commandStatus": {"status": status, "message": "Stream created"},
        "commandSequenceNumber": number,
        "warnings": [],
    }


def test_a_list_is_a_table(server: FakeKsql, ksql: Any) -> None:
    server.answers["SHOW STREAMS;"] = [STREAMS]
    result = ksql("-e", "SHOW STREAMS;")
    assert (result.output, result.exit_code) == (SHOWN, 0)
    assert server.requests[0].body == {"ksql": "SHOW STREAMS;", "streamsProperties": {}}


def test_a_list_is_json_where_that_is_asked_for(server: FakeKsql, ksql: Any) -> None:
    server.answers["SHOW STREAMS;"] = [STREAMS]
    assert json.loads(ksql("--output", "json", "-e", "SHOW STREAMS;").output) == [STREAMS]
    result = ksql("-e", "OUTPUT JSON; SHOW STREAMS;")
    assert result.output.startswith("Output format set to JSON\n[")


def test_a_missing_semicolon_is_given(server: FakeKsql, ksql: Any) -> None:
    assert ksql("-e", "show streams").exit_code == 0
    assert server.statement_bodies() == ["show streams;"]


def test_what_is_not_known_is_json(server: FakeKsql, ksql: Any) -> None:
    server.answers["SHOW STREAMS;"] = [{"@type": "brand_new", "statementText": "x", "what": [1]}]
    assert json.loads(ksql("-e", "SHOW STREAMS;").output) == {"@type": "brand_new", "what": [1]}


def test_a_command_is_waited_for(server: FakeKsql, ksql: Any) -> None:
    server.answers[CREATE] = [created("QUEUED")]
    server.statuses = [
        {"status": "EXECUTING", "message": "Executing statement"},
        {"status": "SUCCESS", "message": "Stream S created"},
    ]
    result = ksql("-e", CREATE)
    assert " Message          \n" in result.output
    assert " Stream S created \n" in result.output
    assert [each.path for each in server.requests[1:]] == ["/status/stream/%60S%60/create"] * 2


def test_a_command_that_failed_is_told_and_ends_it(server: FakeKsql, ksql: Any) -> None:
    server.answers[CREATE] = [created("QUEUED")]
    server.statuses = [{"status": "ERROR", "message": "No topic for you"}]
    result = ksql("-e", CREATE, "-e", "SHOW STREAMS;")
    assert result.exit_code == 1
    assert result.stderr == f"No topic for you\nStatement: {CREATE}\n"
    assert server.statement_bodies() == [CREATE]


def test_the_next_statement_waits_for_the_last_command(server: FakeKsql, ksql: Any) -> None:
    server.answers[CREATE] = [created("SUCCESS", 7)]
    ksql("-e", CREATE + "SHOW STREAMS; REQUEST-PIPELINING ON; SHOW TABLES;")
    numbers = [body.get("commandSequenceNumber") for body in server.sent("/ksql")]
    assert numbers == [None, 7, None]


def test_a_refusal_is_shown_with_its_statement(server: FakeKsql, ksql: Any) -> None:
    message = "line 1:6: Syntax Error\nSyntax error at or near 'streamzzz' at line 1:6"
    server.errors["list streamzzz;"] = (
        400,
        {
            "@type": "statement_error",
            "error_code": 40001,
            "message": message,
            "statementText": "list streamzzz;",
            "entities": [STREAMS],
        },
    )
    result = ksql("-e", "list streamzzz;")
    assert result.exit_code == 1
    assert result.stdout == SHOWN
    assert result.stderr == f"{message}\nStatement: list streamzzz;\n"


@pytest.mark.parametrize(
    ("status", "body", "told"),
    [(500, {"message": "It broke", "error_code": 50000}, "It broke\n"), (404, {}, "answered 404 Not Found.\n")],
)
def test_any_error_is_a_sentence(server: FakeKsql, ksql: Any, status: int, body: Any, told: str) -> None:
    server.errors["SHOW TABLES;"] = (status, body)
    result = ksql("-e", "SHOW TABLES;")
    assert result.exit_code == 1
    assert result.stderr.endswith(told)


def test_a_server_that_is_gone_is_a_sentence() -> None:
    result = CliRunner().invoke(command, ["http://127.0.0.1:1", "-e", "SHOW STREAMS;"])
    assert result.exit_code == 1
    assert result.stderr == "http://127.0.0.1:1 cannot be reached: Connection refused.\n"
    result = CliRunner().invoke(command, ["127.0.0.1:1", "-e", "SELECT * FROM s;"])
    assert result.stderr == "http://127.0.0.1:1 cannot be reached: Connection refused.\n"


def test_no_url_is_called_wrongly() -> None:
    result = CliRunner().invoke(command, ["ftp://x", "-e", "SHOW STREAMS;"])
    assert result.exit_code == 2
    assert "'ftp://x' is not an http or https URL." in result.stderr


def test_a_login(server: FakeKsql, ksql: Any) -> None:
    server.login = ("ana", "s3cret")
    server.rows["SELECT 1 FROM s;"] = []
    assert ksql("-e", "SHOW STREAMS;").stderr == "Unauthorized\n"
    assert ksql("-u", "ana", "-p", "s3cret", "-e", "SHOW STREAMS; SELECT 1 FROM s;").exit_code == 0
    asked = ksql("-u", "ana", "-e", "SHOW STREAMS;", piped="s3cret\n")
    assert asked.exit_code == 0
    assert ksql("-p", "s3cret", "-e", "SHOW STREAMS;").exit_code == 2


def test_a_text_that_cannot_be_cut_is_told_before_it_is_sent(server: FakeKsql, ksql: Any) -> None:
    result = ksql("-e", "SELECT 'a FROM s;")
    assert result.exit_code == 1
    assert result.stderr == "line 1:8: Syntax Error\nThe string that begins here is not closed.\n"
    assert server.requests == []


SCRIPT = """
-- made for tests
SET 'auto.offset.reset' = 'earliest';
DEFINE topic = 'orders';
CREATE STREAM ${topic} (a INT) WITH (kafka_topic='${topic};',
  value_format='JSON');
output JSON
SHOW VARIABLES;
"""


def _check_script(server: FakeKsql, result: Result) -> None:
    assert result.exit_code == 0, result.output
    (body,) = server.sent("/ksql")
    assert body["ksql"] == "CREATE STREAM orders (a INT) WITH (kafka_topic='orders;',\n  value_format='JSON');"
    assert body["streamsProperties"] == {"auto.offset.reset": "earliest"}
    assert "Output format set to JSON" in result.output
    assert " topic         | orders " in result.output


def test_a_script_from_a_file(server: FakeKsql, ksql: Any, tmp_path: Path) -> None:
    script = tmp_path / "a.sql"
    script.write_text(SCRIPT)
    _check_script(server, ksql("-f", str(script)))


def test_a_script_from_a_pipe(server: FakeKsql, ksql: Any) -> None:
    _check_script(server, ksql(piped=SCRIPT))


def test_a_script_from_a_script(server: FakeKsql, ksql: Any, tmp_path: Path) -> None:
    script = tmp_path / "a.sql"
    script.write_text(SCRIPT)
    _check_script(server, ksql("-e", f"RUN SCRIPT '{script}';"))
    server.requests.clear()
    _check_script(server, ksql("-e", f"run script {script}"))
    assert ksql("-e", "RUN SCRIPT;").stderr == "RUN SCRIPT needs a file.\n"


def test_a_script_that_runs_itself_ends(ksql: Any, tmp_path: Path) -> None:
    script = tmp_path / "a.sql"
    script.write_text(f"RUN SCRIPT '{script}';")
    result = ksql("-f", str(script))
    assert result.exit_code == 1
    assert "Scripts run scripts 10 deep" in result.stderr


def test_no_file_is_a_sentence(ksql: Any, tmp_path: Path) -> None:
    result = ksql("-f", str(tmp_path / "none.sql"))
    assert result.exit_code == 1
    assert result.stderr == f"{tmp_path}/none.sql cannot be read: No such file or directory.\n"
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    assert "it is no text" in ksql("-f", str(tmp_path / "binary")).stderr


def test_variables_of_the_command_line(server: FakeKsql, ksql: Any) -> None:
    ksql("-d", "name='orders'", "--define", "n=3", "-e", "DROP STREAM ${name}; TERMINATE Q_${n};")
    assert server.statement_bodies() == ["DROP STREAM orders;", "TERMINATE Q_3;"]
    assert ksql("-d", "1=2").exit_code == 2
    assert ksql("-d", "x").exit_code == 2


def test_properties_from_a_file(server: FakeKsql, ksql: Any, tmp_path: Path) -> None:
    (tmp_path / "p").write_text("auto.offset.reset=earliest\n")
    ksql("--config-file", str(tmp_path / "p"), "-e", "SHOW STREAMS;")
    assert server.sent("/ksql")[0]["streamsProperties"] == {"auto.offset.reset": "earliest"}
    (tmp_path / "p").write_bytes(b"\xff\xfe=1\n")
    refused = ksql("--config-file", str(tmp_path / "p"), "-e", "SHOW STREAMS;")
    assert (refused.exit_code, refused.stderr) == (1, f"Error: {tmp_path / 'p'} cannot be read: it is not text.\n")


def test_properties_are_set_and_unset(server: FakeKsql, ksql: Any) -> None:
    result = ksql("-e", "SET 'a'='1'; SET 'a'='2'; PROPERTIES; UNSET 'a'; SHOW STREAMS; UNSET 'a';")
    assert result.stdout == (
        "Successfully changed local property 'a' to '1'. Use the UNSET command to revert your change.\n"
        "Successfully changed local property 'a' from '1' to '2'.\n"
        " Property | Value \n------------------\n a        | 2     \n------------------\n"
        "Successfully unset local property 'a' (value was '2').\n"
    )
    assert result.stderr == "Cannot unset local property 'a' which was never set in the first place\n"
    assert server.sent("/ksql")[0]["streamsProperties"] == {}
    assert ksql("-e", "SET 'ksql.bad'='1';").stderr == "Not recognizable as ksql property: 'ksql.bad'\n"


def test_variables_are_defined_and_undefined(ksql: Any) -> None:
    result = ksql("-e", "DEFINE a='''x'''; SHOW VARIABLES; UNDEFINE A; UNDEFINE a;")
    assert " a             | 'x'   \n" in result.stdout
    assert result.stderr == "Cannot undefine variable 'a' which was never defined\n"


def test_packages_that_are_missing_are_a_sentence(ksql: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(("lark", "riacho.cli.ksql.", "riacho.pipelines.sql"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "lark", None)
    result = ksql("-e", "SHOW STREAMS;")
    assert result.exit_code == 1
    assert result.stderr == "Error: KSQL needs lark: pip install '.[services]' where Riacho's sources are.\n"
