"""Answers of the newest form can be written in every version."""

from __future__ import annotations

import pytest

from riacho.broker.handlers.table import CONTROLLER_TABLE, TABLE
from riacho.broker.requests.version_fit import fitted
from riacho.wire import codec
from riacho.wire.apis import APIS, response_class
from riacho.wire.messages.create_delegation_token_response import CreateDelegationTokenResponse
from riacho.wire.messages.describe_quorum_response import (
    DescribeQuorumResponse,
    Node,
    PartitionData,
    ReplicaState,
    TopicData,
)
from support.wire_messages import RandomMessages

CASES = sorted(
    {(api.key, each) for api in (*TABLE, *CONTROLLER_TABLE) for each in range(api.version_min, api.version_max + 1)}
)


@pytest.mark.parametrize(("key", "version"), CASES, ids=[f"{APIS[key].name}-v{version}" for key, version in CASES])
def test_any_answer_fits_any_version(key: int, version: int) -> None:
    cls = response_class(key)
    newest = RandomMessages((key, version)).message(cls, cls.VERSIONS[1])
    written = codec.encode(fitted(newest, version), version)
    assert codec.decode(cls, version, written) == newest


def test_what_a_version_lacks_goes_and_the_rest_stays() -> None:
    replica = ReplicaState(replica_id=3, replica_directory_id=b"d" * 16, log_end_offset=9)
    partition = PartitionData(leader_id=3, current_voters=[replica], error_message="why")
    answer = DescribeQuorumResponse(topics=[TopicData(topic_name="t", partitions=[partition])], nodes=[Node(node_id=3)])
    found = codec.decode(DescribeQuorumResponse, 1, codec.encode(fitted(answer, 1), 1))
    assert found.nodes == []
    assert found.topics[0].partitions[0].current_voters[0] == ReplicaState(replica_id=3, log_end_offset=9)


def test_a_null_where_none_is_allowed_is_nothing() -> None:
    answer = CreateDelegationTokenResponse(token_requester_principal_name="a", token_id=None)  # type: ignore[arg-type]
    assert codec.decode(CreateDelegationTokenResponse, 1, codec.encode(fitted(answer, 1), 1)).token_id == ""
