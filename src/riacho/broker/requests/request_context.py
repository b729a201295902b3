"""Who asks, and what he may do: what every part of a node may know about the request that it serves.

Handlers are handed more: contexts that have the parts of the node, too (`broker/parts/request_contexts.py`). A
connection has one request in flight at a time, so it owns one context and dispatch refreshes the few fields that
change; nothing may keep a context beyond its request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.requests.addresses import unmapped
from riacho.broker.requests.refused_batches import RefusedBatches
from riacho.security.denials import denied
from riacho.security.operations import CLUSTER_NAME, AclOperation, AclResourceType

if TYPE_CHECKING:
    from riacho.broker.requests.large_requests import LargeRequests
    from riacho.broker.requests.permit import Permit
    from riacho.metadata.image.image import MetadataImage
    from riacho.metadata.settings.broker_values import BrokerValues
    from riacho.security.authorizer import Authorizer

Denial = tuple[AclOperation, AclResourceType, str]


class RequestConnection(Protocol):
    """The connection by which a request came."""

    @property
    def on_lost(self) -> dict[object, Callable[[], None]]:
        """By whoever keeps something for its client: how it lets go of that when the connection is gone."""

    @property
    def security_protocol(self) -> str: ...

    @property
    def worked_ns(self) -> int:
        """The time that the request in flight took this process, not the time that it waited."""


class _Gone:
    @property
    def on_lost(self) -> dict[object, Callable[[], None]]:
        return {}

    @property
    def security_protocol(self) -> str:
        return "PLAINTEXT"

    @property
    def worked_ns(self) -> int:
        return 0


# In place of a connection that was lost: not None, which would make the request one of this very cluster's.
GONE = _Gone()


class CurrentMetadata(Protocol):
    """The cluster as this node knows it now."""

    @property
    def image(self) -> MetadataImage: ...

    @property
    def values(self) -> BrokerValues:
        """This node's settings: dynamic over static over the table."""


class RequestContext:
    __slots__ = (
        "authorizer",
        "client_host",
        "client_id",
        "client_software_name",
        "client_software_version",
        "connection",
        "correlation_id",
        "denials",
        "has_asked_for_metadata",
        "is_for_controllers",
        "is_own",
        "is_token_authenticated",
        "large_requests",
        "listener_name",
        "metadata",
        "opened_ms",
        "permit",
        "principal",
        "refused_batches",
        "size_bytes",
        "version",
    )

    def __init__(
        self,
        authorizer: Authorizer | None,
        metadata: CurrentMetadata,
        large_requests: LargeRequests,
        listener_name: str,
        client_host: str,
        connection: RequestConnection | None = None,
        is_for_controllers: bool = False,
    ) -> None:
        # None lets everybody do everything.
        self.authorizer = authorizer
        self.metadata = metadata
        self.large_requests = large_requests
        # The connection by which it came; None for a request out of an envelope or of this very process.
        self.connection = connection
        # Whether it came in where controllers and brokers speak with the quorum, not clients with brokers.
        self.is_for_controllers = is_for_controllers
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
        self.permit: Permit | None = None
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

    def enveloped(self, client_host: str) -> RequestContext:
        """The context of a request that this one has within it (KIP-590)."""
        return RequestContext(self.authorizer, self.metadata, self.large_requests, "", client_host)

    @property
    def agent(self) -> str:
        """The client's software and its version, as it named them in ApiVersions (KIP-511); `-` where it did not."""
        name = self.client_software_name
        return f"{name}/{self.client_software_version}" if name else "-"

    # What the client may do

    def allows(
        self, operation: AclOperation, resource_type: AclResourceType, name: str, is_audited: bool = True
    ) -> bool:
        """Whether the client may do this to that resource. Not audited: questions by which a listing is filtered."""
        authorizer = self.authorizer
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
        if self.authorizer is None:
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
        if self.authorizer is None:
            return True
        if isinstance(topic, bytes):
            found = self.metadata.image.topics_by_id.get(topic)
            if found is None:
                return True
            topic = found.name
        return self.allows(operation, AclResourceType.TOPIC, topic, is_audited)

    def allows_any(self, operation: AclOperation, resource_type: AclResourceType) -> bool:
        """Whether there is any resource of this type to which the client may do this."""
        authorizer = self.authorizer
        if authorizer is None or self.is_own:
            return True
        return authorizer.authorize_by_resource_type(self.principal, self.client_host, operation, resource_type)
