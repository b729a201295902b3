"""ELR counts on every leader needing as many in-sync replicas as the controller thinks it does (KIP-966).

Where a leader's own file asks for fewer, it acknowledges without the replicas that the controller still takes for
eligible; electing one of them loses what was acknowledged.
"""

from __future__ import annotations

from riacho.metadata.image.config_resource import CLUSTER_DEFAULT, ResourceType
from riacho.metadata.image.features import ELR_VERSION, METADATA_LEVEL, METADATA_VERSION
from riacho.metadata.partitions.leadership import MIN_ISR
from riacho.metadata.settings.broker_values import BrokerValues
from riacho.wire.messages.feature_level_record import FeatureLevelRecord
from support.metadata_world import MetadataWorld


def test_a_fresh_cluster_has_one_min_isr_whatever_the_files_of_its_brokers_say() -> None:
    world = MetadataWorld(3, static={MIN_ISR: "2"})
    assert world.image.features[ELR_VERSION] == 1
    default = world.image.overrides(ResourceType.BROKER, CLUSTER_DEFAULT)
    assert BrokerValues({MIN_ISR: "1"}, default).integer(MIN_ISR) == 2


def test_storage_that_was_formatted_without_elr_leaves_min_isr_to_the_files() -> None:
    world = MetadataWorld(0, static={MIN_ISR: "2"})
    formatted = [FeatureLevelRecord(name=METADATA_VERSION, feature_level=METADATA_LEVEL)]
    fresh = type(world.controller)(
        world.image.__class__(cluster_id=world.image.cluster_id), world.values, world.new_uuid
    )
    assert fresh.bootstrap(formatted).records == formatted
    with_elr = [*formatted, FeatureLevelRecord(name=ELR_VERSION, feature_level=1)]
    assert [getattr(record, "name", "") for record in fresh.bootstrap(with_elr).records] == [
        METADATA_VERSION,
        ELR_VERSION,
        MIN_ISR,
    ]
