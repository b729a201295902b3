"""A user's password on kafka-configs' command line or in its file: taken whole, or refused."""

from __future__ import annotations

import pytest

from riacho.cli.kafka.launch import ToolError
from riacho.cli.kafka.quotas import _credential
from riacho.client.scram_users import ITERATIONS_DEFAULT


@pytest.mark.parametrize(
    ("text", "password", "iterations"),
    [
        ("password=secret", "secret", ITERATIONS_DEFAULT),
        ("iterations=8192,password=a,b=c]", "a,b=c]", 8192),
        ("iterations=8192, password=password=", "password=", 8192),
    ],
)
def test_the_password_is_the_end_of_it(text: str, password: str, iterations: int) -> None:
    found = _credential("SCRAM-SHA-512", text)
    assert (found.text, found.iterations) == (password, iterations)


@pytest.mark.parametrize(
    "text", ["[password=secret]", "iterations=many,password=secret", "salt=x,password=s", "secret", ""]
)
def test_what_would_store_another_password_is_refused(text: str) -> None:
    with pytest.raises(ToolError, match="in a file without the brackets") as refused:
        _credential("SCRAM-SHA-512", text)
    assert "secret" not in str(refused.value)
