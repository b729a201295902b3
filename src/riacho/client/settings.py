"""A client's settings: addresses, its name, and how long it may wait."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.client_security import ClientSecurity

DEFAULT_PORT = 9092
# Kafka's socket.request.max.bytes: an answer larger than the largest request is no Kafka answer.
FRAME_SIZE_BYTES_MAX = 100 * 1024 * 1024


class ClientSettings(NamedTuple):
    """Defaults are those of Kafka's admin client, but for `reach_timeout_ms`: a person waits for the answer."""

    bootstrap: tuple[tuple[str, int], ...]
    client_id: str = "riacho"
    connect_timeout_ms: int = 10_000
    request_timeout_ms: int = 30_000
    # How long to go on trying while no broker can be reached at all.
    reach_timeout_ms: int = 5_000
    # How long to go on trying while brokers answer with retriable errors.
    api_timeout_ms: int = 60_000
    retry_backoff_ms: int = 100
    retry_backoff_max_ms: int = 1_000
    frame_size_bytes_max: int = FRAME_SIZE_BYTES_MAX
    # `bootstrap` names controllers, not brokers (KIP-919): they tell of each other, and of no topic.
    is_to_controllers: bool = False
    security: ClientSecurity = ClientSecurity()


def parse_address(text: str) -> tuple[str, int]:
    """`host:port`, `host`, `[::1]:port`, with or without `PLAINTEXT://` before it."""
    address = text.strip().rpartition("://")[2]
    host, colon, port = address.rpartition(":")
    if not colon or address.endswith("]"):
        host, port = address, str(DEFAULT_PORT)
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise KafkaError(ErrorCode.INVALID_REQUEST, f"'{text.strip()}' is not an address; write host:port")
    return host.strip("[]"), int(port)


def parse_bootstrap(text: str) -> tuple[tuple[str, int], ...]:
    addresses = tuple(parse_address(part) for part in text.split(",") if part.strip())
    if not addresses:
        raise KafkaError(ErrorCode.INVALID_REQUEST, "no bootstrap server is given; write host:port")
    return addresses


def client_settings(bootstrap: str, properties: Mapping[str, str]) -> ClientSettings:
    """From a properties file with Kafka's client keys; keys that mean nothing to this client pass by."""
    defaults = ClientSettings(parse_bootstrap(bootstrap))

    def milliseconds(key: str, default: int) -> int:
        text = properties.get(key, str(default))
        if not text.isdecimal():
            raise KafkaError(ErrorCode.INVALID_CONFIG, f"{key}={text}: not a number of milliseconds")
        return int(text)

    return defaults._replace(
        client_id=properties.get("client.id") or defaults.client_id,
        connect_timeout_ms=milliseconds("socket.connection.setup.timeout.ms", defaults.connect_timeout_ms),
        request_timeout_ms=milliseconds("request.timeout.ms", defaults.request_timeout_ms),
        reach_timeout_ms=milliseconds("default.api.timeout.ms", defaults.reach_timeout_ms),
        api_timeout_ms=milliseconds("default.api.timeout.ms", defaults.api_timeout_ms),
        retry_backoff_ms=milliseconds("retry.backoff.ms", defaults.retry_backoff_ms),
        retry_backoff_max_ms=milliseconds("retry.backoff.max.ms", defaults.retry_backoff_max_ms),
        security=_security(properties),
    )


def _security(properties: Mapping[str, str]) -> ClientSecurity:
    if properties.get("security.protocol", "PLAINTEXT").upper() == "PLAINTEXT":
        return ClientSecurity()
    # Most commands speak plaintext, and start faster without the TLS library.
    from riacho.client.security import client_security

    return client_security(properties)
