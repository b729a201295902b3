"""Error codes in plain words, for the tools that print an error beside each item."""

from __future__ import annotations

from riacho.base.errors import ErrorCode

_WORDS = {
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION: "This server does not host this topic-partition.",
    ErrorCode.GROUP_ID_NOT_FOUND: "The group id does not exist.",
    ErrorCode.NON_EMPTY_GROUP: "The group is not empty.",
    ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC: "The group is subscribed to the topic.",
    ErrorCode.OFFSET_OUT_OF_RANGE: "The offset is outside the log.",
    ErrorCode.LEADER_NOT_AVAILABLE: "The partition has no leader.",
    ErrorCode.POLICY_VIOLATION: "The topic's policy does not allow it.",
    ErrorCode.TOPIC_AUTHORIZATION_FAILED: "Not authorized for the topic.",
    ErrorCode.GROUP_AUTHORIZATION_FAILED: "Not authorized for the group.",
    ErrorCode.COORDINATOR_NOT_AVAILABLE: "The group has no coordinator.",
    ErrorCode.INVALID_GROUP_ID: "The group id is not valid.",
    ErrorCode.KAFKA_STORAGE_ERROR: "The broker's disk failed.",
    ErrorCode.UNKNOWN_MEMBER_ID: "The group has active members.",
    ErrorCode.NO_REASSIGNMENT_IN_PROGRESS: "No partition reassignment is in progress.",
    ErrorCode.INVALID_REPLICA_ASSIGNMENT: "The replica assignment is not valid.",
    ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE: "No replica can become the leader.",
    ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE: "The preferred leader is not available.",
    ErrorCode.LOG_DIR_NOT_FOUND: "The broker has no such log directory.",
    ErrorCode.REPLICA_NOT_AVAILABLE: "The broker has no such replica.",
    ErrorCode.CLUSTER_AUTHORIZATION_FAILED: "Not authorized for the cluster.",
}


def words(error: ErrorCode) -> str:
    return _WORDS.get(error, error.name)
