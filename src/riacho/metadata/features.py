"""Feature levels (KIP-584, KIP-1022): which rules of the cluster are agreed on, and which this version can follow.

Only what is served is claimed. Records are written in the form of metadata.version 4.3-IV0 and no other, so that is
the whole range. kraft.version 1 is a quorum whose voters can change (KIP-853); its level stands in a control record of
the quorum's log and not among the FeatureLevelRecords. group.version and transaction.version stay
at 0 (not listed) until the consumer group protocol and transactions are served; clients then keep to the classic
ones.
"""

from __future__ import annotations

from collections.abc import Mapping

METADATA_VERSION = "metadata.version"
METADATA_LEVEL = 30  # 4.3-IV0
KRAFT_VERSION = "kraft.version"
# Eligible leader replicas (KIP-966): 1 keeps track of them.
ELR_VERSION = "eligible.leader.replicas.version"

SUPPORTED: Mapping[str, tuple[int, int]] = {
    METADATA_VERSION: (METADATA_LEVEL, METADATA_LEVEL),
    KRAFT_VERSION: (0, 1),
    ELR_VERSION: (0, 1),
}


def supported_for(api_version: int) -> dict[str, tuple[int, int]]:
    """What ApiVersions tells: before v4 clients choke on a minimum of 0, so those are left out (KAFKA-17492)."""
    return {name: levels for name, levels in SUPPORTED.items() if api_version >= 4 or levels[0] > 0}
