"""Pairs of offsets, where they may not be written."""

from __future__ import annotations

import pytest

from riacho.pipelines.connectors.mirror.cluster import MirrorCluster
from riacho.pipelines.connectors.mirror.records import OffsetSync
from riacho.pipelines.connectors.mirror.syncs import write_syncs
from riacho.pipelines.plugin import ConnectError
from support.guarded_topic import TOPIC, guarded_topic


def test_who_may_not_write_them_is_told_in_one_sentence() -> None:
    with guarded_topic() as guarded:
        cluster = MirrorCluster("west", guarded.client)
        with pytest.raises(ConnectError, match=f"^The topic {TOPIC} of west cannot be written: ") as refused:
            write_syncs(cluster, TOPIC, [OffsetSync("t", 0, at, at) for at in range(100)])
    assert "authorization failed" in str(refused.value)
