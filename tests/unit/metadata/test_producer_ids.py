from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.producer_ids import BLOCK_SIZE
from riacho.wire.messages.allocate_producer_ids_request import AllocateProducerIdsRequest
from support.metadata_world import MetadataWorld


def ids(world: MetadataWorld, broker_id: int = 1) -> Iterator[int]:
    """As a broker uses its blocks, one after the other."""
    while True:
        block = world.allocate_producer_ids(broker_id)
        yield from range(block.producer_id_start, block.producer_id_start + block.producer_id_len)


def test_ids_count_up_over_the_end_of_a_block() -> None:
    world = MetadataWorld()
    assert [next(ids(world)) for _ in range(1)] == [0]
    world = MetadataWorld()
    given = ids(world)
    assert [next(given) for _ in range(BLOCK_SIZE + 2)] == list(range(BLOCK_SIZE + 2))
    assert world.image.next_producer_id == 2 * BLOCK_SIZE


def test_a_restart_begins_a_new_block() -> None:
    world = MetadataWorld()
    assert next(ids(world)) == 0
    world.image = MetadataImage(cluster_id=world.image.cluster_id).apply(world.records)
    assert next(ids(world)) == BLOCK_SIZE


def test_two_brokers_never_share_a_block() -> None:
    world = MetadataWorld(2)
    first, second = ids(world), ids(world, 2)
    given = [next(each) for _ in range(1500) for each in (first, second)]
    assert len(set(given)) == len(given)


def test_the_last_ids_are_not_handed_out_twice() -> None:
    world = MetadataWorld()
    world.image = msgspec.structs.replace(world.image, next_producer_id=(1 << 63) - 10)
    with pytest.raises(KafkaError):
        next(ids(world))


def test_a_broker_asks_for_a_block_by_request() -> None:
    world = MetadataWorld(2)
    epoch = world.image.brokers[2].epoch
    request = AllocateProducerIdsRequest(broker_id=2, broker_epoch=epoch)
    for first in (0, 1_000):
        reply = world.submit(world.controller.allocate_producer_ids(request))
        assert (reply.error_code, reply.producer_id_start, reply.producer_id_len) == (0, first, 1_000)
    with pytest.raises(KafkaError) as raised:
        world.controller.allocate_producer_ids(AllocateProducerIdsRequest(broker_id=2, broker_epoch=epoch - 1))
    assert raised.value.code is ErrorCode.STALE_BROKER_EPOCH
