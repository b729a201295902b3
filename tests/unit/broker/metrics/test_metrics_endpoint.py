"""The broker's own HTTP endpoint answers programs, and no pages of other sites."""

from __future__ import annotations

import json

import pytest

from riacho.broker.environment import SystemNetwork
from riacho.broker.metrics.exposition import Exposition
from riacho.broker.metrics.metrics_endpoint import MetricsEndpoint


class Said(Exposition):
    """What a node would say of itself."""

    def __init__(self, trouble: str | None) -> None:
        self._trouble = trouble

    def trouble(self) -> str | None:
        return self._trouble


def status(host: str = "127.0.0.1", **headers: str) -> int:
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    answer = MetricsEndpoint(SystemNetwork(), host, 0).answer(f"GET /metrics HTTP/1.1\r\n{head}\r\n".encode())
    return int(answer.split(b" ")[1])


@pytest.mark.parametrize("name", ["127.0.0.1:9404", "localhost:9404", "[::1]:9404"])
def test_programs_on_this_machine_are_answered(name: str) -> None:
    assert status(Host=name) == 200
    assert status(Host=name, Origin=f"http://{name}") == 200
    assert status() == 200


def test_a_foreign_name_and_pages_of_other_sites_are_refused() -> None:
    assert status(Host="evil.example:9404") == 403
    assert status(Host="localhost:9404", Origin="http://evil.example") == 403
    assert status("0.0.0.0", Host="broker.example:9404") == 200
    assert status("0.0.0.0", Host="broker.example:9404", Origin="null") == 403


@pytest.mark.parametrize(
    ("trouble", "status", "body"),
    [
        (None, 200, {"status": "UP"}),
        ("2 replicas are behind", 503, {"status": "DOWN", "trouble": "2 replicas are behind"}),
    ],
)  # fmt: skip
def test_ready_says_what_is_missing(trouble: str | None, status: int, body: dict[str, str]) -> None:
    answer = MetricsEndpoint(SystemNetwork(), "127.0.0.1", 0).answer(
        b"GET /ready HTTP/1.1\r\n\r\n", exposition=Said(trouble)
    )
    head, _, text = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status)
    assert json.loads(text) == body
