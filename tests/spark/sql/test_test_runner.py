"""ksql-test-runner as a command: scripts with files, assertions, directories and reports."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from riacho.cli.ksql_test_runner import run
from riacho.pipelines.sql.testing import spark_arms
from riacho.pipelines.sql.testing.arms import Arm
from riacho.pipelines.sql.testing.command import run_directory, run_script

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STATEMENTS = """
CREATE STREAM S (ID INT KEY, A INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE TABLE R AS SELECT ID, COUNT(*) AS N FROM S GROUP BY ID;
"""
INPUTS = [{"topic": "s", "key": 1, "value": {"A": 5}}, {"topic": "s", "key": 1, "value": {"A": 6}}]
OUTPUTS = [{"topic": "R", "key": 1, "value": {"N": 1}}, {"topic": "R", "key": 1, "value": {"N": 2}}]


@pytest.fixture(autouse=True)
def _one_session(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_arms, "open_session", lambda: spark_arms.session_beside(spark))


def script(directory: Path, statements: str, inputs: object = None, outputs: object = None) -> tuple[int, str]:
    path = directory / "statements.sql"
    path.write_text(statements)
    out = io.StringIO()
    files = []
    for name, records in (("inputs", inputs), ("outputs", outputs)):
        file = directory / f"{name}.json"
        file.write_text(json.dumps({name: records or []}))
        files.append(file)
    return run_script(path, files[0], files[1], out), out.getvalue()


def test_a_script_that_passes(tmp_path: Path) -> None:
    assert script(tmp_path, STATEMENTS, INPUTS, OUTPUTS) == (0, "\t >>> Test passed!\n")


def test_a_script_that_fails_says_what_differs(tmp_path: Path) -> None:
    code, said = script(tmp_path, STATEMENTS, INPUTS, OUTPUTS[:1])
    assert code == 1
    assert (
        said == '\t>>>>> Test failed: R: 1 records expected, 2 came\n\tR[1]: nothing expected, 1 -> {"N":2} @0 came\n'
    )


def test_a_statement_that_is_refused_fails_the_script(tmp_path: Path) -> None:
    code, said = script(tmp_path, "CREATE STREAM R AS SELECT * FROM NOPE;")
    assert (code, said) == (1, "\t>>>>> Test failed: NOPE does not exist.\n")


def test_assertions_hold_for_what_came_before_them(tmp_path: Path) -> None:
    asserted = """
    INSERT INTO S (ID, A) VALUES (1, 5);
    ASSERT VALUES R (ID, N) VALUES (1, 1);
    INSERT INTO S (ID, A) VALUES (1, 6);
    ASSERT VALUES R (ID, N) VALUES (1, 2);
    ASSERT STREAM S (ID INT KEY, A INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
    """
    assert script(tmp_path, STATEMENTS + asserted) == (0, "\t >>> Test passed!\n")


@pytest.mark.parametrize(
    ("assertion", "sentence"),
    [
        ("ASSERT VALUES R (ID, N) VALUES (1, 7);", "column N of record 0 of R is 1, not 7"),
        ("ASSERT NULL VALUES R (ID) KEY (1);", "The record 0 of R is"),
        (
            "ASSERT VALUES S (ID, A) VALUES (1, 5); ASSERT VALUES S (ID) VALUES (1);",
            "all records have already been read",
        ),
        (
            "ASSERT STREAM S (ID INT KEY, A BIGINT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');",
            "Expected schema of S does not match actual",
        ),
        ("ASSERT TOPIC nope;", "Topic nope does not exist"),
        ("ASSERT NOT EXISTS TOPIC s;", "Topic s exists"),
        ("ASSERT SCHEMA SUBJECT 'nope-value';", "Schema with subject name nope-value does not exist"),
    ],
)
def test_assertions_that_do_not_hold(tmp_path: Path, assertion: str, sentence: str) -> None:
    code, said = script(tmp_path, STATEMENTS + "INSERT INTO S (ID, A) VALUES (1, 5);" + assertion)
    assert code == 1
    assert sentence in said


def test_a_directory_and_its_report(tmp_path: Path) -> None:
    good = {"name": "good", "statements": [STATEMENTS], "inputs": INPUTS, "outputs": OUTPUTS}
    bad = good | {"name": "bad", "outputs": OUTPUTS[::-1]}
    refused = {"name": "refused", "statements": ["NONSENSE;"], "expectedException": {"message": "line 1:1"}}
    (tmp_path / "cases.json").write_text(json.dumps({"tests": [good, bad, refused]}))
    report, out = tmp_path / "report", io.StringIO()
    assert run_directory(tmp_path, report, out) == 1
    lines = {line["name"]: line for line in map(json.loads, report.read_text().splitlines())}
    assert {name: line["result"] for name, line in lines.items()} == {
        "good": "passed",
        "bad": "failed",
        "refused": "passed",
    }
    assert lines["bad"]["why"] == 'R[0] value: expected {"N":2}, got {"N":1}\nR[1] value: expected {"N":1}, got {"N":2}'
    assert all(line["milliseconds"] >= 0 for line in lines.values())
    assert "3 cases: 2 passed, 1 failed" in out.getvalue()


def test_a_case_that_spark_cannot_compute_fails_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = {"name": "good", "statements": [STATEMENTS], "inputs": INPUTS, "outputs": OUTPUTS}
    bad = good | {"name": "bad", "statements": [STATEMENTS.replace("AS N", "AS WRONG")]}
    (tmp_path / "cases.json").write_text(json.dumps({"tests": [good, bad]}))
    sql = Arm.sql

    def broken(arm: Arm, number: int) -> str:
        text = sql(arm, number)
        return text.replace("from_json", "no_such_function") if "WRONG" in text else text

    monkeypatch.setattr(Arm, "sql", broken)
    out = io.StringIO()
    assert run_directory(tmp_path, None, out) == 1
    assert "FAILED cases.json: bad\n    refused: Spark cannot compute it" in out.getvalue()
    assert "2 cases: 1 passed, 1 failed" in out.getvalue()


def test_the_command_takes_a_script_or_a_directory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        run([])
    with pytest.raises(SystemExit, match="2"):
        run(["-s", "a.sql", str(tmp_path)])
    with pytest.raises(SystemExit, match="2"):
        run(["-i", "a.json", str(tmp_path)])
    assert run([str(tmp_path / "none")]) == 1
    assert "There is no" in capsys.readouterr().err


def test_files_that_cannot_be_read_fail_the_script(tmp_path: Path) -> None:
    out = io.StringIO()
    assert run_script(tmp_path / "none.sql", None, None, out) == 1
    assert "cannot be read" in out.getvalue()
