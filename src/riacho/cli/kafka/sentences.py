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
}


def words(error: ErrorCode) -> str:
    return _WORDS.get(error, error.name)
