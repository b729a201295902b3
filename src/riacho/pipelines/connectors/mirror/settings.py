"""The settings that the three mirror connectors share, by MirrorMaker 2's names, and what follows from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riacho.base.config import one_of
from riacho.pipelines.config_def import ConfigDef, ConfigType, Definition, Importance
from riacho.pipelines.connectors.mirror.cluster import MirrorCluster
from riacho.pipelines.connectors.mirror.policy import DEFAULT_POLICY, IDENTITY_POLICY, ReplicationPolicy
from riacho.pipelines.plugin import Context

_SOURCE = "source.cluster."
_TARGET = "target.cluster."
CLIENT_PREFIXES = (_SOURCE, _TARGET)
_SIMPLE = tuple(name.rpartition(".")[2] for name in (DEFAULT_POLICY, IDENTITY_POLICY))

MIRROR = ConfigDef(
    Definition(
        "source.cluster.alias",
        ConfigType.STRING,
        doc="Name of the cluster that is read.",
        required=True,
        importance=Importance.HIGH,
    ),
    Definition("target.cluster.alias", ConfigType.STRING, "target", doc="Name of the cluster that is written."),
    Definition(
        "source.cluster.bootstrap.servers",
        ConfigType.STRING,
        doc="Brokers of the cluster that is read; other client settings follow with the same prefix.",
        required=True,
        importance=Importance.HIGH,
    ),
    Definition(
        "target.cluster.bootstrap.servers",
        ConfigType.STRING,
        "",
        doc="Brokers of the cluster that is written: this worker's, and so for when it is named.",
    ),
    Definition(
        "replication.policy.class",
        ConfigType.STRING,
        DEFAULT_POLICY,
        doc="How mirrored topics are named.",
        valid=one_of(DEFAULT_POLICY, IDENTITY_POLICY, *_SIMPLE),
    ),
    Definition(
        "replication.policy.separator", ConfigType.STRING, ".", doc="What stands between alias and topic in a name."
    ),
    Definition(
        "replication.factor", ConfigType.INT, "2", doc="Replicas of topics that are made, as far as there are brokers."
    ),
)
INTERNAL_CONFIGS = {"cleanup.policy": "compact"}


def policy_of(settings: Mapping[str, Any]) -> ReplicationPolicy:
    return ReplicationPolicy(
        settings["source.cluster.alias"],
        settings["target.cluster.alias"],
        settings["replication.policy.separator"],
        settings["replication.policy.class"].endswith("IdentityReplicationPolicy"),
    )


def source_cluster(settings: Mapping[str, Any], context: Context) -> MirrorCluster:
    return MirrorCluster(settings["source.cluster.alias"], _client(context.configs, _SOURCE))


def target_cluster(settings: Mapping[str, Any], context: Context) -> MirrorCluster:
    own = {"bootstrap.servers": context.bootstrap_servers, **context.client_settings}
    given = _client(context.configs, _TARGET)
    return MirrorCluster(settings["target.cluster.alias"], given if given.get("bootstrap.servers") else own)


def _client(configs: Mapping[str, str], prefix: str) -> dict[str, str]:
    return {
        name.removeprefix(prefix): value
        for name, value in configs.items()
        if name.startswith(prefix) and name != f"{prefix}alias"
    }
