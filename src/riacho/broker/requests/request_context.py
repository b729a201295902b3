"""What a handler knows about the request it serves.

A connection has one request in flight at a time, so it owns one context and dispatch refreshes the few fields that
change; nothing may keep a context beyond its request.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.requests.addresses import unmapped
from riacho.broker.requests.refused_batches import RefusedBatches
from riacho.security.denials import denied
from riacho.security.operations import CLUSTER_NAME, AclOperation, AclResourceType

if TYPE_CHECKING:
    from riacho.broker.node import Broker
    from riacho.broker.requests.turn import Turn

# In place of a connection that was lost: not None, which would make the request one of this very cluster's.
GONE = object()

Denial = tuple[AclOperation, AclResourceType, str]


class RequestContext:
    __slots__ = (
        "broker",
        "client_host",
        "client_id",
        "client_software_name",
        "client_software_version",
        "connection",
        "correlation_id",
        "denials",
        "has_asked_for_metadata",
        "is_own",
        "is_token_authenticated",
        "listener_name",
        "opened_ms",
        "principal",
        "refused_batches",
        "size_bytes",
        "turn",
        "version",
    )

    def __init__(self, broker: Broker, listener_name: str, client_host: str, connection: object = None) -> None:
        self.broker = broker
        # The connection by which it came; None for a request out of an envelope or of this very process.
        self.connection = connection
        self.listener_name = listener_name
        self.client_host = unmapped(client_host)
        self.client_id = ""
        self.client_software_name = ""
        self.client_software_version = ""
        self.principal = "User:ANONYMOUS"
        # By a delegation token (KIP-48), which may not be used to get another.
        self.is_token_authenticated = False
        self.version = 0
        self.correlation_id = 0
        # Of the request, as it came.
        self.size_bytes = 0
        # Of a large request, once it has it.
        self.turn: Turn | None = None
        # Of this connection: whether this is not its first question for metadata.
        self.has_asked_for_metadata = False
        # Of this connection: what a producer will send again, and what must not be taken before.
        self.refused_batches = RefusedBatches()
        # When its connection came to be.
        self.opened_ms = 0
        # Whether this node asks itself, which it may.
        self.is_own = False
        # What this request was not allowed to do, until the audit log has it.
        self.denials: list[Denial] = []

    @property
    def is_for_controllers(self) -> bool:
        """Whether it came in where controllers and brokers speak with the quorum, not clients with brokers."""
        return self.broker.config.is_controller_listener(self.listener_name)

    # What the client may do

    def allows(
        self, operation: AclOperation, resource_type: AclResourceType, name: str, is_audited: bool = True
    ) -> bool:
        """Whether the client may do this to that resource. Not audited: questions by which a listing is filtered."""
        authorizer = self.broker.authorizer
        if authorizer is None or self.is_own:
            return True
        if authorizer.allows(self.principal, self.client_host, operation, resource_type, name):
            return True
        if is_audited:
            self.denials.append((operation, resource_type, name))
        return False

    def allowed(
        self, operation: AclOperation, resource_type: AclResourceType, names: Iterable[str], is_audited: bool = True
    ) -> set[str]:
        """Those of the resources to which the client may do this."""
        if self.broker.authorizer is None:
            return set(names)
        return {name for name in set(names) if self.allows(operation, resource_type, name, is_audited)}

    def allows_cluster(self, operation: AclOperation, is_audited: bool = True) -> bool:
        return self.allows(operation, AclResourceType.CLUSTER, CLUSTER_NAME, is_audited)

    def check_cluster(self, operation: AclOperation) -> None:
        if not self.allows(operation, AclResourceType.CLUSTER, CLUSTER_NAME):
            raise KafkaError(ErrorCode.CLUSTER_AUTHORIZATION_FAILED, f"Request needs {operation.name} permission.")

    def check_group(self, operation: AclOperation, group_id: str) -> None:
        if not self.allows(operation, AclResourceType.GROUP, group_id):
            raise denied(AclResourceType.GROUP)

    def allows_topic(self, operation: AclOperation, topic: str | bytes, is_audited: bool = True) -> bool:
        """By name or id. One whose id nobody knows may be asked for: there is nothing to hide."""
        if self.broker.authorizer is None:
            return True
        if isinstance(topic, bytes):
            found = self.broker.metadata.image.topics_by_id.get(topic)
            if found is None:
                return True
            topic = found.name
        return self.allows(operation, AclResourceType.TOPIC, topic, is_audited)

    def allows_any(self, operation: AclOperation, resource_type: AclResourceType) -> bool:
        """Whether there is any resource of this type to which the client may do this."""
        authorizer = self.broker.authorizer
        if authorizer is None or self.is_own:
            return True
        return authorizer.authorize_by_resource_type(self.principal, self.client_host, operation, resource_type)
