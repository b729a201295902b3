"""Fields that are hidden: by path, key, header; for which topics and roles; nothing slips through another form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from riacho.base.config import ConfigError
from riacho.console.door.masking import HIDDEN, Masker, load_salt, masking_of
from riacho.console.door.roles import Role

SALT = b"s" * 32


def masker(field: str, mode: str = "hide", **more: str) -> Masker:
    rule = {"rules": "r", "r.field": field, "r.mode": mode, **{f"r.{name}": value for name, value in more.items()}}
    found = masking_of(rule, SALT).of("t", Role.VIEWER)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("field", "value", "shown"),
    [
        ("$.a.b", {"a": {"b": 1, "c": 2}}, {"a": {"b": HIDDEN, "c": 2}}),
        ("$.a", {"a": {"b": 1}}, {"a": HIDDEN}),
        ("$.a[0]", {"a": ["x", "y"]}, {"a": [HIDDEN, "y"]}),
        ("$.a[*].n", {"a": [{"n": 1}, {"n": 2, "m": 3}]}, {"a": [{"n": HIDDEN}, {"n": HIDDEN, "m": 3}]}),
        ("$..ssn", {"ssn": 1, "a": [{"ssn": {"x": 1}}]}, {"ssn": HIDDEN, "a": [{"ssn": HIDDEN}]}),
        ("$['a.b']", {"a.b": 1, "a": {"b": 2}}, {"a.b": HIDDEN, "a": {"b": 2}}),
        ("$.a.*", {"a": {"x": 1, "y": 2}}, {"a": {"x": HIDDEN, "y": HIDDEN}}),
        ("$.a", {"a": None, "b": 1}, {"a": None, "b": 1}),
        ("$.a", {"b": 1}, {"b": 1}),
        ("value", {"b": 1}, HIDDEN),
        ("$.a", "a=1", HIDDEN),
        ("$.a", 5, HIDDEN),
        ("$.a", None, None),
    ],
)
def test_paths(field: str, value: Any, shown: Any) -> None:
    before = repr(value)
    assert masker(field).value(value) == shown
    assert repr(value) == before, "what was given is not changed"


def test_last4_shows_no_more_than_that() -> None:
    last4 = masker("$.a", "last4")
    assert last4.value({"a": "4111111111111111"}) == {"a": f"{HIDDEN}1111"}
    assert last4.value({"a": 4111111111111111}) == {"a": f"{HIDDEN}1111"}
    assert last4.value({"a": "1234567"}) == {"a": HIDDEN}
    assert last4.value({"a": ["12345678901"]}) == {"a": HIDDEN}


def test_hashes_tell_equal_values_and_need_the_salt() -> None:
    hashed = masker("$.a", "hash")
    one, other = hashed.value({"a": "x"})["a"], hashed.value({"a": "y"})["a"]
    assert one == hashed.value({"a": "x"})["a"] != other
    assert one.startswith("hash:")
    elsewhere = masking_of({"rules": "r", "r.field": "$.a", "r.mode": "hash"}, b"other" * 8).of("t", Role.VIEWER)
    assert elsewhere is not None
    assert elsewhere.value({"a": "x"})["a"] != one


def test_keys_and_headers() -> None:
    keys = masker("key")
    assert (keys.key("k"), keys.value("v"), keys.hides_in_key, keys.hides_in_value) == (HIDDEN, "v", True, False)
    assert masker("key:$.id").key({"id": 1, "n": 2}) == {"id": HIDDEN, "n": 2}
    headers = masker("header:X-Token")
    assert (headers.header("x-token", "t"), headers.header("other", "o")) == (HIDDEN, "o")


def test_rules_are_for_topics_and_roles() -> None:
    rule = {"rules": "r", "r.field": "value", "r.topics": "pay.*|x", "r.except": "admin, operator"}
    masking = masking_of(rule, SALT)
    assert masking.of("payments", Role.VIEWER) is not None
    assert masking.of("repay", Role.VIEWER) is None
    assert masking.of("payments", Role.ADMIN) is None
    assert masking_of({}, b"").of("payments", Role.VIEWER) is None


def test_depth_is_bounded_and_what_is_too_deep_is_hidden() -> None:
    deep: Any = {"ssn": 1}
    for _ in range(500):
        deep = {"a": deep}
    shown = repr(masker("$..ssn").value(deep))
    assert "ssn" not in shown
    assert HIDDEN in shown


@pytest.mark.parametrize(
    ("properties", "problem"),
    [
        ({"rules": "r", "r.field": "$.a", "r.mode": "blur"}, "mode is blur"),
        ({"rules": "r", "r.field": "a.b"}, "field has to be"),
        ({"rules": "r"}, "field has to be"),
        ({"rules": "r", "r.field": "$"}, "no path"),
        ({"rules": "r", "r.field": "$.a["}, "no path"),
        ({"rules": "r", "r.field": "key:id"}, "no path"),
        ({"rules": "r", "r.field": "$.a", "r.topics": "("}, "regular expression"),
        ({"rules": "r", "r.field": "$.a", "r.except": "root"}, "no role"),
        ({"rules": "r", "r.field": "$.a", "r.filed": "x"}, "belongs to no rule"),
        ({"cards.field": "$.a"}, "belongs to no rule"),
    ],
)
def test_a_rule_that_would_hide_nothing_is_told(properties: dict[str, str], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        masking_of(properties, SALT)


def test_the_salt_is_made_once_and_is_nobody_elses(tmp_path: Path) -> None:
    path = tmp_path / "d" / "salt"
    salt = load_salt(path)
    assert len(salt) == 32
    assert load_salt(path) == salt
    assert path.stat().st_mode & 0o077 == 0
    path.write_bytes(b"torn")
    assert len(load_salt(path)) == 32
