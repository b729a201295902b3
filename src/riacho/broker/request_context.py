"""What a handler knows about the request it serves.

A connection has one request in flight at a time, so it owns one context and dispatch refreshes the few fields that
change; nothing may keep a context beyond its request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riacho.broker.node import Broker


class RequestContext:
    __slots__ = (
        "broker",
        "client_host",
        "client_id",
        "client_software_name",
        "client_software_version",
        "correlation_id",
        "listener_name",
        "principal",
        "version",
    )

    def __init__(self, broker: Broker, listener_name: str, client_host: str) -> None:
        self.broker = broker
        self.listener_name = listener_name
        self.client_host = client_host
        self.client_id = ""
        self.client_software_name = ""
        self.client_software_version = ""
        self.principal = "User:ANONYMOUS"
        self.version = 0
        self.correlation_id = 0
