"""Addresses of other services become links where they are of http, and nothing else does; those in the settings are
told without what is secret in them."""

from __future__ import annotations

from typing import Any

import pytest

from riacho.console.services.ksql import Query
from riacho.console.services.links import link_address, told_address
from riacho.console.services.query_figures import figures_of


@pytest.mark.parametrize("address", ["http://127.0.0.1:4040", "https://spark.example/proxy/app-1", "http://[::1]:4040"])
def test_an_address(address: str) -> None:
    assert link_address(address) == address


@pytest.mark.parametrize(
    "value",
    [
        "javascript:alert(1)", "JaVaScRiPt://x/%0aalert(1)", "data:text/html,x", "file:///etc/passwd", "//host/x",
        "http://", "http:///x", "http://user:secret@host/", "http://host@evil.example/", "http://[::1", "http://a b/",
        "http://host\\@evil.example/", "http://host/\u202egnp", "\thttp://host/", "http://" + "x" * 2_000, "",
        None, 5, ["http://host/"],
    ],
)  # fmt: skip
def test_what_is_no_link(value: Any) -> None:
    assert link_address(value) is None


@pytest.mark.parametrize(
    ("urls", "told"),
    [
        (["http://registry:8081"], "http://registry:8081"),
        (["https://user:pass%40word@registry:8081/api/", "http://other:8081"], "https://registry:8081/api"),
        (["http://user:p@ss@registry:8081"], "http://registry:8081"),
        (["http://user:@[::1]:8081"], "http://[::1]:8081"),
        (["http://registry:8081/?token=password#password"], "http://registry:8081"),
        ([], None),
        # Where nobody can say for sure what is still the login.
        (["http://user:pass/word@registry:8081"], None),
        (["http://user:1/word@registry:8081"], None),
        (["http://user:1?word@registry:8081"], None),
        (["http://user:1#word@registry:8081"], None),
        (["http://user:password@"], None),
        (["http://[::1"], None),
    ],
)
def test_the_address_of_a_service_has_no_login_in_it(urls: list[str], told: str | None) -> None:
    assert told_address(urls) == told


def test_what_a_query_is_told_of() -> None:
    query = Query(id="Q", statistics={"stateRows": 3, "stateBytes": 400, "sparkUi": "http://127.0.0.1:4040"})
    assert figures_of(query) == (3, 400, "http://127.0.0.1:4040")
    strange = Query(id="Q", statistics={"stateRows": "3", "stateBytes": -1, "sparkUi": "javascript:x"})
    assert figures_of(strange) == (None, None, None)
    assert figures_of(Query(id="Q")) == (None, None, None)
