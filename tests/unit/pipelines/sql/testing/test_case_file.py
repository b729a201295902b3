"""Files of cases: what is read of them, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from riacho.pipelines.sql.formats.json_source import NumberText
from riacho.pipelines.sql.testing.case import CaseError, CaseTopic, CaseWindow, ExpectedError
from riacho.pipelines.sql.testing.case_file import read_directory, read_file


def written(path: Path, *tests: object) -> Path:
    path.write_text(json.dumps({"tests": list(tests)}))
    return path


def test_a_case_has_statements_inputs_and_outputs(tmp_path: Path) -> None:
    record = {"topic": "s", "key": 1, "value": {"A": 1}, "timestamp": 5, "extra": "ignored"}
    window = {"start": 0, "end": 10, "type": "session"}
    headers = [{"KEY": "h", "VALUE": "AAE="}, {"key": "g", "value": None}]
    test = {
        "name": "one",
        "comment": "ignored",
        "properties": {"a": 1, "b": "x", "c": True},
        "statements": ["CREATE ...;"],
        "inputs": [record],
        "outputs": [{"topic": "R", "key": "k", "value": None, "window": window, "headers": headers}],
    }
    (case,) = read_file(written(tmp_path / "a.json", test))
    assert (case.name, case.file, case.statements) == ("one", "a.json", ("CREATE ...;",))
    assert case.properties == {"a": "1", "b": "x", "c": "true"}
    assert (case.inputs[0].key, case.inputs[0].value, case.inputs[0].timestamp) == (1, {"A": 1}, 5)
    assert case.outputs[0].timestamp is None
    assert case.outputs[0].window == CaseWindow(0, 10, "session")
    assert case.outputs[0].headers == (("h", b"\0\1"), ("g", None))
    assert case.expected is None


def test_a_case_with_formats_is_one_for_each(tmp_path: Path) -> None:
    test = {
        "name": "many",
        "format": ["JSON", "AVRO"],
        "statements": ["... VALUE_FORMAT='{FORMAT}'"],
        "topics": [{"name": "t", "valueFormat": "{FORMAT}"}],
        "inputs": [{"topic": "t", "key": 1, "value": {"A": 1.5}}],
    }
    one, two = read_file(written(tmp_path / "a.json", test))
    assert (one.name, two.name) == ("many - JSON", "many - AVRO")
    assert two.statements == ("... VALUE_FORMAT='AVRO'",)
    assert two.topics == (CaseTopic("t", value_format="AVRO"),)
    assert type(two.inputs[0].value["A"]) is NumberText, "a number stays a number"


def test_topics_have_schemas_as_texts(tmp_path: Path) -> None:
    topics = [{"name": "t", "partitions": 4, "keySchema": "int", "valueSchema": {"type": "string"}}, "bare"]
    (case,) = read_file(written(tmp_path / "a.json", {"name": "n", "topics": topics}))
    first, second = case.topics
    assert (first.partitions, first.key_schema, first.value_schema) == (4, "int", '{"type":"string"}')
    assert second == CaseTopic("bare")


def test_a_refusal_may_be_expected_with_or_without_its_sentence(tmp_path: Path) -> None:
    tests = [
        {"name": "a", "expectedException": {"type": "KsqlException", "message": "no"}},
        {"name": "b", "expectedException": {"type": "KsqlException"}},
    ]
    first, second = read_file(written(tmp_path / "a.json", *tests))
    assert (first.expected, second.expected) == (ExpectedError("no"), ExpectedError(None))


def test_directories_are_read_by_path(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    written(tmp_path / "b.json", {"name": "b"})
    written(tmp_path / "deep" / "c.json", {"name": "c"})
    written(tmp_path / "a.json", {"name": "a"})
    assert [case.name for case in read_directory(tmp_path)] == ["a", "b", "c"]
    assert [case.name for case in read_directory(tmp_path / "b.json")] == ["b"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "cannot be read"),
        ("[" * 100_000, "cannot be read"),
        ("[]", "has no list of tests"),
        ('{"tests": 1}', "has no list of tests"),
    ],
)
def test_a_file_that_is_not_in_the_form_is_refused(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(CaseError, match=sentence):
        read_file(path)
    with pytest.raises(CaseError, match=sentence):
        read_directory(path)


@pytest.mark.parametrize(
    "test",
    [
        1,
        {"name": "n", "inputs": [{}]},
        {"name": "n", "topics": [{}]},
        {"name": "n", "outputs": [{"topic": "t", "window": {}}]},
        {"name": "n", "properties": 5},
    ],
)
def test_a_test_that_is_not_in_the_form_fails_by_itself(tmp_path: Path, test: object) -> None:
    bad, good = read_file(written(tmp_path / "a.json", test, {"name": "good"}))
    assert (bad.problem or "").startswith("The test is not")
    assert good.problem is None


def test_a_file_that_cannot_be_read_fails_by_itself(tmp_path: Path) -> None:
    written(tmp_path / "a.json", {"name": "good"})
    (tmp_path / "b.json").write_text("{")
    (tmp_path / "c.json").write_text('{"other": "business"}')
    good, bad = read_directory(tmp_path)
    assert (good.name, good.problem) == ("good", None)
    assert bad.name == "b.json"
    assert "cannot be read" in (bad.problem or "")


def test_a_directory_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match="There is no"):
        read_directory(tmp_path / "none")


def test_our_own_refusals_say_which_sentence_they_mean() -> None:
    cases = read_directory(Path(__file__).parents[4] / "scenarios" / "sql")
    refused = [case for case in cases if case.expected is not None]
    assert len(refused) > 50
    assert [(case.file, case.name) for case in refused if not (case.expected and case.expected.message)] == []
