"""JDBC addresses."""

from __future__ import annotations

import pytest

from riacho.base.config import ConfigError
from riacho.pipelines.connectors.jdbc.url import JdbcUrl, parse_jdbc_url


def test_addresses_of_both_kinds() -> None:
    assert parse_jdbc_url("jdbc:sqlite:/var/shop.db") == JdbcUrl("sqlite", "/var/shop.db")
    found = parse_jdbc_url("jdbc:postgresql://db.local:6000/shop?user=me&password=pa%26ss&sslmode=require")
    assert (found.host, found.port, found.database, found.user) == ("db.local", 6000, "shop", "me")
    assert found.password == "pa&ss"
    assert found.properties == {"sslmode": "require"}
    assert "pa&ss" not in repr(found) + found.shown
    assert parse_jdbc_url("jdbc:postgresql://[::1]/shop").shown == "::1:5432/shop"
    assert parse_jdbc_url("jdbc:postgresql:shop").shown == "localhost:5432/shop"


@pytest.mark.parametrize(
    "text",
    ["", "jdbc:mysql://h/d", "jdbc:sqlite:", "jdbc:sqlite::memory:", "jdbc:postgresql://h:x/d", "jdbc:postgresql://h/"],
)
def test_what_is_no_address_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(ConfigError, match=r"^connection\.url must"):
        parse_jdbc_url(text)
