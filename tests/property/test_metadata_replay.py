"""Records are the only way the image changes: replaying them, however they are cut, gives the live image."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from riacho.metadata.image.config_resource import ResourceType
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.records import decode_record, encode_record
from riacho.metadata.image.snapshot import build_snapshot, read_snapshot
from riacho.wire.messages import incremental_alter_configs_request as incremental
from riacho.wire.messages.create_partitions_request import CreatePartitionsRequest, CreatePartitionsTopic
from riacho.wire.messages.delete_topics_request import DeleteTopicsRequest, DeleteTopicState
from support.metadata_world import MetadataWorld, topic

NAMES = st.sampled_from(["a", "b", "a.b", "a_b", "c"])
VALUES = st.sampled_from(["5", "", "x", "compact", "delete,compact", "1048576"])
KEYS = st.sampled_from(["retention.ms", "cleanup.policy", "segment.bytes", "bogus"])
STEPS = st.one_of(
    st.tuples(st.just("create"), NAMES, st.integers(-1, 4), st.integers(-1, 4), KEYS, VALUES),
    st.tuples(st.just("delete"), NAMES),
    st.tuples(st.just("grow"), NAMES, st.integers(0, 6)),
    st.tuples(st.just("alter"), NAMES, KEYS, st.integers(0, 3), VALUES),
    st.tuples(st.just("restart"), st.integers(1, 3), st.booleans()),
    st.tuples(st.just("producer"), st.integers(1, 3)),
)


def perform(world: MetadataWorld, step: tuple[object, ...]) -> None:
    controller = world.controller
    match step:
        case ("create", str(name), int(partitions), int(factor), str(key), str(value)):
            configs = {} if key == "bogus" else {key: value}
            world.create(topic(name, partitions, factor, configs))
        case ("delete", str(name)):
            request = DeleteTopicsRequest(topics=[DeleteTopicState(name=name)])
            world.submit(controller.delete_topics(request, 6))
        case ("grow", str(name), int(count)):
            asked = CreatePartitionsTopic(name=name, count=count, assignments=None)
            world.submit(controller.create_partitions(CreatePartitionsRequest(topics=[asked])))
        case ("alter", str(name), str(key), int(operation), str(value)):
            config = incremental.AlterableConfig(name=key, config_operation=operation, value=value)
            resource = incremental.AlterConfigsResource(
                resource_type=ResourceType.TOPIC, resource_name=name, configs=[config]
            )
            request = incremental.IncrementalAlterConfigsRequest(resources=[resource])
            world.submit(controller.incremental_alter_configs(request))
        case ("restart", int(node_id), bool(clean)):
            if clean:
                world.fence(node_id)
            world.start_broker(node_id, after_clean_stop=clean)
        case ("producer", int(node_id)):
            world.allocate_producer_ids(node_id)
        case _:
            raise AssertionError(step)


@settings(max_examples=60, deadline=None)
@given(steps=st.lists(STEPS, max_size=25), cuts=st.lists(st.integers(0, 200), max_size=4))
def test_replay_is_live(steps: list[tuple[object, ...]], cuts: list[int]) -> None:
    world = MetadataWorld(3)
    for step in steps:
        perform(world, step)
    records = [decode_record(encode_record(record)) for record in world.records]
    assert records == world.records
    replayed = MetadataImage(cluster_id=world.image.cluster_id)
    edges = [0, *sorted(min(cut, len(records)) for cut in cuts), len(records)]
    for start, end in itertools.pairwise(edges):
        replayed = replayed.apply(records[start:end])
    assert replayed == world.image


@settings(max_examples=40, deadline=None)
@given(steps=st.lists(STEPS, max_size=25), more=st.lists(STEPS, max_size=5))
def test_a_snapshot_and_the_records_after_it_are_live(
    steps: list[tuple[object, ...]], more: list[tuple[object, ...]]
) -> None:
    world = MetadataWorld(3)
    for step in steps:
        perform(world, step)
    cut = len(world.records)
    data = b"".join(build_snapshot(world.image, epoch=1, last_timestamp_ms=1, now_ms=2))
    loaded = MetadataImage(cluster_id=world.image.cluster_id).apply(read_snapshot(data), world.image.end_offset)
    assert loaded == world.image
    for step in more:
        perform(world, step)
    assert loaded.apply(world.records[cut:]) == world.image


@settings(max_examples=60, deadline=None)
@given(steps=st.lists(STEPS, max_size=25))
def test_an_image_holds_together(steps: list[tuple[object, ...]]) -> None:
    world = MetadataWorld(3)
    seen_ids: dict[bytes, str] = {}
    epochs: dict[tuple[bytes, int], tuple[int, int]] = {}
    for step in steps:
        perform(world, step)
        image = world.image
        assert {topic.id: topic for topic in image.topics.values()} == image.topics_by_id
        hosted = {(known.id, p, b) for known, p, each in image.all_partitions() for b in each.replicas}
        assert hosted == {
            (known.id, p, b) for b in image.partitions_by_broker for known, p, _ in image.partitions_on(b)
        }
        assert all(name == topic.name for name, topic in image.topics.items())
        assert all(kind != ResourceType.TOPIC or name in image.topics for kind, name in image.configs)
        for known in image.topics.values():
            # An id belongs to one topic for ever.
            assert seen_ids.setdefault(known.id, known.name) == known.name
            for index, partition in enumerate(known.partitions):
                assert set(partition.isr) <= set(partition.replicas)
                assert partition.leader in partition.isr
                before = epochs.get((known.id, index), (0, 0))
                assert (partition.leader_epoch, partition.partition_epoch) >= before
                epochs[known.id, index] = (partition.leader_epoch, partition.partition_epoch)
