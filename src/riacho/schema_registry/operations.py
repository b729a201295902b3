"""The errors of changes that could not be made, by the kind of change: the original's sentences."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Operation:
    timed_out: str
    failed: str
    not_forwarded: str
    leader_unknown: str = "Leader not known."


def _operation(request: str, timed_out: str, failed: str, leader_unknown: str = "Leader not known.") -> Operation:
    return Operation(timed_out, failed, f"Error while forwarding {request} request to the leader", leader_unknown)


def _setting(verb: str, name: str, request: str) -> Operation:
    failed = f"Failed to {verb} {name}"
    return _operation(f"{verb} {request}", f"{verb.capitalize()} {request} operation timed out", failed, failed)


REGISTER = _operation(
    "register schema",
    "Register operation timed out",
    "Register schema operation failed while writing to the Kafka store",
)
TAG = _operation(
    "register schema tags",
    "Register operation timed out",
    "Register schema tags operation failed while writing to the Kafka store",
)
DELETE_VERSION = _operation(
    "delete schema version",
    "Delete Schema Version operation timed out",
    "Delete Schema Version operation failed while writing to the Kafka store",
)
DELETE_SUBJECT = _operation(
    "delete subject",
    "Delete Subject operation timed out",
    "Delete Subject operation failed while writing to the Kafka store",
)
DELETE_CONTEXT = _operation(
    "delete context",
    "Delete Context operation timed out",
    "Delete Context operation failed while writing to the Kafka store",
)
UPDATE_CONFIG = _setting("update", "compatibility level", "config")
DELETE_CONFIG = _setting("delete", "compatibility level", "config")
UPDATE_MODE = _setting("update", "mode", "mode")
DELETE_MODE = _setting("delete", "mode", "mode")
