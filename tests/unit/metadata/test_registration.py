from __future__ import annotations

from riacho.metadata.brokers import Endpoint
from riacho.metadata.features import METADATA_LEVEL
from riacho.metadata.image import MetadataImage
from riacho.metadata.registration import Registration, decide_bootstrap, decide_fence, decide_register
from support.metadata_world import MetadataWorld, topic


def me(**changes: object) -> Registration:
    known: dict[str, object] = {
        "node_id": 1,
        "incarnation_id": b"n" * 16,
        "endpoints": (Endpoint("PLAINTEXT", "h", 1),),
        "rack": "r",
        "log_dirs": (b"d" * 16,),
    }
    return Registration(**{**known, **changes})  # type: ignore[arg-type]


def test_a_fresh_cluster_agrees_on_its_features_once() -> None:
    image = MetadataImage()
    image = image.apply(decide_bootstrap(image))
    assert image.features == {"metadata.version": METADATA_LEVEL}
    assert decide_bootstrap(image) == []


def test_a_broker_is_up_after_it_registered_and_its_epoch_is_its_records_offset() -> None:
    image = MetadataImage().apply([], 7)
    image = image.apply(decide_register(image, me()))
    broker = image.brokers[1]
    assert broker.is_active
    assert broker.epoch == 7
    assert broker.rack == "r"
    assert broker.endpoints == (Endpoint("PLAINTEXT", "h", 1),)
    assert broker.log_dirs == (b"d" * 16,)
    assert image.controllers == {}


def test_a_controllers_listener_is_on_record() -> None:
    image = MetadataImage()
    records = decide_register(image, me(controller_endpoints=(Endpoint("CONTROLLER", "c", 9),)))
    image = image.apply(records)
    assert image.controllers[1].end_points[0].port == 9
    assert image.brokers[1].epoch == 1


def test_after_a_clean_stop_the_leader_epochs_stay() -> None:
    world = MetadataWorld()
    world.create(topic("a", 2))
    world.take(decide_fence(world.image, 1))
    assert not world.image.brokers[1].is_active
    assert decide_fence(world.image, 1) == []
    world.register(1)
    assert [partition.leader_epoch for partition in world.image.topics["a"].partitions] == [0, 0]


def test_after_a_crash_partitions_get_a_new_leader_epoch() -> None:
    world = MetadataWorld(2)
    world.create(topic("a", assignments={0: [1], 1: [2]}))
    world.register(1)
    assert [partition.leader_epoch for partition in world.image.topics["a"].partitions] == [1, 0]
    assert [partition.leader for partition in world.image.topics["a"].partitions] == [1, 2]
