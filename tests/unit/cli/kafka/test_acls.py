"""What the words of kafka-acls come to: resources, and the entries for each."""

from __future__ import annotations

import pytest

from riacho.base.acl import AclOperation, AclResourceType
from riacho.cli.kafka.acls import run
from riacho.cli.kafka.flags.jopt import UsageError, parse
from riacho.cli.kafka.flags.security_tools import ACLS
from riacho.cli.kafka.launch import ToolError, run_tool
from riacho.cli.kafka.text.acl_words import operation_names, resources, wanted

TOPIC, GROUP, CLUSTER = AclResourceType.TOPIC, AclResourceType.GROUP, AclResourceType.CLUSTER


def asked(words: str) -> dict[str, list[str]]:
    """Each resource, with its entries in short."""
    return {
        f"{resource.kind.name}:{resource.name}:{resource.pattern.name}": [
            f"{entry.permission.name} {entry.principal} {entry.operation.name} {entry.host}" for entry in entries
        ]
        for resource, entries in wanted(parse(ACLS, words.split())).items()
    }


def test_one_entry() -> None:
    assert asked("--add --topic orders --allow-principal User:ann --operation Read") == {
        "TOPIC:orders:LITERAL": ["ALLOW User:ann READ *"]
    }


def test_everything_is_multiplied() -> None:
    words = "--topic t --allow-principal User:a --allow-principal User:b --operation Read --operation Write"
    found = asked(f"--add {words} --allow-host 1.1.1.1 --allow-host 2.2.2.2 --deny-principal User:c")
    assert len(found["TOPIC:t:LITERAL"]) == 10
    assert "DENY User:c WRITE *" in found["TOPIC:t:LITERAL"]


@pytest.mark.parametrize("name", ["DescribeConfigs", "describeconfigs", "DESCRIBECONFIGS"])
def test_operations_in_any_case(name: str) -> None:
    found = asked(f"--add --cluster --allow-principal User:a --operation {name}")
    assert found == {"CLUSTER:kafka-cluster:LITERAL": ["ALLOW User:a DESCRIBE_CONFIGS *"]}


def test_all_of_them_when_none_is_named() -> None:
    assert asked("--add --group g --deny-principal User:a --deny-host 1.1.1.1") == {
        "GROUP:g:LITERAL": ["DENY User:a ALL 1.1.1.1"]
    }


def test_what_a_producer_needs() -> None:
    found = asked("--add --producer --idempotent --topic t --transactional-id x --allow-principal User:a")
    assert {name: [entry.split()[2] for entry in entries] for name, entries in found.items()} == {
        "TOPIC:t:LITERAL": ["WRITE", "DESCRIBE", "CREATE"],
        "TRANSACTIONAL_ID:x:LITERAL": ["WRITE", "DESCRIBE"],
        "CLUSTER:kafka-cluster:LITERAL": ["IDEMPOTENT_WRITE"],
    }


def test_what_a_consumer_needs() -> None:
    found = asked("--add --consumer --topic t --group g --allow-principal User:a --resource-pattern-type prefixed")
    assert {name: [entry.split()[2] for entry in entries] for name, entries in found.items()} == {
        "TOPIC:t:PREFIXED": ["READ", "DESCRIBE"],
        "GROUP:g:PREFIXED": ["READ"],
    }


def test_both_at_once() -> None:
    found = asked("--add --producer --consumer --topic t --group g --allow-principal User:a")
    assert [entry.split()[2] for entry in found["TOPIC:t:LITERAL"]] == ["WRITE", "DESCRIBE", "CREATE", "READ"]


def test_resources_without_entries_are_filters() -> None:
    found = resources(parse(ACLS, ["--list", "--topic", "t", "--cluster", "--resource-pattern-type", "match"]))
    assert [(resource.kind, resource.name, resource.pattern.name) for resource in found] == [(TOPIC, "t", "MATCH")]
    assert asked("--remove --topic t --group g") == {"TOPIC:t:LITERAL": [], "GROUP:g:LITERAL": []}


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("--topic t --operation ClusterAction", "ResourceType TOPIC only supports operations"),
        ("--group g --operation Write", "ResourceType GROUP only supports operations"),
        ("--topic t --operation describe_configs", "only supports operations"),
        ("--topic t --resource-pattern-type some", "Cannot parse argument 'some'"),
        ("", "You must provide at least one resource"),
    ],
)
def test_what_makes_no_entry(words: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        asked(f"--add --allow-principal User:a {words}")


def test_a_principal_has_a_type() -> None:
    with pytest.raises(ToolError, match="principalType:principalName but got ann"):
        asked("--add --topic t --allow-principal ann")


def test_every_operation_has_a_name_to_write() -> None:
    named = operation_names()
    assert len(named) == len(AclOperation) - 2
    assert {"All", "Read", "DescribeConfigs", "TwoPhaseCommit"} <= set(named)
    offers = next(option.offers for option in ACLS.options if option.name == "operation")
    assert sorted(offers) == sorted(named)


def test_wrong_words_never_reach_a_broker(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_tool("kafka-acls", run, ["--add", "--remove", "--topic", "t"]) == 1
    told = capsys.readouterr().err
    assert told.startswith("Command must include exactly one action: --list, --add, --remove. \n")
