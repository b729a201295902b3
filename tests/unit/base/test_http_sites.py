"""Host and Origin: which calls are meant for this machine, and which pages made them."""

from __future__ import annotations

import pytest

from riacho.base.http_sites import is_own_host, is_same_site


@pytest.mark.parametrize(
    "host",
    ["localhost", "localhost:8083", "LocalHost.", "127.0.0.1:8083", "127.9.9.9", "[::1]:8083", "mine.example:1"],
)
def test_this_machine_by_itself_and_by_its_names(host: str) -> None:
    assert is_own_host(host, ["Mine.example"])


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8083",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "10.0.0.1",
        "[::2]:1",
        "0x7f.1",
        "127.0.0.1@evil.example",
        "evil.example/localhost",
        "localhost:x",
        "mine.example.evil",
    ],
)
def test_other_names_are_not(host: str) -> None:
    assert not is_own_host(host, ["mine.example"])


@pytest.mark.parametrize(
    ("origin", "host", "same"),
    [
        ("http://localhost:8083", "localhost:8083", True),
        ("http://LOCALHOST:8083", "localhost:8083", True),
        ("http://a.example", "a.example:80", True),
        ("https://a.example", "a.example", True),
        ("https://a.example:443", "a.example", True),
        ("http://localhost:3000", "localhost:8083", False),
        ("http://evil.example", "localhost:8083", False),
        ("null", "localhost:8083", False),
        ("", "localhost:8083", False),
        ("file://", "localhost:8083", False),
        ("chrome-extension://abc", "abc", False),
        ("http://a.example@evil.example", "evil.example", False),
    ],
)
def test_a_page_of_the_same_address(origin: str, host: str, same: bool) -> None:
    assert is_same_site(origin, host) is same
