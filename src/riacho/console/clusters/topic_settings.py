"""The few settings of topics that lists show: asked for when a topic is new, and of all now and then."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from riacho.client.cluster import Cluster
from riacho.client.configs import ConfigEntry, describe_configs
from riacho.console.clusters.by_broker import Gaps, batches
from riacho.metadata.image.config_resource import ResourceType

TOPICS_A_REQUEST_MAX = 500
_CLEANUP, _RETENTION, _MIN_ISR = "cleanup.policy", "retention.ms", "min.insync.replicas"


class TopicSettings(NamedTuple):
    cleanup_policy: str | None = None
    # None: not known. -1: for good.
    retention_ms: int | None = None
    min_insync_replicas: int | None = None


UNKNOWN = TopicSettings()


def read_topic_settings(cluster: Cluster, names: Sequence[str], gaps: Gaps) -> dict[str, TopicSettings]:
    found: dict[str, TopicSettings] = {}
    # Most topics are set alike.
    shared: dict[TopicSettings, TopicSettings] = {}
    for batch in batches(names, TOPICS_A_REQUEST_MAX):
        answer = gaps.asked(
            "Settings of topics are",
            lambda batch=batch: describe_configs(  # type: ignore[misc]
                cluster, ResourceType.TOPIC, batch, keys=(_CLEANUP, _RETENTION, _MIN_ISR), skip_refused=True
            ),
        )
        told = answer or {}
        for name in batch:
            if name in told:
                settings = _settings(told[name])
                found[name] = shared.setdefault(settings, settings)
    return found


def _settings(entries: Iterable[ConfigEntry]) -> TopicSettings:
    values = {entry.name: entry.value for entry in entries}
    return TopicSettings(values.get(_CLEANUP), _number(values.get(_RETENTION)), _number(values.get(_MIN_ISR)))


def _number(text: str | None) -> int | None:
    try:
        return None if text is None else int(text)
    except ValueError:
        return None
