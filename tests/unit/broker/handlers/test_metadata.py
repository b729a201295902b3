from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.handlers import (
    api_versions,
    create_topics,
    delete_topics,
    describe_cluster,
    describe_configs,
    describe_quorum,
    describe_topic_partitions,
    init_producer_id,
    list_config_resources,
    metadata,
)
from riacho.broker.handlers.table import TABLE
from riacho.metadata.image.config_resource import ResourceType
from riacho.metadata.image.features import LATEST
from riacho.wire.codec import decode, encode
from riacho.wire.messages.api_versions_request import ApiVersionsRequest
from riacho.wire.messages.api_versions_response import ApiVersionsResponse
from riacho.wire.messages.create_topics_request import CreateTopicsRequest
from riacho.wire.messages.delete_topics_request import DeleteTopicsRequest, DeleteTopicState
from riacho.wire.messages.describe_cluster_request import DescribeClusterRequest
from riacho.wire.messages.describe_configs_request import DescribeConfigsRequest, DescribeConfigsResource
from riacho.wire.messages.describe_quorum_request import DescribeQuorumRequest
from riacho.wire.messages.describe_quorum_request import PartitionData as AskedPartition
from riacho.wire.messages.describe_quorum_request import TopicData as AskedTopic
from riacho.wire.messages.describe_topic_partitions_request import Cursor, DescribeTopicPartitionsRequest, TopicRequest
from riacho.wire.messages.init_producer_id_request import InitProducerIdRequest
from riacho.wire.messages.list_config_resources_request import ListConfigResourcesRequest
from riacho.wire.messages.metadata_request import MetadataRequest, MetadataRequestTopic
from riacho.wire.messages.metadata_response import MetadataResponse
from support.metadata_broker import CLUSTER_ID, Context, MetadataBroker, run
from support.metadata_world import topic


@pytest.fixture
def broker(tmp_path: Path) -> MetadataBroker:
    return MetadataBroker(tmp_path)


def call(handler: Any, broker: MetadataBroker, version: int, request: Any) -> Any:
    """Through the codec and back, so that what a version cannot carry shows."""
    response = run(handler.handle(Context(broker, version), request))
    return decode(type(response), version, encode(response, version))


def create(broker: MetadataBroker, name: str, partitions: int = 1) -> bytes:
    response = call(create_topics, broker, 7, CreateTopicsRequest(topics=[topic(name, partitions)]))
    assert response.topics[0].error_code == 0
    topic_id: bytes = response.topics[0].topic_id
    return topic_id


def ask(broker: MetadataBroker, version: int, *names: str, allow: bool = True) -> MetadataResponse:
    topics = [MetadataRequestTopic(name=name) for name in names]
    request = MetadataRequest(topics=topics, allow_auto_topic_creation=allow)
    response: MetadataResponse = call(metadata, broker, version, request)
    return response


# Metadata


@pytest.mark.parametrize("version", range(14))
def test_metadata_in_every_version(broker: MetadataBroker, version: int) -> None:
    topic_id = create(broker, "a", 2)
    response = ask(broker, version, "a")
    (found,) = response.topics
    assert (found.error_code, found.name, len(found.partitions)) == (0, "a", 2)
    assert [(each.node_id, each.host, each.port) for each in response.brokers] == [(1, "localhost", 9092)]
    partition = found.partitions[1]
    assert (partition.partition_index, partition.leader_id, partition.replica_nodes, partition.isr_nodes) == (
        1,
        1,
        [1],
        [1],
    )
    if version >= 1:
        assert response.controller_id == 1
    if version >= 2:
        assert response.cluster_id == CLUSTER_ID
    if version >= 7:
        assert partition.leader_epoch == 0
    if version >= 10:
        assert found.topic_id == topic_id


def test_no_topics_and_null_topics(broker: MetadataBroker) -> None:
    create(broker, "a")
    assert [each.name for each in call(metadata, broker, 0, MetadataRequest(topics=[])).topics] == ["a"]
    assert call(metadata, broker, 1, MetadataRequest(topics=[])).topics == []
    assert [each.name for each in call(metadata, broker, 1, MetadataRequest(topics=None)).topics] == ["a"]


def test_asking_makes_a_topic_where_that_is_allowed(broker: MetadataBroker) -> None:
    (refused,) = ask(broker, 12, "a", allow=False).topics
    assert (refused.error_code, refused.name) == (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "a")
    assert broker.metadata.image.topics == {}
    (made,) = ask(broker, 12, "a").topics
    assert (made.error_code, len(made.partitions)) == (0, 1)
    (bad,) = ask(broker, 12, "b c").topics
    assert bad.error_code == ErrorCode.INVALID_TOPIC_EXCEPTION
    assert set(broker.metadata.image.topics) == {"a"}


def test_auto_creation_can_be_turned_off(tmp_path: Path) -> None:
    broker = MetadataBroker(tmp_path, {"auto.create.topics.enable": "false"})
    assert ask(broker, 12, "a").topics[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_asking_for_all_makes_nothing_and_names_twice_are_one(broker: MetadataBroker) -> None:
    assert len(ask(broker, 12, "a", "a").topics) == 1


def test_topics_by_id(broker: MetadataBroker) -> None:
    topic_id = create(broker, "a")
    request = MetadataRequest(topics=[MetadataRequestTopic(topic_id=topic_id, name=None)])
    assert call(metadata, broker, 12, request).topics[0].name == "a"
    request = MetadataRequest(topics=[MetadataRequestTopic(topic_id=b"x" * 16, name=None)])
    (unknown,) = call(metadata, broker, 12, request).topics
    assert (unknown.error_code, unknown.name, unknown.topic_id) == (ErrorCode.UNKNOWN_TOPIC_ID, None, b"x" * 16)
    with pytest.raises(KafkaError):
        call(metadata, broker, 10, request)


def test_a_topic_made_again_is_another(broker: MetadataBroker) -> None:
    old = create(broker, "a")
    call(delete_topics, broker, 6, DeleteTopicsRequest(topics=[DeleteTopicState(topic_id=old)]))
    new = create(broker, "a", 3)
    (found,) = ask(broker, 12, "a").topics
    assert (found.topic_id, len(found.partitions)) == (new, 3)
    request = MetadataRequest(topics=[MetadataRequestTopic(topic_id=old, name=None)])
    assert call(metadata, broker, 12, request).topics[0].error_code == ErrorCode.UNKNOWN_TOPIC_ID


def test_authorized_operations_are_told_when_asked(broker: MetadataBroker) -> None:
    create(broker, "a")
    request = MetadataRequest(
        topics=None, include_cluster_authorized_operations=True, include_topic_authorized_operations=True
    )
    response = call(metadata, broker, 8, request)
    assert (response.topics[0].topic_authorized_operations, response.cluster_authorized_operations) == (3576, 8096)
    response = call(metadata, broker, 8, MetadataRequest(topics=None))
    assert response.topics[0].topic_authorized_operations == -(1 << 31)


def test_internal_topics_are_marked(broker: MetadataBroker) -> None:
    (found,) = ask(broker, 12, "__consumer_offsets").topics
    assert found.is_internal
    assert len(found.partitions) == 50


def test_while_no_broker_is_in_service_this_one_stands_for_all(broker: MetadataBroker) -> None:
    broker.controller.submit(lambda controller: controller.fence_brokers([broker.node_id]))
    assert broker.metadata.image.brokers[broker.node_id].is_fenced
    assert [each.node_id for each in ask(broker, 12).brokers] == [broker.node_id]


# ApiVersions


def test_api_versions_tell_what_is_served(broker: MetadataBroker) -> None:
    request = ApiVersionsRequest(client_software_name="test", client_software_version="1.0")
    for version in range(5):
        response: ApiVersionsResponse = call(api_versions, broker, version, request)
        versions = {each.api_key: (each.min_version, each.max_version) for each in response.api_keys}
        assert set(versions) == {api.key for api in TABLE}
        assert versions[0][0] == 0, "librdkafka takes compression from it"
        assert versions[18] == (0, 4)
        features = {each.name for each in response.supported_features}
        assert features == (
            {"kraft.version", *LATEST} if version == 4 else {"metadata.version"} if version == 3 else set()
        )
    assert {each.name: each.max_version_level for each in response.finalized_features} == LATEST
    assert response.finalized_features_epoch == broker.metadata.image.end_offset - 1


def test_an_unknown_version_learns_the_range(broker: MetadataBroker) -> None:
    response = call(api_versions, broker, 0, None)
    assert response.error_code == ErrorCode.UNSUPPORTED_VERSION
    assert [(each.api_key, each.min_version, each.max_version) for each in response.api_keys] == [(18, 0, 4)]


@pytest.mark.parametrize(("name", "version"), [("", "1"), ("a", ""), ("-a", "1"), ("a ", "1"), ("a", "1_0")])
def test_software_names_are_checked(broker: MetadataBroker, name: str, version: str) -> None:
    request = ApiVersionsRequest(client_software_name=name, client_software_version=version)
    assert call(api_versions, broker, 3, request).error_code == ErrorCode.INVALID_REQUEST
    assert call(api_versions, broker, 2, request).error_code == 0


# InitProducerId


def test_producer_ids(broker: MetadataBroker) -> None:
    request = InitProducerIdRequest(transactional_id=None)
    assert [call(init_producer_id, broker, 4, request).producer_id for _ in range(3)] == [0, 1, 2]
    again = InitProducerIdRequest(transactional_id=None, producer_id=5, producer_epoch=3)
    response = call(init_producer_id, broker, 4, again)
    assert (response.error_code, response.producer_id, response.producer_epoch) == (0, 3, 0)


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (InitProducerIdRequest(transactional_id=""), ErrorCode.INVALID_REQUEST),
        (InitProducerIdRequest(transactional_id=None, producer_id=5), ErrorCode.INVALID_REQUEST),
    ],
)
def test_producer_ids_refused(broker: MetadataBroker, request_: InitProducerIdRequest, code: ErrorCode) -> None:
    response = call(init_producer_id, broker, 4, request_)
    assert (response.error_code, response.producer_id, response.producer_epoch) == (code, -1, -1)


# DescribeCluster, DescribeQuorum


def test_describe_cluster(broker: MetadataBroker) -> None:
    response = call(describe_cluster, broker, 2, DescribeClusterRequest(include_cluster_authorized_operations=True))
    assert (response.cluster_id, response.controller_id, response.cluster_authorized_operations) == (
        CLUSTER_ID,
        1,
        8096,
    )
    assert [(each.broker_id, each.host, each.port) for each in response.brokers] == [(1, "localhost", 9092)]
    assert call(describe_cluster, broker, 1, DescribeClusterRequest(endpoint_type=2)).error_code == 114
    assert call(describe_cluster, broker, 1, DescribeClusterRequest(endpoint_type=3)).error_code == 115


def asked_quorum(*topics: str) -> DescribeQuorumRequest:
    return DescribeQuorumRequest(
        topics=[AskedTopic(topic_name=name, partitions=[AskedPartition(partition_index=0)]) for name in topics]
    )


def test_describe_quorum(broker: MetadataBroker) -> None:
    response = call(describe_quorum, broker, 2, asked_quorum("__cluster_metadata"))
    (ours,) = response.topics[0].partitions
    assert (ours.error_code, ours.leader_id, ours.leader_epoch) == (0, 1, 1)
    assert ours.high_watermark == broker.raft.log.end_offset
    assert [(voter.replica_id, voter.log_end_offset) for voter in ours.current_voters] == [(1, ours.high_watermark)]


def test_no_quorum_but_that_of_the_metadata(broker: MetadataBroker) -> None:
    response = call(describe_quorum, broker, 2, asked_quorum("a"))
    assert response.topics[0].partitions[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


# DescribeTopicPartitions


def test_topics_come_in_pages(broker: MetadataBroker) -> None:
    for name, partitions in (("b", 3), ("a", 2), ("c", 1)):
        create(broker, name, partitions)
    seen: list[tuple[str, int]] = []
    cursor = None
    for _ in range(10):
        request = DescribeTopicPartitionsRequest(topics=[], response_partition_limit=2, cursor=cursor)
        response = call(describe_topic_partitions, broker, 0, request)
        page = [(each.name, partition.partition_index) for each in response.topics for partition in each.partitions]
        assert len(page) <= 2
        seen += page
        if response.next_cursor is None:
            break
        cursor = Cursor(
            topic_name=response.next_cursor.topic_name, partition_index=response.next_cursor.partition_index
        )
    assert seen == [("a", 0), ("a", 1), ("b", 0), ("b", 1), ("b", 2), ("c", 0)]


def test_unknown_and_invalid_topics_have_their_codes(broker: MetadataBroker) -> None:
    request = DescribeTopicPartitionsRequest(topics=[TopicRequest(name="no"), TopicRequest(name="n o")])
    codes = {each.name: each.error_code for each in call(describe_topic_partitions, broker, 0, request).topics}
    assert codes == {"no": ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "n o": ErrorCode.INVALID_TOPIC_EXCEPTION}
    bad = DescribeTopicPartitionsRequest(cursor=Cursor(topic_name="a", partition_index=-1))
    with pytest.raises(KafkaError):
        call(describe_topic_partitions, broker, 0, bad)


# Configs


def describe(broker: MetadataBroker, kind: int, name: str, keys: list[str] | None = None, version: int = 4) -> Any:
    resource = DescribeConfigsResource(resource_type=kind, resource_name=name, configuration_keys=keys)
    request = DescribeConfigsRequest(resources=[resource], include_synonyms=True, include_documentation=version >= 3)
    return call(describe_configs, broker, version, request).results[0]


def test_describe_configs_of_every_kind(broker: MetadataBroker) -> None:
    create(broker, "a")
    assert len(describe(broker, ResourceType.TOPIC, "a").configs) == 33
    assert len(describe(broker, ResourceType.BROKER, "1").configs) == 349
    assert [each.name for each in describe(broker, ResourceType.BROKER, "").configs] == ["min.insync.replicas"]
    loggers = describe(broker, ResourceType.BROKER_LOGGER, "1").configs
    assert [each.name for each in loggers] == [
        "riacho.access",
        "riacho.error",
        "riacho.agent",
        "riacho.referrer",
        "root",
    ]
    assert len(describe(broker, ResourceType.GROUP, "g").configs) == 17
    assert len(describe(broker, ResourceType.CLIENT_METRICS, "m").configs) == 3
    (only,) = describe(broker, ResourceType.TOPIC, "a", ["retention.ms", "bogus"]).configs
    assert (only.name, only.value, only.config_source, only.config_type) == ("retention.ms", "604800000", 5, 5)
    assert only.documentation
    (old,) = describe(broker, ResourceType.TOPIC, "a", ["retention.ms"], version=1).configs
    assert old.value == "604800000"


@pytest.mark.parametrize(
    ("kind", "name", "code", "message"),
    [
        (ResourceType.TOPIC, "no", 3, ""),
        (ResourceType.TOPIC, "", 17, "Topic name is invalid: the empty string is not allowed"),
        (ResourceType.BROKER, "2", 42, "Unexpected broker id, expected 1 or empty string, but received 2"),
        (ResourceType.BROKER, "x", 42, "Broker id must be an integer, but it is: x"),
        (ResourceType.GROUP, "", 42, "Group name must not be empty"),
        (ResourceType.CLIENT_METRICS, "", 42, "Client metrics subscription name must not be empty"),
        (77, "a", 42, "Unsupported resource type: 77"),
    ],
)
def test_describe_configs_refuses(broker: MetadataBroker, kind: int, name: str, code: int, message: str) -> None:
    result = describe(broker, kind, name)
    assert (result.error_code, result.error_message, result.configs) == (code, message, [])


def test_list_config_resources(broker: MetadataBroker) -> None:
    create(broker, "a")
    response = call(list_config_resources, broker, 1, ListConfigResourcesRequest())
    assert [(each.resource_type, each.resource_name) for each in response.config_resources] == [
        (ResourceType.TOPIC, "a"),
        (ResourceType.BROKER, "1"),
        (ResourceType.BROKER_LOGGER, "1"),
    ]
    assert call(list_config_resources, broker, 0, ListConfigResourcesRequest()).config_resources == []
    assert call(list_config_resources, broker, 1, ListConfigResourcesRequest(resource_types=[99])).error_code == 35
