"""How much a peer may ask of this broker. Each limit is a Kafka config key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riacho.broker.config import BrokerConfig

# Kafka sets no limit by default; a peer could then fill our memory with requests that it never finishes.
_HELD_SIZE_BYTES_MAX_DEFAULT = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    frame_size_bytes_max: int  # socket.request.max.bytes
    fetch_size_bytes_max: int  # fetch.max.bytes
    send_buffer_size_bytes: int  # socket.send.buffer.bytes
    receive_buffer_size_bytes: int  # socket.receive.buffer.bytes
    held_size_bytes_max: int  # queued.max.request.bytes
    connections_max: int  # max.connections
    connections_max_per_ip: int  # max.connections.per.ip
    connection_rate_max: int  # max.connection.creation.rate
    connection_idle_ms_max: int  # connections.max.idle.ms

    @classmethod
    def of(cls, config: BrokerConfig) -> Limits:
        held = config.get("queued.max.request.bytes")
        return cls(
            frame_size_bytes_max=config.get("socket.request.max.bytes"),
            fetch_size_bytes_max=config.get("fetch.max.bytes"),
            send_buffer_size_bytes=config.get("socket.send.buffer.bytes"),
            # Left to the kernel, which grows it for a peer that sends much, unless somebody chose a size.
            receive_buffer_size_bytes=(
                config.get("socket.receive.buffer.bytes") if config.is_set("socket.receive.buffer.bytes") else -1
            ),
            held_size_bytes_max=held if held > 0 else _HELD_SIZE_BYTES_MAX_DEFAULT,
            connections_max=config.get("max.connections"),
            connections_max_per_ip=config.get("max.connections.per.ip"),
            connection_rate_max=config.get("max.connection.creation.rate"),
            connection_idle_ms_max=config.get("connections.max.idle.ms"),
        )
