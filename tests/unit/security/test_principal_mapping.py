from __future__ import annotations

import pytest

from riacho.base.config import ConfigError
from riacho.security.principal_mapping import PrincipalMapper

NAME = "CN=Duke,OU=ServiceUsers,O=Org,C=US"


@pytest.mark.parametrize(
    ("rules", "user"),
    [
        ("DEFAULT", NAME),
        ("", NAME),
        ("RULE:^CN=(.*?),.*$/$1/", "Duke"),
        ("RULE:^CN=(.*?),.*$/$1/L", "duke"),
        ("RULE:^CN=(.*?),.*$/$1/U", "DUKE"),
        ("RULE:^CN=(.*?),OU=(.*?),.*$/$1@$2/L", "duke@serviceusers"),
        ("RULE:^CN=(?<who>.*?),.*$/${who}/", "Duke"),
        ("RULE:^OU=.*$/none/, RULE:^CN=(.*?),.*$/$1/ , DEFAULT", "Duke"),
        ("RULE:^OU=.*$/none/,DEFAULT", NAME),
        ("RULE:.*/a\\/b\\$1/", "a/b$1"),
        ("RULE:CN=Duke/no/", None),
        ("RULE:^cn=.*$/no/", None),
    ],
)
def test_rules(rules: str, user: str | None) -> None:
    assert PrincipalMapper(rules).user_of(NAME) == user


@pytest.mark.parametrize(
    "rules", ["deny", "RULE:(/x/", "RULE:a/b", "RULE:a/b/X", "DEFAULT x", "RULE:(a)/$2/", "RULE:a/b/L,wrong"]
)
def test_rules_that_cannot_be_read(rules: str) -> None:
    with pytest.raises(ConfigError, match=r"ssl\.principal\.mapping\.rules"):
        PrincipalMapper(rules)
