"""Whether this node can follow what the cluster has finalised (KIP-584), looked at before it has any part in it.

A controller whose own log holds a level that it does not know must not stand for election: it would lead by rules that
are not in force, and write records that the others take for true. So its log is looked through before it joins the
quorum, levels that come from the leader before they are stored, and the levels that storage was formatted with where
the cluster has none yet. A broker without the controller's role cannot do harm: the controller refuses to register it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.image.features import METADATA_VERSION, unsupported
from riacho.metadata.image.records import MetadataRecord
from riacho.metadata.image.snapshot import records_of
from riacho.wire.batch import iterate_headers
from riacho.wire.messages.feature_level_record import FeatureLevelRecord

if TYPE_CHECKING:
    from riacho.broker.quorum.metadata_log import MetadataLog
    from riacho.metadata.image.image import MetadataImage
    from riacho.wire.schema import Buffer

# How a FeatureLevelRecord begins: frame version, type, version. A batch without these bytes has none, and metadata are
# never compressed, so that a long log is looked through at the speed of a search.
_BEGINNING = bytes((1, FeatureLevelRecord.API_KEY or 0, 0))


def check_levels(levels: Mapping[str, int]) -> None:
    """KafkaError where this node cannot follow one of them."""
    problem = unsupported(levels)
    if problem is not None:
        raise KafkaError(ErrorCode.UNSUPPORTED_VERSION, problem)


def check_own_log(log: MetadataLog, image: MetadataImage, formatted: Iterable[MetadataRecord]) -> None:
    """`image`: of the snapshot that the log goes on from. What is not committed counts: a leader would commit it."""
    levels = dict(image.features)
    for data, position, header in log.batches(max(image.end_offset, log.start_offset), log.end_offset):
        levels |= _levels_in(memoryview(data)[position : position + header.size_bytes])
    if METADATA_VERSION not in levels:
        levels |= _levels_of(formatted)
    check_levels(levels)


def check_fetched(records: Buffer, leader_high_watermark: int) -> None:
    """Batches that the quorum's leader sent, before they are in the log.

    While more is committed than they hold, a level in them may be an old one; a node that has no more than that is
    elected by nobody, and looked at again when it has it all.
    """
    end_offset = max((header.next_offset for _, header in iterate_headers(records)), default=0)
    if end_offset >= leader_high_watermark:
        check_levels(_levels_in(records))


def _levels_in(batches: Buffer) -> dict[str, int]:
    levels: dict[str, int] = {}
    if bytes(batches).find(_BEGINNING) >= 0:
        for position, _ in iterate_headers(batches):
            levels |= _levels_of(records_of(memoryview(batches), position))
    return levels


def _levels_of(records: Iterable[MetadataRecord]) -> dict[str, int]:
    return {each.name: each.feature_level for each in records if isinstance(each, FeatureLevelRecord)}
