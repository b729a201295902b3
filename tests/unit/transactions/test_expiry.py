from __future__ import annotations

from riacho.base.errors import ErrorCode
from riacho.transactions.config import TransactionConfig
from riacho.transactions.expiry import BATCH_SIZE_MAX
from support.transaction_world import ID, T0, TransactionWorld


def test_ids_that_nobody_uses_are_forgotten() -> None:
    world = TransactionWorld(TransactionConfig(id_expiration_ms=1_000))
    producer = world.initialised()
    world.now_ms += 999
    world.run(world.shard.expire_ids(world.now_ms))
    assert ID in world.shard.transactions
    world.now_ms += 1
    world.run(world.shard.expire_ids(world.now_ms))
    assert not world.shard.transactions
    assert not world.reloaded().transactions
    assert world.log[-1].value is None
    assert world.add(producer, T0) is ErrorCode.INVALID_PRODUCER_ID_MAPPING
    assert world.initialised(producer_id=producer[0], producer_epoch=producer[1])[0] > producer[0]


def test_open_and_prepared_transactions_stay() -> None:
    world = TransactionWorld(TransactionConfig(id_expiration_ms=1_000))
    producer = world.initialised()
    world.add(producer, T0)
    for state in ("Ongoing", "PrepareCommit"):
        assert world.state == state
        assert not world.shard.expire_ids(world.now_ms + 5_000).records
        if state == "Ongoing":
            world.commit(producer)
    world.write_markers()
    assert not world.shard.expire_ids(world.now_ms + 999).records
    assert world.shard.expire_ids(world.now_ms + 1_000).records


def test_a_batch_at_a_time() -> None:
    world = TransactionWorld(TransactionConfig(id_expiration_ms=1))
    for number in range(20):
        world.initialised(f"{number}-" + "x" * 30_000)
    world.now_ms += 1
    rounds = 0
    while (decision := world.shard.expire_ids(world.now_ms)).records:
        assert sum(len(record.key) for record in decision.records) < BATCH_SIZE_MAX + 31_000
        world.run(decision)
        rounds += 1
    assert rounds == 3
    assert not world.shard.transactions


def test_the_last_epoch_is_forgotten_too() -> None:
    world = TransactionWorld(TransactionConfig(id_expiration_ms=1))
    pid, epoch = world.initialised()
    world.initialised(producer_id=pid, producer_epoch=epoch)
    world.now_ms += 1
    world.run(world.shard.expire_ids(world.now_ms))
    world.initialised()
    assert world.transaction().last_producer_epoch == -1
