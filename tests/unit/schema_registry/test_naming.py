"""Names of subjects and contexts."""

from __future__ import annotations

import pytest

from riacho.schema_registry.naming import (
    in_scope,
    is_valid_subject,
    normalize_context,
    normalize_subject,
    parse_subject,
    qualify_with_parent,
)


@pytest.mark.parametrize(
    ("name", "context", "subject"),
    [
        ("orders-value", ".", "orders-value"),
        (":.ctx:orders", ".ctx", "orders"),
        (":.ctx:", ".ctx", ""),
        (":.ctx", ".ctx", ""),
        (":.:orders", ".", "orders"),
        (":*:orders", "*", "orders"),
        (":.a:b:c", ".a", "b:c"),
        (":odd", ".", ":odd"),
        ("", ".", ""),
    ],
)
def test_a_name_is_context_and_subject(name: str, context: str, subject: str) -> None:
    found = parse_subject(name)
    assert (found.context, found.subject) == (context, subject)


def test_every_subject_has_one_spelling() -> None:
    assert normalize_subject(":.:orders") == "orders"
    assert normalize_subject(":.ctx") == ":.ctx:"
    assert normalize_subject(":.ctx:orders") == ":.ctx:orders"


def test_a_name_without_a_context_belongs_to_its_parents() -> None:
    assert qualify_with_parent("orders", ":.ctx:parent") == ":.ctx:orders"
    assert qualify_with_parent(":.other:orders", ":.ctx:parent") == ":.other:orders"
    assert qualify_with_parent("orders", "parent") == "orders"


@pytest.mark.parametrize(
    "name", ["__GLOBAL", "__EMPTY", ":.ctx:__GLOBAL", ":*:orders", "tab\there", "nul\x00", "c1\x85"]
)
def test_some_names_are_no_subjects(name: str) -> None:
    assert not is_valid_subject(name)


def test_the_global_context_takes_settings_only() -> None:
    assert not is_valid_subject(":.__GLOBAL:orders")
    assert is_valid_subject(":.__GLOBAL:", for_settings=True)


@pytest.mark.parametrize(
    ("given", "written"), [("ctx", ":.ctx:"), (".ctx", ":.ctx:"), (":.ctx:", ":.ctx:"), (".", ""), (":.:", "")]
)
def test_a_context_has_one_spelling(given: str, written: str) -> None:
    assert normalize_context(given) == written


def test_a_context_has_no_colon() -> None:
    with pytest.raises(ValueError, match="Context name cannot contain a colon"):
        normalize_context("a:b")


def test_what_a_scope_means() -> None:
    assert in_scope(":.ctx:s", None)
    assert in_scope(":.ctx:s", ":.ctx:")
    assert in_scope(":.ctx:s", ":.__GLOBAL:")
    assert in_scope("s", "s")
    assert not in_scope("s", ":.ctx:")
    assert not in_scope(":.ctx:s", "s")
