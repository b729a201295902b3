from __future__ import annotations

import pytest

from riacho.base.config import ConfigError
from riacho.security.jaas import parse_jaas

PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"


def test_one_module_with_options() -> None:
    module = parse_jaas(f'{PLAIN} required username="alice" password="s3cret" user_bob="b" user_alice = \'a\';')
    assert module.class_name == PLAIN
    assert module.options["username"] == "alice"
    assert module.user_passwords == {"bob": "b", "alice": "a"}
    assert "s3cret" not in repr(module)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("M required;", {}),
        ("M required\n  a=1\n  b='two words' ;\n", {"a": "1", "b": "two words"}),
        (r'M Required a="with \"quotes\" and \\ back";', {"a": 'with "quotes" and \\ back'}),
        ('M required a="x;y=z";', {"a": "x;y=z"}),
        ('M required // a comment\n a="1" /* another */ b="//no";', {"a": "1", "b": "//no"}),
        ('M optional serviceName="kafka";', {"serviceName": "kafka"}),
    ],
)
def test_forms(text: str, options: dict[str, str]) -> None:
    assert parse_jaas(text).options == options


@pytest.mark.parametrize(
    "text",
    ["", ";", "M;", "M required", "M sometimes a=1;", "M required a;", "M required a=;", 'M required a="hidden;',
     "M required a=1; N required;", "M required =hidden;"],
)  # fmt: skip
def test_what_is_not_one_module(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_jaas(text)
    assert "hidden" not in str(caught.value)
