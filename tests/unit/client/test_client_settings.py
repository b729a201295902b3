from __future__ import annotations

import pytest

from riacho.base.errors import KafkaError
from riacho.client.settings import client_settings, parse_address, parse_bootstrap


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("host:1", ("host", 1)),
        (" host ", ("host", 9092)),
        ("[::1]:9093", ("::1", 9093)),
        ("[::1]", ("::1", 9092)),
        ("PLAINTEXT://broker:29092", ("broker", 29092)),
    ],
)
def test_addresses(text: str, address: tuple[str, int]) -> None:
    assert parse_address(text) == address


@pytest.mark.parametrize("text", ["host:", "host:port", ":9092", "host:70000", "host:0"])
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(KafkaError, match="is not an address; write host:port"):
        parse_address(text)


def test_several_servers() -> None:
    assert parse_bootstrap("a:1, b:2,") == (("a", 1), ("b", 2))
    with pytest.raises(KafkaError, match="no bootstrap server is given"):
        parse_bootstrap(" , ")


def test_settings_from_properties() -> None:
    settings = client_settings("a:1", {"request.timeout.ms": "7", "client.id": "me", "linger.ms": "5"})
    assert (settings.request_timeout_ms, settings.client_id, settings.connect_timeout_ms) == (7, "me", 10_000)


def test_what_this_client_cannot_do() -> None:
    with pytest.raises(KafkaError, match=r"SASL_SSL needs sasl\.mechanism and sasl\.jaas\.config"):
        client_settings("a:1", {"security.protocol": "SASL_SSL"})
    with pytest.raises(KafkaError, match=r"security\.protocol=TELNET: one of PLAINTEXT"):
        client_settings("a:1", {"security.protocol": "telnet"})
    with pytest.raises(KafkaError, match="soon: not a number of milliseconds"):
        client_settings("a:1", {"request.timeout.ms": "soon"})
