"""ElectLeadersResponse (response, key 43), v0-2.

Written by tools/generate_messages.py.
"""

from __future__ import annotations

from riacho.wire.schema import LAST, Field, Message, WireStruct


class PartitionResult(WireStruct):
    partition_id: int = 0
    error_code: int = 0
    error_message: str | None = ""

    FIELDS = (
        Field("partition_id", "int32"),
        Field("error_code", "int16"),
        Field("error_message", "string", nullable=(0, LAST)),
    )


class ReplicaElectionResult(WireStruct):
    topic: str = ""
    partition_result: list[PartitionResult] = []

    FIELDS = (
        Field("topic", "string"),
        Field("partition_result", PartitionResult, array=True),
    )


class ElectLeadersResponse(Message):
    throttle_time_ms: int = 0
    error_code: int = 0
    replica_election_results: list[ReplicaElectionResult] = []

    FIELDS = (
        Field("throttle_time_ms", "int32"),
        Field("error_code", "int16", (1, LAST)),
        Field("replica_election_results", ReplicaElectionResult, array=True),
    )
    NAME = "ElectLeadersResponse"
    API_KEY = 43
    VERSIONS = (0, 2)
    FLEXIBLE = 2
