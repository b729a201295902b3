"""A node that cannot follow what the cluster has finalised takes no part in it, and says which feature it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.quorum.feature_levels import check_fetched, check_own_log
from riacho.broker.quorum.metadata_log import MetadataLog
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.records import MetadataRecord
from riacho.metadata.image.snapshot import record_batch
from riacho.wire.messages.feature_level_record import FeatureLevelRecord
from riacho.wire.messages.no_op_record import NoOpRecord

KNOWN = FeatureLevelRecord(name="metadata.version", feature_level=30)
STREAMS = FeatureLevelRecord(name="streams.version", feature_level=1)
NO_STREAMS = FeatureLevelRecord(name="streams.version", feature_level=0)
SENTENCE = "the cluster has finalised streams.version at 1, this node supports 0 to 0"


@pytest.fixture
def log(tmp_path: Path) -> MetadataLog:
    return MetadataLog(str(tmp_path), 1 << 23, 1 << 40, 0)


def append(log: MetadataLog, *records: MetadataRecord) -> None:
    log.append(record_batch(records, 0, 1, 0), 1, 0)


def test_levels_in_the_log_that_are_not_known_are_told_by_name(log: MetadataLog) -> None:
    append(log, KNOWN, NoOpRecord())
    check_own_log(log, MetadataImage(), [])
    append(log, STREAMS)
    append(log, NoOpRecord())
    with pytest.raises(KafkaError, match=SENTENCE) as raised:
        check_own_log(log, MetadataImage(), [])
    assert raised.value.code is ErrorCode.UNSUPPORTED_VERSION
    append(log, NO_STREAMS)
    check_own_log(log, MetadataImage(), [])


def test_levels_of_the_snapshot_count_until_the_log_changes_them(log: MetadataLog) -> None:
    image = MetadataImage().apply([KNOWN, STREAMS])
    append(log, NoOpRecord(), NoOpRecord(), NoOpRecord())
    with pytest.raises(KafkaError, match=SENTENCE):
        check_own_log(log, image, [])
    append(log, NO_STREAMS)
    check_own_log(log, image, [])


def test_formatted_levels_count_while_the_cluster_has_none(log: MetadataLog) -> None:
    with pytest.raises(KafkaError, match=SENTENCE):
        check_own_log(log, MetadataImage(), [KNOWN, STREAMS])
    append(log, KNOWN)
    check_own_log(log, MetadataImage(), [KNOWN, STREAMS])


def test_what_the_leader_sends_is_looked_at_first() -> None:
    check_fetched(bytes(record_batch([KNOWN, NO_STREAMS, NoOpRecord()], 0, 1, 0)), 3)
    records = bytes(record_batch([NoOpRecord()], 0, 1, 0) + record_batch([STREAMS], 1, 1, 0))
    for leader_high_watermark in (-1, 1, 2):
        with pytest.raises(KafkaError, match=SENTENCE):
            check_fetched(records, leader_high_watermark)
    check_fetched(records, 3)  # what is committed beyond may have lowered it
