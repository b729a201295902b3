"""How a request that was not allowed is refused: Kafka's code and words, by the type of the resource."""

from __future__ import annotations

from riacho.base.errors import ErrorCode, KafkaError
from riacho.security.operations import AclResourceType

_DENIALS = {
    AclResourceType.TOPIC: (ErrorCode.TOPIC_AUTHORIZATION_FAILED, "Topic authorization failed."),
    AclResourceType.GROUP: (ErrorCode.GROUP_AUTHORIZATION_FAILED, "Group authorization failed."),
    AclResourceType.CLUSTER: (ErrorCode.CLUSTER_AUTHORIZATION_FAILED, "Cluster authorization failed."),
    AclResourceType.TRANSACTIONAL_ID: (
        ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
        "Transactional Id authorization failed.",
    ),
    AclResourceType.DELEGATION_TOKEN: (
        ErrorCode.DELEGATION_TOKEN_AUTHORIZATION_FAILED,
        "Delegation Token authorization failed.",
    ),
}


def denied(resource_type: AclResourceType) -> KafkaError:
    return KafkaError(*_DENIALS[resource_type])
