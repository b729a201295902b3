"""The epoch of fast paths moves with what they do not ask about, and with nothing else."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from riacho.base.acl import AclBinding, AclOperation, AclPermission, AclResourceType, PatternType
from riacho.broker.produce.fast_path_epoch import FastPathEpoch
from riacho.metadata.image.acl_records import acl_record
from riacho.metadata.image.config_resource import ResourceType
from riacho.metadata.image.image import MetadataImage, MetadataRecord
from riacho.wire.messages.client_quota_record import ClientQuotaRecord, EntityData
from riacho.wire.messages.config_record import ConfigRecord
from riacho.wire.messages.topic_record import TopicRecord

ACL = AclBinding(
    AclResourceType.TOPIC, "t", PatternType.LITERAL, "User:ann", "*", AclOperation.WRITE, AclPermission.DENY
)
ENTITY = [EntityData(entity_type="user", entity_name="ann")]
SETTING = "message.timestamp.type"


@pytest.mark.parametrize(
    ("changes", "is_moved"),
    [
        ([acl_record(b"\1" * 16, ACL)], True),
        ([ClientQuotaRecord(entity=ENTITY, key="producer_byte_rate", value=1.0)], True),
        ([ConfigRecord(resource_type=ResourceType.TOPIC, resource_name="t", name=SETTING, value="x")], True),
        ([TopicRecord(name="t", topic_id=b"\2" * 16)], False),
        ([], False),
    ],
    ids=["an ACL", "a quota", "a setting", "a topic", "nothing"],
)
def test_a_change_of_the_metadata(changes: Sequence[MetadataRecord], is_moved: bool) -> None:
    epoch, image = FastPathEpoch(), MetadataImage()
    before = epoch.value
    epoch.image_changed(image, image.apply(changes))
    assert (epoch.value != before) == is_moved
