"""Validate: every definition that a config calls for, in Kafka's groups, with Kafka's sentences."""

from __future__ import annotations

from typing import Any

import pytest

from riacho.pipelines.connect.plugins.catalog_process import Questions
from riacho.pipelines.plugin import Connector
from support.connect_fake_plugins import JSON, MATCHES, ROUTER, SINK, SOURCE, FakePlugins

GOOD_SOURCE = {"name": "a", "connector.class": SOURCE, "topic": "t"}
GOOD_SINK = {"name": "a", "connector.class": SINK, "topics": "t"}


def ask(**question: Any) -> Any:
    return Questions(FakePlugins(), {"value.converter": JSON}).answer(question)


def judged(config: dict[str, str]) -> Any:
    return ask(ask="validate", name="X", configs=config)["ok"]


def values(config: dict[str, str]) -> dict[str, Any]:
    return {each["definition"]["name"]: each for each in judged(config)["answer"]["configs"]}


def test_a_good_config_has_no_errors() -> None:
    verdict = judged(GOOD_SOURCE)
    assert (verdict["errors"], verdict["answer"]["error_count"], verdict["type"], verdict["secrets"]) == (
        [],
        0,
        "source",
        ["password"],
    )
    assert verdict["answer"]["groups"] == [
        "Common",
        "Transforms",
        "Predicates",
        "Error Handling",
        "Topic Creation",
        "Exactly Once Support",
        "offsets.topic",
        "Spark",
    ]
    assert judged(GOOD_SINK)["type"] == "sink"


def test_the_shape_is_kafkas() -> None:
    assert values(GOOD_SOURCE)["tasks.max"] == {
        "definition": {
            "name": "tasks.max",
            "type": "INT",
            "required": False,
            "default_value": "1",
            "importance": "HIGH",
            "documentation": "How many tasks may work at once.",
            "group": "Common",
            "order_in_group": 4,
            "width": "SHORT",
            "display_name": "Tasks max",
            "dependents": [],
        },
        "value": {"name": "tasks.max", "value": "1", "recommended_values": [], "errors": [], "visible": True},
    }


@pytest.mark.parametrize(
    ("config", "setting", "value", "error"),
    [
        ({**GOOD_SOURCE, "tasks.max": "x"}, "tasks.max", None, "Not a number of type INT"),
        ({**GOOD_SOURCE, "tasks.max": "0"}, "tasks.max", "0", "Value must be at least 1"),
        ({**GOOD_SOURCE, "name": " "}, "name", " ", "String may not be empty"),
        ({"name": "a", "connector.class": SOURCE}, "topic", None, 'Missing required configuration "topic"'),
        ({**GOOD_SOURCE, "errors.tolerance": "some"}, "errors.tolerance", "some", "String must be one of"),
        ({**GOOD_SOURCE, "riacho.session": "mine"}, "riacho.session", "mine", "String must be one of"),
        ({**GOOD_SOURCE, "value.converter": "no.C"}, "value.converter", None, "Class no.C could not be found."),
        ({**GOOD_SOURCE, "transforms": "r,r"}, "transforms", "r,r", "Duplicate alias provided."),
        ({**GOOD_SOURCE, "transforms": "r"}, "transforms.r.type", None, "Missing required configuration"),
        (
            {**GOOD_SOURCE, "transforms": "r", "transforms.r.type": "no.T"},
            "transforms.r.type",
            None,
            "Class no.T could not be found.",
        ),
        (
            {**GOOD_SOURCE, "transforms": "r", "transforms.r.type": ROUTER, "transforms.r.regex": "."},
            "transforms.r.replacement",
            None,
            "Missing required configuration",
        ),
        (
            {**GOOD_SOURCE, "predicates": "p", "predicates.p.type": MATCHES},
            "predicates.p.pattern",
            None,
            "Missing required configuration",
        ),
        (
            {**GOOD_SOURCE, "value.converter": JSON, "value.converter.schemas.enable": "maybe"},
            "value.converter.schemas.enable",
            None,
            "Expected value to be either true or false",
        ),
        ({"name": "a", "connector.class": SINK}, "topics", "", "Must configure one of topics or topics.regex"),
        ({**GOOD_SINK, "topics.regex": "t"}, "topics.regex", "t", "mutually exclusive"),
    ],
)
def test_what_is_wrong_is_told_at_its_setting(
    config: dict[str, str], setting: str, value: str | None, error: str
) -> None:
    found = values(config)[setting]["value"]
    assert found["value"] == value
    assert any(error in reason for reason in found["errors"]), found


def test_transforms_have_groups_and_conditions() -> None:
    config = {
        **GOOD_SINK,
        "transforms": "r",
        "transforms.r.type": ROUTER,
        "transforms.r.regex": ".",
        "transforms.r.replacement": "x",
        "transforms.r.predicate": "p",
        "predicates": "p",
        "predicates.p.type": MATCHES,
        "predicates.p.pattern": "a",
    }
    verdict = judged(config)
    assert verdict["errors"] == []
    assert verdict["answer"]["groups"][-2:] == ["Transforms: r", "Predicates: p"]
    found = values(config)
    assert found["transforms.r.type"]["value"]["recommended_values"] == [ROUTER]
    assert found["transforms.r.negate"]["value"]["value"] == "false"


def test_passwords_are_never_shown() -> None:
    found = values({**GOOD_SOURCE, "password": "s3cret"})["password"]
    assert found["value"]["value"] == "[hidden]"


def test_a_class_that_is_not_there() -> None:
    reason = ask(ask="validate", name="X", configs={"connector.class": "no.Such"})["wrong"]
    assert reason.startswith("Failed to find any class that implements Connector and which name matches no.Such, ")


def test_plugins_of_all_kinds() -> None:
    assert {each["type"] for each in ask(ask="plugins", all=False)["ok"]} == {"source", "sink"}
    assert {each["type"] for each in ask(ask="plugins", all=True)["ok"]} == {
        "source",
        "sink",
        "converter",
        "header_converter",
        "transformation",
        "predicate",
    }
    assert [each["name"] for each in ask(ask="config", plugin=ROUTER)["ok"]] == ["regex", "replacement"]
    assert "topic" in [each["name"] for each in ask(ask="config", plugin="FileStreamSource")["ok"]]
    assert ask(ask="config", plugin="None")["ok"] is None


class _Broken(FakePlugins):
    def __init__(self, error: Exception) -> None:
        super().__init__()
        self._error = error

    def connector(self, class_name: str) -> type[Connector]:
        raise self._error


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (ModuleNotFoundError("No module named 'pyspark'", name="pyspark"), "The package pyspark is not installed: "),
        (TypeError("'t0p-s3cret' is no number"), "A plugin failed when it was asked: TypeError."),
    ],
)
def test_a_plugin_that_cannot_be_asked_is_one_sentence(error: Exception, sentence: str) -> None:
    questions = Questions(_Broken(error), {})
    answer = questions.answer({"ask": "validate", "name": "a", "configs": {"connector.class": SOURCE}})
    assert list(answer) == ["failed"]
    assert answer["failed"].startswith(sentence)
    assert "s3cret" not in answer["failed"]


@pytest.mark.parametrize(
    ("setting", "given", "wrong"),
    [
        ("topics", "t,dlq", "The DLQ topic 'dlq' may not be included in the list of topics ('topics=[t, dlq]')"),
        ("topics", " dlq ", "The DLQ topic 'dlq' may not be included in the list of topics ('topics=[dlq]')"),
        (
            "topics.regex",
            "d.*",
            "The DLQ topic 'dlq' may not be matched by the regex for the topics ('topics.regex=d.*')",
        ),
    ],
)
def test_dead_letters_may_not_go_to_what_the_sink_reads(setting: str, given: str, wrong: str) -> None:
    letters = {"errors.tolerance": "all", "errors.deadletterqueue.topic.name": "dlq"}
    verdict = judged({"name": "a", "connector.class": SINK, setting: given, **letters})
    assert verdict["errors"] == [f"{wrong} consumed by the connector"]
    assert judged({"name": "a", "connector.class": SINK, setting: "other", **letters})["errors"] == []
    assert judged({"name": "a", "connector.class": SINK, "topics.regex": "d", **letters})["errors"] == []
