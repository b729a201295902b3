"""Brokers and controllers make themselves known (BrokerRegistration, KIP-631), and brokers are unregistered.

Every start of a broker process is an incarnation of its own. A new incarnation gets a new broker epoch, the offset of
its record, and starts fenced; it is unfenced by its heartbeats once it has read that far. Whatever the incarnation
before was in sync with ends here: it leaves every ISR of which another member is there, so what it led moves or gets a
new leader epoch when it comes back. If it may have lost something, it leaves all of them, and the ELR (KIP-966):
`previous_broker_epoch` is sent only after an orderly stop, or a crash that took the process alone. The same incarnation
may register again to tell other listeners or directories, and keeps its state.

Taking a broker off the record for good (UnregisterBroker) takes it out of every ISR and ELR too. Not while it lives,
whereas Apache Kafka takes it off the record all the same: it would be out of service until it registers again, and what
it leads with it.

A controller tells where it listens, and which features it knows (ControllerRegistration, KIP-919).
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from riacho.base.decision import Decision
from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.ids import uuid_text
from riacho.metadata.image.brokers import Broker, Endpoint
from riacho.metadata.image.directories import is_reserved
from riacho.metadata.image.features import METADATA_VERSION
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.records import MetadataRecord
from riacho.metadata.members.heartbeats import BrokerHeartbeats
from riacho.metadata.partitions.leadership import LeadershipRules
from riacho.metadata.partitions.partition_updates import InContact, broker_crashed, broker_leaves
from riacho.wire.messages.broker_registration_request import BrokerRegistrationRequest, Feature
from riacho.wire.messages.broker_registration_response import BrokerRegistrationResponse
from riacho.wire.messages.controller_registration_request import ControllerRegistrationRequest
from riacho.wire.messages.controller_registration_response import ControllerRegistrationResponse
from riacho.wire.messages.register_controller_record import (
    ControllerEndpoint,
    ControllerFeature,
    RegisterControllerRecord,
)
from riacho.wire.messages.unregister_broker_record import UnregisterBrokerRecord
from riacho.wire.messages.unregister_broker_request import UnregisterBrokerRequest
from riacho.wire.messages.unregister_broker_response import UnregisterBrokerResponse

# previous_broker_epoch came with v3; a broker that cannot tell is taken to have crashed.
_PREVIOUS_EPOCH_VERSION = 3


def decide_register_broker(
    rules: LeadershipRules,
    request: BrokerRegistrationRequest,
    version: int,
    heartbeats: BrokerHeartbeats | None,
    now_ms: int | None,
    in_contact: InContact = None,
) -> Decision[MetadataRecord, BrokerRegistrationResponse]:
    image = rules.image
    if request.cluster_id != image.cluster_id:
        problem = f"Expected cluster ID {image.cluster_id}, but got cluster ID {request.cluster_id}"
        raise KafkaError(ErrorCode.INCONSISTENT_CLUSTER_ID, problem)
    before = image.brokers.get(request.broker_id)
    is_same = before is not None and before.incarnation_id == request.incarnation_id
    if not is_same and heartbeats is not None and heartbeats.has_contact(request.broker_id, now_ms):
        raise KafkaError(
            ErrorCode.DUPLICATE_BROKER_REGISTRATION,
            "Another broker is registered with that broker id. If the broker was recently restarted this should "
            "self-resolve once the heartbeat manager expires the broker's session.",
        )
    if request.is_migrating_zk_broker:
        problem = "Controller does not support registering ZK brokers."
        raise KafkaError(ErrorCode.BROKER_ID_NOT_REGISTERED, problem)
    _check_log_dirs(image, request.broker_id, request.log_dirs)
    _check_features(image, request.features)
    broker = _broker(request)
    records: list[MetadataRecord] = []
    if before is not None and is_same:
        broker = msgspec.structs.replace(
            broker,
            epoch=before.epoch,
            is_fenced=before.is_fenced,
            in_controlled_shutdown=before.in_controlled_shutdown,
            cordoned_log_dirs=tuple(d for d in before.cordoned_log_dirs if d in broker.log_dirs),
        )
    else:
        if before is not None:
            is_whole = version >= _PREVIOUS_EPOCH_VERSION and request.previous_broker_epoch == before.epoch
            if is_whole or not rules.is_elr_enabled:
                records += broker_leaves(rules, before.id, in_contact=in_contact, returns=True)
            else:
                records += broker_crashed(rules, before.id, in_contact)
        broker = msgspec.structs.replace(broker, epoch=image.end_offset + len(records))
        if heartbeats is not None:
            heartbeats.remove(broker.id)
    records.append(broker.to_record())
    return Decision(reply=BrokerRegistrationResponse(broker_epoch=broker.epoch), records=records)


def _broker(request: BrokerRegistrationRequest) -> Broker:
    return Broker(
        id=request.broker_id,
        epoch=-1,
        incarnation_id=request.incarnation_id,
        endpoints=tuple(Endpoint(e.name, e.host, e.port, e.security_protocol) for e in request.listeners),
        features={f.name: (f.min_supported_version, f.max_supported_version) for f in request.features},
        rack=request.rack,
        is_fenced=True,
        in_controlled_shutdown=False,
        log_dirs=tuple(request.log_dirs),
    )


def _check_log_dirs(image: MetadataImage, broker_id: int, log_dirs: Sequence[bytes]) -> None:
    problem = None
    if not log_dirs:
        problem = "No directories specified in request"
    elif any(is_reserved(directory) for directory in log_dirs):
        problem = "Reserved directory ID in request"
    elif len(set(log_dirs)) != len(log_dirs):
        problem = "Duplicate directory ID in request"
    else:
        for other in image.brokers.values():
            for directory in other.log_dirs if other.id != broker_id else ():
                if directory in log_dirs:
                    problem = f"Broker {other.id} is already registered with directory {uuid_text(directory)}"
    if problem is not None:
        raise KafkaError(ErrorCode.INVALID_REGISTRATION, problem)


def _check_features(image: MetadataImage, features: Sequence[Feature]) -> None:
    """A broker must be able to follow every rule that is in force; one it does not name it knows level 0 of."""
    ranges = {feature.name: (feature.min_supported_version, feature.max_supported_version) for feature in features}
    if METADATA_VERSION not in ranges:
        raise KafkaError(ErrorCode.INVALID_REGISTRATION, "Request features do not contain 'metadata.version'")
    for name, level in image.features.items():
        low, high = ranges.get(name, (0, 0))
        if not low <= level <= high:
            raise KafkaError(
                ErrorCode.UNSUPPORTED_VERSION,
                f"Unable to register because the broker does not support finalized version {level} of {name}. The "
                f"broker wants a version between {low} and {high}, inclusive.",
            )


def decide_unregister_broker(
    rules: LeadershipRules,
    request: UnregisterBrokerRequest,
    heartbeats: BrokerHeartbeats | None = None,
    now_ms: int | None = None,
) -> Decision[MetadataRecord, UnregisterBrokerResponse]:
    broker = rules.image.brokers.get(request.broker_id)
    if broker is None:
        problem = f"Broker ID {request.broker_id} is not currently registered"
        raise KafkaError(ErrorCode.BROKER_ID_NOT_REGISTERED, problem)
    if heartbeats is not None and heartbeats.has_contact(broker.id, now_ms):
        problem = f"Broker {broker.id} is alive. Stop it before it is unregistered."
        raise KafkaError(ErrorCode.INVALID_REQUEST, problem)
    records = (broker_crashed if rules.is_elr_enabled else broker_leaves)(rules, broker.id)
    records.append(UnregisterBrokerRecord(broker_id=broker.id, broker_epoch=broker.epoch))
    return Decision(reply=UnregisterBrokerResponse(error_message=None), records=records)


def decide_register_controller(
    image: MetadataImage, request: ControllerRegistrationRequest
) -> Decision[MetadataRecord, ControllerRegistrationResponse]:
    record = RegisterControllerRecord(
        controller_id=request.controller_id,
        incarnation_id=request.incarnation_id,
        zk_migration_ready=request.zk_migration_ready,
        end_points=[
            ControllerEndpoint(name=e.name, host=e.host, port=e.port, security_protocol=e.security_protocol)
            for e in request.listeners
        ],
        features=[
            ControllerFeature(
                name=f.name,
                min_supported_version=f.min_supported_version,
                max_supported_version=f.max_supported_version,
            )
            for f in request.features
        ],
    )
    is_known = image.controllers.get(request.controller_id) == record
    reply = ControllerRegistrationResponse(error_message=None)
    return Decision(reply=reply, records=[] if is_known else [record])
