"""What a handler knows about the request it serves.

A connection has one request in flight at a time, so it owns one context and dispatch refreshes the few fields that
change; nothing may keep a context beyond its request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riacho.broker.node import Broker
    from riacho.security.operations import AclOperation, AclResourceType


class RequestContext:
    __slots__ = (
        "broker",
        "client_host",
        "client_id",
        "client_software_name",
        "client_software_version",
        "connection",
        "correlation_id",
        "has_asked_for_metadata",
        "listener_name",
        "opened_ms",
        "principal",
        "version",
    )

    def __init__(self, broker: Broker, listener_name: str, client_host: str, connection: object = None) -> None:
        self.broker = broker
        # The connection by which it came; None for a request out of an envelope or of this very process.
        self.connection = connection
        self.listener_name = listener_name
        self.client_host = client_host
        self.client_id = ""
        self.client_software_name = ""
        self.client_software_version = ""
        self.principal = "User:ANONYMOUS"
        self.version = 0
        self.correlation_id = 0
        # Of this connection: whether this is not its first question for metadata.
        self.has_asked_for_metadata = False
        # When its connection came to be.
        self.opened_ms = 0

    @property
    def is_for_controllers(self) -> bool:
        """Whether it came in where controllers and brokers speak with the quorum, not clients with brokers."""
        return self.broker.config.is_controller_listener(self.listener_name)

    def allows(self, operation: AclOperation, resource_type: AclResourceType, name: str) -> bool:
        """Whether the client may do this to that resource."""
        authorizer = self.broker.authorizer
        return authorizer is None or authorizer.allows(self.principal, self.client_host, operation, resource_type, name)
