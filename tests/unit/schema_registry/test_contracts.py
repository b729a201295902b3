"""Metadata and rules: merged, checked, written."""

from __future__ import annotations

import msgspec
import pytest

from riacho.schema_registry.contracts import (
    Metadata,
    Rule,
    RuleError,
    RuleMode,
    RuleSet,
    merge_metadata,
    merge_rules,
    reserved_fields,
    validate_rules,
    with_version,
    without_rules,
    without_version,
)


def _rules(*rules: Rule) -> RuleSet:
    return RuleSet(domain_rules=list(rules))


def test_new_metadata_wins_name_by_name() -> None:
    old = Metadata({"a": ["X"]}, {"owner": "ana", "team": "t"}, ["owner"])
    new = Metadata({"b": ["Y"]}, {"owner": "bob"}, ["team"])
    assert merge_metadata(old, new) == Metadata(
        {"a": ["X"], "b": ["Y"]}, {"owner": "bob", "team": "t"}, ["owner", "team"]
    )
    assert merge_metadata(None, new) is new
    assert merge_metadata(old, None) is old


def test_a_new_rule_takes_the_place_of_the_one_of_its_name() -> None:
    merged = merge_rules(_rules(Rule("a", type="CEL"), Rule("b", type="CEL")), _rules(Rule("a", type="JSONATA")))
    assert merged is not None
    assert [(rule.name, rule.type) for rule in merged.all_rules()] == [("b", "CEL"), ("a", "JSONATA")]


def test_rules_go_by_name() -> None:
    kept = without_rules(_rules(Rule("a", type="CEL"), Rule("b", type="CEL")), ["a"])
    assert [rule.name for rule in kept.all_rules()] == ["b"]


@pytest.mark.parametrize(
    ("rule_set", "message"),
    [
        (_rules(Rule(type="CEL")), "Missing rule name"),
        (_rules(Rule("", type="CEL")), "Empty rule name"),
        (_rules(Rule("1a", type="CEL")), "Illegal initial character in rule name: 1a"),
        (_rules(Rule("a b", type="CEL")), "Illegal character in rule name: a b"),
        (_rules(Rule("a")), "Missing rule type"),
        (_rules(Rule("a", type="CEL"), Rule("a", type="CEL")), "Found rule with duplicate name 'a'"),
        (_rules(Rule("a", type="CEL", mode=RuleMode.UPGRADE)), "Domain rules can only be WRITE, READ, WRITEREAD"),
        (
            RuleSet(encoding_rules=[Rule("a", type="ENCRYPT", mode=RuleMode.UPDOWN)]),
            "Encoding rules can only be WRITE, READ, WRITEREAD",
        ),
        (
            RuleSet(migration_rules=[Rule("a", type="JSONATA")]),
            "Migration rules can only be UPGRADE, DOWNGRADE, UPDOWN",
        ),
    ],
)
def test_rules_that_are_refused(rule_set: RuleSet, message: str) -> None:
    with pytest.raises(RuleError) as refused:
        validate_rules(rule_set)
    assert str(refused.value) == message


def test_rules_that_are_taken() -> None:
    validate_rules(
        RuleSet(
            [Rule("up", type="JSONATA", mode=RuleMode.UPGRADE)],
            [Rule("check", type="CEL", mode=RuleMode.WRITE)],
            [Rule("hide", type="ENCRYPT")],
        )
    )


def test_written_rules_tell_kind_mode_and_whether_they_are_disabled() -> None:
    written = msgspec.json.encode(_rules(Rule("a", type="CEL", tags=["b", "a"])).sorted())
    assert written == (
        b'{"domainRules":[{"name":"a","kind":"TRANSFORM","mode":"WRITEREAD","type":"CEL","tags":["a","b"],'
        b'"disabled":false}]}'
    )


def test_the_version_within_the_metadata() -> None:
    told = with_version(Metadata(properties={"owner": "ana"}), 3)
    assert told.properties == {"confluent:version": "3", "owner": "ana"}
    assert without_version(told) == Metadata(properties={"owner": "ana"})
    assert without_version(None) == Metadata()


def test_reserved_fields_are_a_list_with_commas() -> None:
    assert reserved_fields(Metadata(properties={"confluent:reserved": "a, b ,,c"})) == ["a", "b", "c"]
    assert reserved_fields(None) == []
