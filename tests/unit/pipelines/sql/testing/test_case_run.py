"""Cases up to the arms they ask for: statements, refusals and payloads need no Spark."""

from __future__ import annotations

import pytest

from riacho.pipelines.sql.testing.arms import ResultRow, SourceRow
from riacho.pipelines.sql.testing.case import Case, CaseRecord, CaseTopic, ExpectedError
from riacho.pipelines.sql.testing.case_run import ArmFailedError, Verdict, run_case

STREAM = "CREATE STREAM S (ID INT KEY, A INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');"
COPY = "CREATE STREAM R AS SELECT * FROM S;"


def verdict_of(case: Case) -> Verdict:
    """Of a case that needs no arm."""
    try:
        next(run_case(case, None))
    except StopIteration as end:
        verdict: Verdict = end.value
        return verdict
    raise AssertionError("it asks for an arm")


def with_answer(case: Case, *answers: list[ResultRow] | ArmFailedError) -> Verdict:
    run = run_case(case, None)
    next(run)
    try:
        for answer in answers:
            if isinstance(answer, ArmFailedError):
                run.throw(answer)
            else:
                run.send(answer)
    except StopIteration as end:
        verdict: Verdict = end.value
        return verdict
    raise AssertionError("it asks for another arm")


def row(key: str | None, value: str | None, ts: int = 0, seq: int = 0) -> ResultRow:
    return ResultRow(key, value, None, None, ts, 0, None, None, seq, ())


def test_a_case_that_is_not_in_the_form() -> None:
    assert verdict_of(Case("n", (), problem="The test is not in the form")).why == ("The test is not in the form",)


def test_a_refusal_that_was_expected() -> None:
    case = Case("n", (STREAM, "CREATE STREAM R AS SELECT NOPE FROM S;"), expected=ExpectedError("'NOPE' cannot be"))
    assert verdict_of(case).has_passed


def test_a_refusal_with_another_sentence() -> None:
    case = Case("n", ("CREATE STREAM S (A INT KEY) WITH (KAFKA_TOPIC='s');",), expected=ExpectedError("tea"))
    (line,) = verdict_of(case).why
    assert line.startswith("refused with another message: expected 'tea', got")


def test_any_refusal_will_do_where_no_sentence_is_given() -> None:
    assert verdict_of(Case("n", ("NONSENSE;",), expected=ExpectedError())).has_passed


def test_a_refusal_that_nobody_expected() -> None:
    (line,) = verdict_of(Case("n", ("NONSENSE;",))).why
    assert line.startswith("refused: line 1:1:")


def test_a_refusal_that_did_not_come() -> None:
    case = Case("n", (STREAM,), expected=ExpectedError("no"))
    assert verdict_of(case).why == ("expected a refusal, and none came: no",)


def test_statements_alone_pass() -> None:
    assert verdict_of(Case("n", (STREAM, COPY))).has_passed


def test_an_input_that_its_format_cannot_hold() -> None:
    case = Case("n", (STREAM,), inputs=(CaseRecord("s", "no number", None),))
    (line,) = verdict_of(case).why
    assert line.startswith("An input of s cannot be written:")


def test_rows_of_an_arm_become_records_in_their_order() -> None:
    case = Case(
        "n",
        (STREAM, COPY),
        inputs=(CaseRecord("s", 1, {"A": 1}, 5),),
        outputs=(CaseRecord("R", 1, {"A": 1}, 5), CaseRecord("R", 1, {"A": 2})),
    )
    rows = [row('{"ID":1}', '{"A":2}', seq=1), row('{"ID":1}', '{"A":1}', 5)]
    assert with_answer(case, rows).has_passed
    assert with_answer(case, rows[1:]).why[0] == "R: 2 records expected, 1 came"


def test_an_arm_that_fails_is_that_cases_failure() -> None:
    case = Case("n", (STREAM, COPY), inputs=(CaseRecord("s", 1, {"A": 1}),))
    assert with_answer(case, ArmFailedError("Spark cannot compute it: x")).why == (
        "refused: Spark cannot compute it: x",
    )


def test_records_that_cannot_be_read_are_left_out() -> None:
    case = Case("n", (STREAM, COPY), inputs=(CaseRecord("s", 1, "no object"),), outputs=())
    assert verdict_of(case).has_passed


def test_inserted_rows_are_outputs_of_their_topic() -> None:
    statements = (STREAM, "INSERT INTO S (ROWTIME, ID, A) VALUES (7, 1, 2);")
    assert verdict_of(Case("n", statements, outputs=(CaseRecord("s", 1, {"A": 2}, 7),))).has_passed


def test_schemas_of_topics_give_columns() -> None:
    schema = '{"type":"record","name":"r","fields":[{"name":"a","type":["null","int"]}]}'
    create = "CREATE STREAM S (K INT KEY) WITH (KAFKA_TOPIC='t', VALUE_FORMAT='AVRO');"
    case = Case(
        "n",
        (create, "CREATE STREAM R AS SELECT K, A FROM S;"),
        topics=(CaseTopic("t", value_format="AVRO", value_schema=schema),),
        inputs=(CaseRecord("t", 1, {"a": 5}),),
        outputs=(CaseRecord("R", 1, {"A": 5}),),
    )
    run = run_case(case, None)
    arm = next(run)
    assert [(each.k, each.v) for each in arm.rows if isinstance(each, SourceRow)] == [('{"K":1}', '{"A":5}')]


def test_a_schema_that_is_none_is_told() -> None:
    case = Case("n", (), topics=(CaseTopic("t", value_format="AVRO", value_schema="{}"),))
    assert verdict_of(case).why[0].startswith("The schema of t-value is refused:")


def test_settings_and_variables_of_statements_hold_for_those_after() -> None:
    statements = (
        "SET 'ksql.persistence.default.format.value'='JSON';",
        "DEFINE name = 'S';",
        "CREATE STREAM ${name} (ID INT KEY, A INT) WITH (KAFKA_TOPIC='s');",
        "UNDEFINE name;",
        "UNSET 'ksql.persistence.default.format.value';",
        "CREATE STREAM T (ID INT KEY, A INT) WITH (KAFKA_TOPIC='t');",
    )
    expected = ExpectedError("Statement is missing the 'VALUE_FORMAT' property from the WITH clause.")
    assert verdict_of(Case("n", statements, expected=expected)).has_passed
    assert verdict_of(Case("n", statements[:5])).has_passed


@pytest.mark.parametrize(
    ("assertion", "sentence"),
    [
        ("ASSERT TOPIC s;", None),
        ("ASSERT TOPIC s WITH (PARTITIONS=1);", None),
        ("ASSERT NOT EXISTS TOPIC nope;", None),
        ("ASSERT SCHEMA SUBJECT 'a-value';", None),
        ("ASSERT SCHEMA ID 1;", None),
        ("ASSERT SCHEMA SUBJECT 'a-value' ID 1;", None),
        ("ASSERT TOPIC nope;", "Topic nope does not exist"),
        ("ASSERT NOT EXISTS TOPIC s;", "Topic s exists"),
        ("ASSERT TOPIC s WITH (PARTITIONS=4);", "For config partitions, expected 4 got 1"),
        ("ASSERT SCHEMA SUBJECT 'nope';", "Schema with subject name nope does not exist"),
        ("ASSERT SCHEMA ID 77;", "Schema with id 77 does not exist"),
        ("ASSERT NOT EXISTS SCHEMA SUBJECT 'a-value' ID 1;", "Schema with subject name a-value id 1 exists"),
    ],
)
def test_assertions_about_topics_and_schemas(assertion: str, sentence: str | None) -> None:
    avro = "CREATE STREAM A (ID INT KEY, A INT) WITH (KAFKA_TOPIC='a', VALUE_FORMAT='AVRO');"
    expected = None if sentence is None else ExpectedError(sentence)
    assert verdict_of(Case("n", (STREAM, avro, assertion), expected=expected)).why == ()
