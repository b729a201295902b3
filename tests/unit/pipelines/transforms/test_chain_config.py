"""Chains read from connector configs: aliases, types, predicates, and what is wrong with them; no Spark needed."""

from __future__ import annotations

import pytest

from riacho.pipelines.config_def import ConfigError
from riacho.pipelines.transforms.chain import PREDICATES, TRANSFORMS, chain, chain_config
from riacho.pipelines.transforms.date_pattern import PatternError, tokens_of
from riacho.pipelines.transforms.field_path import steps_of
from riacho.pipelines.transforms.java_regex import groups, replacement_fault
from riacho.pipelines.transforms.simple_text import literal_text

PACKAGE = "org.apache.kafka.connect.transforms."
GOOD = {
    "transforms": "mask,route",
    "transforms.mask.type": f"{PACKAGE}MaskField$Value",
    "transforms.mask.fields": "card",
    "transforms.route.type": "RegexRouter",
    "transforms.route.regex": "a",
    "transforms.route.replacement": "b",
    "transforms.route.predicate": "p",
    "transforms.route.negate": "true",
    "predicates": "p",
    "predicates.p.type": f"{PACKAGE}predicates.RecordIsTombstone",
}


def test_the_tables() -> None:
    families = {name.removeprefix(PACKAGE).partition("$")[0] for name in TRANSFORMS}
    assert len(families) == 16
    assert len(TRANSFORMS) == 26
    assert len(PREDICATES) == 3


def test_a_chain_is_read_in_order() -> None:
    first, second = chain(GOOD).steps
    assert (first.alias, first.transform.CLASS, first.predicate) == ("mask", f"{PACKAGE}MaskField$Value", None)
    assert (second.alias, second.negate) == ("route", True)
    assert second.predicate is not None
    assert not chain({})


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"transforms": "mask,mask"}, "Duplicate alias provided"),
        ({"transforms.mask.type": f"{PACKAGE}MaskField"}, "Did you mean"),
        ({"transforms.mask.type": "com.example.Nope"}, "could not be found"),
        ({"transforms.mask.type": ""}, 'Missing required configuration "transforms.mask.type"'),
        ({"transforms.mask.fields": ""}, "transforms.mask: Configuration 'fields' must not be empty"),
        ({"transforms.route.predicate": "q"}, "no predicate of that alias"),
        ({"transforms.mask.negate": "true"}, "defining a predicate to be negated"),
        ({"transforms.route.regex": "("}, "Invalid regex"),
    ],
)
def test_what_is_wrong_is_told(changes: dict[str, str], told: str) -> None:
    with pytest.raises(ConfigError, match=told.replace("(", r"\(")):
        chain(GOOD | changes)


def test_definitions_for_validation() -> None:
    definitions = chain_config(GOOD)
    names = {each.name for each in definitions}
    assert {"transforms", "predicates", "transforms.mask.type", "transforms.mask.negate"} <= names
    assert {"transforms.route.regex", "predicates.p.type"} <= names
    assert definitions["transforms.mask.fields"].group == "Transforms: mask"
    assert all(not answer.errors for answer in definitions.check(GOOD))
    wrong = {answer.definition.name: answer.errors for answer in definitions.check(GOOD | {"transforms": "mask,mask"})}
    assert wrong["transforms"]
    unknown = chain_config(GOOD | {"transforms.mask.type": "Nope"})
    assert "transforms.mask.fields" not in {each.name for each in unknown}


def test_rules_that_span_settings_show_at_the_type() -> None:
    configs = {"transforms": "t", "transforms.t.type": "SetSchemaMetadata$Value"}
    errors = {answer.definition.name: answer.errors for answer in chain_config(configs).check(configs)}
    assert errors["transforms.t.type"] == ("Neither schema name nor version configured",)


@pytest.mark.parametrize(
    ("path", "steps"),
    [("a.b", ["a", "b"]), ("`a.b`.c", ["a.b", "c"]), ("a.", ["a", ""]), ("`a`b`", ["a`b"]), (r"`a\`.b`", ["a`.b"])],
)
def test_field_paths(path: str, steps: list[str]) -> None:
    assert steps_of(path, "V2") == steps
    assert steps_of(path, "v1") == [path]


def test_a_backtick_without_its_pair() -> None:
    with pytest.raises(ConfigError, match="Incomplete backtick pair in path"):
        steps_of("`a", "V2")


def test_groups_of_java_patterns() -> None:
    assert groups(r"(a)(?:b)(?<n>c)\([(]\Q(\E(?=d)(?<!e)") == (2, frozenset({"n"}))
    assert replacement_fault("(a)", "$1${n}") == ("java.lang.IllegalArgumentException", "No group with name {n}")


def test_date_patterns() -> None:
    assert [token.text or token.letter * token.count for token in tokens_of("yyyy'T'MM")] == ["yyyy", "T", "MM"]
    for wrong in ("bogus", "yyyy'T", "YYYY"):
        with pytest.raises(PatternError):
            tokens_of(wrong)


@pytest.mark.parametrize(
    ("literal", "text"), [("1.0", "1"), ("1.50", "1.5"), ("null", None), ("1e40", "1.0E40"), ("[a", "[a"), ("", "")]
)
def test_literals(literal: str, text: str | None) -> None:
    assert literal_text(literal) == text
