"""Feature levels as a node tells them (ApiVersions, KIP-584), and changes to them (UpdateFeatures)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import NamedTuple

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import Cluster, check, error_of
from riacho.wire.messages.update_features_request import FeatureUpdateKey, UpdateFeaturesRequest
from riacho.wire.messages.update_features_response import UpdateFeaturesResponse

_LEVELS_SINCE = 1
METADATA_VERSION = "metadata.version"
# metadata.version by its name, from the oldest that can be asked for.
_METADATA_NAMES = (
    "3.3-IV3", "3.4-IV0", "3.5-IV0", "3.5-IV1", "3.5-IV2", "3.6-IV0", "3.6-IV1", "3.6-IV2", "3.7-IV0", "3.7-IV1",
    "3.7-IV2", "3.7-IV3", "3.7-IV4", "3.8-IV0", "3.9-IV0", "4.0-IV0", "4.0-IV1", "4.0-IV2", "4.0-IV3", "4.1-IV0",
    "4.1-IV1", "4.2-IV0", "4.2-IV1", "4.3-IV0",
)  # fmt: skip
METADATA_LEVELS = {name: level for level, name in enumerate(_METADATA_NAMES, start=7)}


class UpgradeType(IntEnum):
    UPGRADE = 1
    SAFE_DOWNGRADE = 2
    UNSAFE_DOWNGRADE = 3


class Features(NamedTuple):
    supported: dict[str, tuple[int, int]]
    finalized: dict[str, int]
    epoch: int | None


def describe_features(cluster: Cluster, node_id: int | None = None) -> Features:
    """Of one node, or of whichever is asked first."""

    def work() -> Features:
        connection = cluster.controller() if node_id is None else cluster.broker(node_id)
        versions = connection.api_versions
        return Features(
            {f.name: (f.min_version, f.max_version) for f in versions.supported_features},
            {f.name: f.max_version_level for f in versions.finalized_features},
            None if versions.finalized_features_epoch < 0 else versions.finalized_features_epoch,
        )

    return cluster.retry(work)


def release_of(features: Features) -> str | None:
    """The release whose form the cluster's metadata has, as `4.3`; None where it is not among those known here."""
    level = features.finalized.get(METADATA_VERSION)
    return next((name.partition("-")[0] for name, number in METADATA_LEVELS.items() if number == level), None)


def update_features(
    cluster: Cluster, levels: Mapping[str, int], upgrade_type: UpgradeType, *, validate_only: bool
) -> dict[str, KafkaError | None]:
    """What came of each feature. From version 2 the answer has one error for all of them."""

    def work() -> dict[str, KafkaError | None]:
        connection = cluster.controller()
        version = connection.version_for(UpdateFeaturesRequest.API_KEY or 0)
        if version < _LEVELS_SINCE and validate_only:
            raise KafkaError(ErrorCode.UNSUPPORTED_VERSION, f"{connection.address} cannot try an update out.")
        updates = [
            FeatureUpdateKey(
                feature=name,
                max_version_level=level,
                allow_downgrade=version < _LEVELS_SINCE and upgrade_type is not UpgradeType.UPGRADE,
                upgrade_type=upgrade_type,
            )
            for name, level in levels.items()
        ]
        request = UpdateFeaturesRequest(
            timeout_ms=cluster.settings.request_timeout_ms, feature_updates=updates, validate_only=validate_only
        )
        response = cluster.ask(request, UpdateFeaturesResponse, connection)
        if error_of(response.error_code) in _MOVED:
            check(response.error_code, response.error_message)
        whole = _error(response.error_code, response.error_message)
        outcomes: dict[str, KafkaError | None] = dict.fromkeys(levels, whole)
        if whole is None:
            outcomes |= {r.feature: _error(r.error_code, r.error_message) for r in response.results}
        return outcomes

    return cluster.retry(work)


_MOVED = frozenset({ErrorCode.NOT_CONTROLLER, ErrorCode.CLUSTER_AUTHORIZATION_FAILED})


def _error(code: int, message: str | None) -> KafkaError | None:
    return KafkaError(error_of(code), message or "") if code else None
