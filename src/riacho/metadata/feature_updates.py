"""Changing feature levels (UpdateFeatures v0-2, KIP-584, KIP-1022): all of a request's changes, or none.

A level must be one that the controllers and all registered brokers support. A lower level must be asked for as a
downgrade. v0 says so by `allow_downgrade`; v2 answers for the request as a whole, v0-1 also for each feature.

eligible.leader.replicas.version (KIP-966): from 1 on, min.insync.replicas must be the same for all brokers, so the
upgrade puts it on record for the cluster and takes it from single brokers. On the way back to 0 a partition whose ISR
is empty gets its eligible leaders for an ISR, or it could never be led again without loss.

kraft.version is the quorum's own: its level is handed in and only checked here; the quorum raises it (KIP-853).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

from riacho.base.decision import Decision
from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.image.config_resource import CLUSTER_DEFAULT, ResourceType
from riacho.metadata.image.features import ELR_VERSION, KRAFT_VERSION, METADATA_VERSION, SUPPORTED
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.records import MetadataRecord
from riacho.metadata.image.topics import NO_LEADER
from riacho.metadata.partitions.leadership import MIN_ISR
from riacho.metadata.settings.broker_values import BrokerValues
from riacho.wire.messages.config_record import ConfigRecord
from riacho.wire.messages.feature_level_record import FeatureLevelRecord
from riacho.wire.messages.partition_change_record import PartitionChangeRecord
from riacho.wire.messages.update_features_request import FeatureUpdateKey, UpdateFeaturesRequest
from riacho.wire.messages.update_features_response import UpdatableFeatureResult, UpdateFeaturesResponse


class UpgradeType(IntEnum):
    UPGRADE = 1
    SAFE_DOWNGRADE = 2
    UNSAFE_DOWNGRADE = 3


def decide_update_features(
    image: MetadataImage, values: BrokerValues, request: UpdateFeaturesRequest, version: int, kraft_version: int
) -> Decision[MetadataRecord, UpdateFeaturesResponse]:
    records: list[MetadataRecord] = []
    levels = {**image.features, KRAFT_VERSION: kraft_version}
    try:
        for update in request.feature_updates:
            _check(image, values, update, _upgrade_type(update, version), levels.get(update.feature, 0))
            records += _records(image, values, update.feature, update.max_version_level)
    except KafkaError as error:
        problem = f"The update failed for all features since the following feature had an error: {error.detail}"
        return Decision(reply=UpdateFeaturesResponse(error_code=error.code, error_message=problem))
    reply = UpdateFeaturesResponse(error_message=None)
    if version <= 1:
        reply.results = [
            UpdatableFeatureResult(feature=update.feature, error_message=None) for update in request.feature_updates
        ]
    return Decision(reply=reply, records=[] if request.validate_only else records)


def _upgrade_type(update: FeatureUpdateKey, version: int) -> int:
    if version == 0:
        return UpgradeType.SAFE_DOWNGRADE if update.allow_downgrade else UpgradeType.UPGRADE
    return update.upgrade_type


def _check(
    image: MetadataImage, values: BrokerValues, update: FeatureUpdateKey, upgrade_type: int, present: int
) -> None:
    level = update.max_version_level
    problem = None
    if upgrade_type not in tuple(UpgradeType):
        problem = "The controller does not support the given upgrade type."
    elif level < 0:
        problem = "A feature version cannot be less than 0."
    else:
        problem = _unsupported(image, values, update.feature, level)
    if problem is None and level < present and upgrade_type == UpgradeType.UPGRADE:
        problem = (
            "Can't downgrade the version of this feature without setting the upgrade type to either safe or unsafe "
            "downgrade."
        )
    elif problem is None and level > present and upgrade_type != UpgradeType.UPGRADE:
        problem = "Can't downgrade to a newer version."
    elif problem is None and update.feature == KRAFT_VERSION and level < present:
        problem = "Can't downgrade the version of this feature."
    if problem is not None:
        problem = f"Invalid update version {level} for feature {update.feature}. {problem}"
        raise KafkaError(ErrorCode.INVALID_UPDATE_VERSION, problem)


def _unsupported(image: MetadataImage, values: BrokerValues, feature: str, level: int) -> str | None:
    nodes: list[tuple[str, Mapping[str, tuple[int, int]]]] = [(f"Local controller {values.get('node.id')}", SUPPORTED)]
    nodes += [(f"Broker {broker.id}", broker.features) for _, broker in sorted(image.brokers.items())]
    nodes += [
        (
            f"Controller {controller_id}",
            {f.name: (f.min_supported_version, f.max_supported_version) for f in controller.features},
        )
        for controller_id, controller in sorted(image.controllers.items())
    ]
    for who, features in nodes:
        low, high = features.get(feature, (0, 0))
        if not low <= level <= high:
            if feature not in features:
                return f"{who} does not support this feature."
            return f"{who} only supports versions {low if low == high else f'{low}-{high}'}"
    return None


def _records(image: MetadataImage, values: BrokerValues, feature: str, level: int) -> list[MetadataRecord]:
    if feature == KRAFT_VERSION:
        return []
    records: list[MetadataRecord] = []
    if feature == ELR_VERSION and level >= 1:
        records += one_min_isr(image, values)
    elif feature == ELR_VERSION and image.features.get(ELR_VERSION):
        records += _isr_of_elr(image)
    if image.features.get(feature, 0) != level or feature == METADATA_VERSION:
        records.append(FeatureLevelRecord(name=feature, feature_level=level))
    return records


def one_min_isr(image: MetadataImage, values: BrokerValues) -> list[MetadataRecord]:
    """The same min.insync.replicas for all brokers, whatever their files say: this controller's, if none is set."""
    records: list[MetadataRecord] = []
    if MIN_ISR not in image.overrides(ResourceType.BROKER, CLUSTER_DEFAULT):
        value = BrokerValues(values.static).integer(MIN_ISR)
        records.append(_min_isr(CLUSTER_DEFAULT, str(value)))
    for (resource_type, name), entries in image.configs.items():
        if resource_type == ResourceType.BROKER and name != CLUSTER_DEFAULT and MIN_ISR in entries:
            records.append(_min_isr(name, None))
    return records


def _min_isr(broker: str, value: str | None) -> ConfigRecord:
    return ConfigRecord(resource_type=ResourceType.BROKER, resource_name=broker, name=MIN_ISR, value=value)


def _isr_of_elr(image: MetadataImage) -> list[MetadataRecord]:
    records: list[MetadataRecord] = []
    for topic, partition_id, partition in image.all_partitions():
        elr = partition.eligible_leader_replicas
        if not elr and not partition.last_known_elr:
            continue
        is_stuck = not partition.isr and partition.leader == NO_LEADER
        if is_stuck and not elr:
            # Nobody is known to have it all: who led last stays on record, should ELR come back.
            continue
        records.append(
            PartitionChangeRecord(
                partition_id=partition_id,
                topic_id=topic.id,
                isr=list(elr) if is_stuck else None,
                eligible_leader_replicas=[] if elr else None,
                last_known_elr=[] if partition.last_known_elr else None,
            )
        )
    return records
