"""Many records in one go cost an image no more than many times one, and never touch the image before."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.records import MetadataRecord
from riacho.wire.messages.clear_elr_record import ClearElrRecord
from riacho.wire.messages.client_quota_record import ClientQuotaRecord, EntityData
from riacho.wire.messages.delegation_token_record import DelegationTokenRecord
from riacho.wire.messages.partition_record import PartitionRecord
from riacho.wire.messages.topic_record import TopicRecord
from riacho.wire.messages.user_scram_credential_record import UserScramCredentialRecord

FEW, MANY = 500, 8_000
# Linear is 16, quadratic 256.
GROWTH_MAX = 60


def scram(number: int) -> list[MetadataRecord]:
    return [UserScramCredentialRecord(name=f"user-{number}", mechanism=1, iterations=4096)]


def quota(number: int) -> list[MetadataRecord]:
    entity = [EntityData(entity_type="user", entity_name=f"user-{number}")]
    return [ClientQuotaRecord(entity=entity, key="producer_byte_rate", value=1.0)]


def token(number: int) -> list[MetadataRecord]:
    return [DelegationTokenRecord(token_id=f"token-{number}", owner="User:a", requester="User:a")]


def cleared_topic(number: int) -> list[MetadataRecord]:
    topic_id = number.to_bytes(16, "big")
    made = TopicRecord(name=f"topic-{number}", topic_id=topic_id)
    partition = PartitionRecord(
        topic_id=topic_id, replicas=[1], isr=[1], leader=1, eligible_leader_replicas=[2], directories=[bytes(16)]
    )
    return [made, partition, ClearElrRecord(topic_name=made.name)]


def cost_s(records: list[MetadataRecord]) -> float:
    started_s = time.process_time()
    MetadataImage().apply(records)
    return time.process_time() - started_s


@pytest.mark.parametrize("made", [scram, quota, token, cleared_topic])
def test_work_grows_no_faster_than_the_records(made: Callable[[int], list[MetadataRecord]]) -> None:
    few, many = ([record for number in range(count) for record in made(number + 1)] for count in (FEW, MANY))
    ratio = min(cost_s(many) for _ in range(3)) / min(cost_s(few) for _ in range(5))
    assert ratio < GROWTH_MAX


@pytest.mark.parametrize("made", [scram, quota, token])
def test_the_image_before_stays_as_it_was(made: Callable[[int], list[MetadataRecord]]) -> None:
    before = MetadataImage().apply(made(1))
    same = MetadataImage().apply(made(1))
    after = before.apply([*made(2), *made(3)])
    assert before == same
    assert after != before
