"""Feature levels (KIP-584, KIP-1022): which rules of the cluster are agreed on, and which this version can follow.

Only what is served is claimed. Records are written in the form of metadata.version 4.3-IV0 and no other, so that is
the whole range. kraft.version 1 is a quorum whose voters can change (KIP-853); its level stands in a control record of
the quorum's log and not among the FeatureLevelRecords. group.version 1 is the consumer group protocol (KIP-848),
transaction.version 2 an epoch for every transaction (KIP-890), share.version 1 share groups (KIP-932).
"""

from __future__ import annotations

from collections.abc import Mapping

METADATA_VERSION = "metadata.version"
METADATA_LEVEL = 30  # 4.3-IV0
KRAFT_VERSION = "kraft.version"
# Eligible leader replicas (KIP-966): 1 keeps track of them.
ELR_VERSION = "eligible.leader.replicas.version"
GROUP_VERSION = "group.version"
TRANSACTION_VERSION = "transaction.version"
SHARE_VERSION = "share.version"

SUPPORTED: Mapping[str, tuple[int, int]] = {
    METADATA_VERSION: (METADATA_LEVEL, METADATA_LEVEL),
    KRAFT_VERSION: (0, 1),
    ELR_VERSION: (0, 1),
    GROUP_VERSION: (0, 1),
    TRANSACTION_VERSION: (0, 2),
    SHARE_VERSION: (0, 1),
}
# What a new cluster starts from.
LATEST: Mapping[str, int] = {name: levels[1] for name, levels in SUPPORTED.items() if name != KRAFT_VERSION}


def unsupported(levels: Mapping[str, int]) -> str | None:
    """Why this node cannot be part of a cluster that has finalised these levels: a sentence that names each of them.

    A feature that is not known here is known at level 0, at which nothing of it is in force.
    """
    problems = []
    for name, level in sorted(levels.items()):
        low, high = SUPPORTED.get(name, (0, 0))
        if not low <= level <= high:
            problems.append(f"the cluster has finalised {name} at {level}, this node supports {low} to {high}")
    if not problems:
        return None
    lower = ", ".join(sorted(name for name, level in levels.items() if level > SUPPORTED.get(name, (0, 0))[1]))
    remedy = f": lower {lower} with kafka-features downgrade, or run a version that knows it" if lower else ""
    return "; ".join(problems) + remedy


def supported_for(api_version: int) -> dict[str, tuple[int, int]]:
    """What ApiVersions tells: before v4 clients choke on a minimum of 0, so those are left out (KAFKA-17492)."""
    return {name: levels for name, levels in SUPPORTED.items() if api_version >= 4 or levels[0] > 0}
