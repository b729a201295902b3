"""Which cluster a node belongs to: what its directories say, else its configuration, else a cluster of its own."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.ids import uuid_text
from riacho.log.meta_properties import read_meta_properties

if TYPE_CHECKING:
    from riacho.broker.config import BrokerConfig


def cluster_id_of(config: BrokerConfig, new_uuid: Callable[[], bytes]) -> str:
    """Only a node on its own may make up an id, with its first start."""
    for path in config.log_dirs:
        # A directory that cannot be read is set aside when the directories are opened.
        with suppress(OSError):
            meta = read_meta_properties(path)
            if meta is not None:
                return meta.cluster_id
    configured: str | None = config.get("cluster.id") if config.is_set("cluster.id") else None
    if configured is None and not config.is_alone:
        problem = "the nodes of a cluster must share one id: set cluster.id, or format with kafka-storage format"
        raise KafkaError(ErrorCode.INVALID_CONFIG, problem)
    return configured or uuid_text(new_uuid())
