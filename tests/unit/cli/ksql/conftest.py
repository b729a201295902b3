from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from click.testing import CliRunner, Result

from riacho.cli.ksql.main import command
from support.ksql_fake_server import FakeKsql, fake_ksql

Ksql = Callable[..., Result]


@pytest.fixture
def server() -> Iterator[FakeKsql]:
    with fake_ksql() as fake:
        yield fake


@pytest.fixture
def ksql(server: FakeKsql, monkeypatch: pytest.MonkeyPatch) -> Ksql:
    """`ksql URL WORDS`, with what is piped into it."""
    monkeypatch.setenv("COLUMNS", "80")

    def run(*words: str, piped: str = "") -> Result:
        return CliRunner().invoke(command, [server.url, *words], input=piped)

    return run
