"""What `riacho status` shows in a terminal of 80 columns: whole words, and no line that goes beyond."""

from __future__ import annotations

import os
import re

import pytest

from riacho.cli.commands import status
from riacho.cli.health import ClusterHealth, Health, ServiceHealth
from riacho.cli.output import show_facts, show_rows
from riacho.cli.supervisor.process_mark import mark
from riacho.cli.supervisor.run_state import BrokerState, RunState
from riacho.cli.views.cluster_view import ClusterView

COLUMNS = 80
VIEW = ClusterView(frozenset({1, 2, 3}), 12, 150, [], [], {}, 1)
FENCED = "fenced: the controller does not count on it"


@pytest.fixture(autouse=True)
def _terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("riacho.cli.output.is_terminal", lambda stream: True)
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    monkeypatch.setenv("NO_COLOR", "1")


def _broker(node_id: int, trouble: str | None = None) -> Health:
    address = f"127.0.0.1:{20000 + node_id}"
    metrics = f"http://127.0.0.1:{19404 + node_id}/metrics"
    figures = (1234.5, 1500, 4500, 4499, 12)
    return Health(node_id, address, metrics, 4194000 + node_id, True, "running", True, node_id == 1, *figures, trouble)


def _service(name: str, port: int, trouble: str | None = None) -> ServiceHealth:
    return ServiceHealth(name, f"http://127.0.0.1:{port}", 4194200, True, "running", 1234.5, 3, "log", trouble)


def _shown(brokers: list[Health], services: list[ServiceHealth], capsys: pytest.CaptureFixture[str]) -> str:
    me = mark(os.getpid())
    states = tuple(BrokerState(b.node_id, me, b.bootstrap, b.metrics) for b in brokers)
    state = RunState("/var/lib/somebody/.local/share/riacho", me, 1, states)
    status._print_status(state, ClusterHealth(brokers, VIEW, None, services))
    return capsys.readouterr().out


def _check(shown: str, *words: str) -> None:
    assert [line for line in shown.splitlines() if len(line) > COLUMNS] == []
    found = set(re.split(r"[\s,]+", shown))
    assert [word for word in words if word not in found] == []


def test_one_broker_and_all_services(capsys: pytest.CaptureFixture[str]) -> None:
    services = [_service("schema-registry", 28081), _service("rest-proxy", 28082), _service("connect", 28083)]
    shown = _shown([_broker(1)], services, capsys)
    _check(
        shown, "BROKER", "CONTROLLER", "RESTARTS", "4499/4500", "4194001", "schema-registry", "http://127.0.0.1:28081"
    )
    assert "Riacho is well." in shown


def test_three_brokers_and_their_addresses(capsys: pytest.CaptureFixture[str]) -> None:
    brokers = [_broker(node_id) for node_id in (1, 2, 3)]
    words = [word for broker in brokers for word in (broker.bootstrap, broker.metrics or "")]
    _check(_shown(brokers, [], capsys), "standby", "active", *words)


def test_troubles_are_sentences_above_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    log = "/var/lib/somebody/.local/share/riacho/logs/connect.log"
    services = [_service("connect", 28083, f"it does not say that it is well; see {log}")]
    shown = _shown([_broker(1), _broker(2, FENCED)], services, capsys)
    _check(shown, "unwell", log, *FENCED.split())
    assert f"broker 2    {FENCED}" in shown
    assert "Riacho is not well." in shown


def test_a_table_breaks_between_words(capsys: pytest.CaptureFixture[str]) -> None:
    row = {name: f"{name} with words" for name in ("alphabetical", "bibliography", "cartography", "documentation")}
    show_rows([row], list(row), "table")
    _check(capsys.readouterr().out, "ALPHABETICAL", "alphabetical", "bibliography", "cartography", "documentation")


def test_facts_stay_on_one_line_where_programs_read_them(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("riacho.cli.output.is_terminal", lambda stream: False)
    addresses = ",".join(f"127.0.0.1:{port}" for port in range(9092, 9112))
    show_facts({"bootstrap": addresses})
    assert capsys.readouterr().out == f"bootstrap  {addresses}\n"
