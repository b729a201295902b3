"""What librdkafka's errors on the way to brokers become: a sentence a broker, and nothing of what is told elsewhere."""

from __future__ import annotations

import pytest

from riacho.cli.broker_trouble import BrokerTrouble


class _Error:
    """As librdkafka hands it to `error_cb`."""

    def __init__(self, text: str) -> None:
        self._text = text

    def str(self) -> str:
        return self._text


def _told(*errors: str) -> list[str]:
    told: list[str] = []
    trouble = BrokerTrouble(told.append)
    for error in errors:
        trouble(_Error(error))
    return told


UNKNOWN = "kafka:9092/1: Failed to resolve 'kafka:9092': Name or service not known (after 3ms in state CONNECT)"
REFUSED = "localhost:9094/2: Connect to ipv4#127.0.0.1:9094 failed: Connection refused (after 0ms in state CONNECT)"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (UNKNOWN, "a broker is at kafka:9092, and it cannot be reached there (no such host); still trying."),
        (REFUSED, "a broker is at localhost:9094, and it cannot be reached there (connection refused); still trying."),
        (
            "GroupCoordinator: " + UNKNOWN.replace("/1", ""),
            "at kafka:9092, and it cannot be reached there (no such host)",
        ),
    ],
)
def test_an_advertised_address_that_leads_nowhere(error: str, words: str) -> None:
    (told,) = _told(error)
    assert words in told


def test_each_broker_once_and_not_for_ever() -> None:
    assert len(_told(UNKNOWN, REFUSED, UNKNOWN, REFUSED, "GroupCoordinator: " + UNKNOWN.replace("/1", ""))) == 2
    assert len(_told(*(UNKNOWN.replace("kafka", f"kafka-{n}") for n in range(100)))) == 10


@pytest.mark.parametrize(
    "error",
    [
        "localhost:9092/1: Disconnected (after 600000ms in state UP)",
        "1/1 brokers are down",
        "sasl_plaintext://localhost:9092/1: SASL authentication error: Authentication failed",
        "",
    ],
)
def test_other_trouble_is_told_elsewhere(error: str) -> None:
    assert _told(error) == []


def test_a_bootstrap_server_is_told_of_before_any_work() -> None:
    assert _told(REFUSED.replace("/2", "/bootstrap")) == []
