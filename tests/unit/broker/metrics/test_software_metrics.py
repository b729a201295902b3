"""Connections by the software of their clients."""

from __future__ import annotations

from riacho.broker.counters.visitors import Referrer, Visitors
from riacho.broker.metrics.software_metrics import software_lines

NAME = "kafka_server_socket_server_metrics_connections"


def came(visitors: Visitors, agent: str, count: int = 1) -> None:
    for number in range(count):
        visitors.enter(Referrer("PLAINTEXT", "10.0.0.9", "User:ann", f"{agent}-{number}"), agent, 0)


def lines(visitors: Visitors) -> list[str]:
    return [line.removeprefix(f"{NAME}{{listener=") for line in software_lines(visitors) if line.startswith(NAME)]


def test_each_software_is_told_with_its_version() -> None:
    visitors = Visitors()
    came(visitors, "librdkafka/2.11.0", 2)
    came(visitors, "-")
    assert lines(visitors) == [
        '"PLAINTEXT",client_software_name="librdkafka",client_software_version="2.11.0"} 2',
        '"PLAINTEXT",client_software_name="unknown",client_software_version="unknown"} 1',
    ]


def test_those_that_are_many_are_one_sum() -> None:
    visitors = Visitors(names_max=1_000)
    came(visitors, "common/1", 3)
    for number in range(300):
        came(visitors, f"odd/{number}")
    told = lines(visitors)
    assert len(told) == 101
    assert told[0].endswith('"common",client_software_version="1"} 3')
    assert told[-1] == '"PLAINTEXT",client_software_name="*",client_software_version="*"} 201'
