"""What calls on consumer instances are refused with, in the words of the original."""

from __future__ import annotations

from riacho.web.errors import ApiError

MUTUALLY_EXCLUSIVE = "Subscription to topics, partitions and pattern are mutually exclusive"


def instance_not_found() -> ApiError:
    return ApiError(404, 40403, "Consumer instance not found.")


def partition_not_found() -> ApiError:
    return ApiError(404, 40402, "Partition not found.")


def format_mismatch() -> ApiError:
    return ApiError(
        406, 40601, "The requested embedded data format does not match the deserializer for this consumer instance"
    )


def already_exists() -> ApiError:
    return ApiError(409, 40902, "Consumer with specified consumer ID already exists in the specified consumer group.")


def illegal_state(reason: str) -> ApiError:
    return ApiError(409, 40903, f"Illegal state: {reason}")


def invalid_config(reason: str) -> ApiError:
    return ApiError(422, 42204, f"Invalid consumer configuration: {reason}")


def violated_constraint(reason: str) -> ApiError:
    return ApiError(422, 40001, f"Invalid consumer configuration. It does not abide by the constraints: {reason}")


def too_many(what: str, limit: int) -> ApiError:
    return ApiError(429, 429, f"There are {limit} {what}, which is the most allowed.", headers={"Retry-After": "1"})
