"""A broker's heartbeat (KIP-631): what the broker asks to become, and what the controller makes it.

Theory of operation. A registered broker is in one of four states:

    fenced --caught up, does not want to be fenced--> unfenced --wants to stop, leads something--> controlled shutdown
      |                                                  |                                               |
      |                                                  |--wants to be fenced--> fenced                 |
      '--------- wants to stop ------------------------> shut down now <--leads nothing, all others know-'

Caught up means that it has applied its own registration. In controlled shutdown it is out of every ISR and leads
nothing that another could lead; it may go when every active broker has applied the records that did this, for until
then clients and followers would still be sent to it. A broker that may shut down is fenced in the same breath.

A heartbeat also tells log directories that failed (KIP-858) or that are cordoned (KIP-1066): the former's replicas
leave their ISR.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from riacho.base.decision import Decision
from riacho.metadata.image.brokers import Broker
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.records import MetadataRecord
from riacho.metadata.members.heartbeats import BrokerHeartbeats
from riacho.metadata.partitions.leadership import LeadershipRules
from riacho.metadata.partitions.partition_updates import InContact, broker_joins, broker_leaves, directories_lost
from riacho.wire.messages.broker_heartbeat_request import BrokerHeartbeatRequest
from riacho.wire.messages.broker_heartbeat_response import BrokerHeartbeatResponse
from riacho.wire.messages.broker_registration_change_record import BrokerRegistrationChangeRecord


class BrokerState(Enum):
    FENCED = 0
    UNFENCED = 1
    CONTROLLED_SHUTDOWN = 2
    SHUTDOWN_NOW = 3


def decide_heartbeat(
    rules: LeadershipRules, request: BrokerHeartbeatRequest, heartbeats: BrokerHeartbeats, now_ms: int
) -> Decision[MetadataRecord, BrokerHeartbeatResponse]:
    image = rules.image
    broker = image.check_broker_epoch(request.broker_id, request.broker_epoch)
    heartbeats.touch(broker.id, request.current_metadata_offset, now_ms)
    current = _current(broker)
    target = _next(image, broker, current, request, heartbeats)
    records = _directory_records(rules, broker, request)
    if target is not current:
        records += _transition(rules.after(records), broker, target)
    if target is BrokerState.CONTROLLED_SHUTDOWN:
        heartbeats.begin_shutdown(broker.id, image.end_offset + len(records) - 1)
    elif target is BrokerState.SHUTDOWN_NOW:
        # It takes its leave; its next incarnation need not wait for a session to run out.
        heartbeats.remove(broker.id)
    elif target is BrokerState.FENCED:
        heartbeats.end_shutdown(broker.id)
    reply = BrokerHeartbeatResponse(
        is_caught_up=request.current_metadata_offset >= broker.epoch,
        is_fenced=target in (BrokerState.FENCED, BrokerState.SHUTDOWN_NOW),
        should_shut_down=target is BrokerState.SHUTDOWN_NOW,
    )
    return Decision(reply=reply, records=records)


def decide_fence_brokers(
    rules: LeadershipRules, broker_ids: Sequence[int], in_contact: InContact = None
) -> list[MetadataRecord]:
    """Brokers that are gone: fenced, and out of every ISR that has another member."""
    up = [id for id in broker_ids if id in rules.image.brokers and not rules.image.brokers[id].is_fenced]
    # All are fenced before any leaves, or leaderships would move to one that is about to be fenced, and move again.
    records: list[MetadataRecord] = [_fence(rules.image.brokers[broker_id]) for broker_id in up]
    rules = rules.after(records)
    for broker_id in up:
        left = broker_leaves(rules, broker_id, in_contact=in_contact)
        records += left
        if broker_id != up[-1]:
            rules = rules.after(left)
    return records


def _current(broker: Broker) -> BrokerState:
    if broker.is_fenced:
        return BrokerState.FENCED
    return BrokerState.CONTROLLED_SHUTDOWN if broker.in_controlled_shutdown else BrokerState.UNFENCED


def _next(
    image: MetadataImage,
    broker: Broker,
    current: BrokerState,
    request: BrokerHeartbeatRequest,
    heartbeats: BrokerHeartbeats,
) -> BrokerState:
    match current:
        case BrokerState.FENCED:
            if request.want_shut_down:
                return BrokerState.SHUTDOWN_NOW
            is_ready = not request.want_fence and request.current_metadata_offset >= broker.epoch
            # One that has begun to stop comes back as another incarnation only.
            is_ready = is_ready and not broker.in_controlled_shutdown
            return BrokerState.UNFENCED if is_ready else BrokerState.FENCED
        case BrokerState.UNFENCED:
            if request.want_fence:
                return BrokerState.SHUTDOWN_NOW if request.want_shut_down else BrokerState.FENCED
            if request.want_shut_down:
                return BrokerState.CONTROLLED_SHUTDOWN if _leads(image, broker.id) else BrokerState.SHUTDOWN_NOW
            return BrokerState.UNFENCED
    if _leads(image, broker.id):
        return BrokerState.CONTROLLED_SHUTDOWN
    waits_for = heartbeats.shutdown_offset(broker.id)
    lowest = heartbeats.lowest_active_offset(image)
    if waits_for is None or lowest is None or waits_for <= lowest:
        return BrokerState.SHUTDOWN_NOW
    return BrokerState.CONTROLLED_SHUTDOWN


def _leads(image: MetadataImage, broker_id: int) -> bool:
    return any(partition.leader == broker_id for _, _, partition in image.partitions_on(broker_id))


def _transition(rules: LeadershipRules, broker: Broker, target: BrokerState) -> list[MetadataRecord]:
    match target:
        case BrokerState.UNFENCED:
            unfence = BrokerRegistrationChangeRecord(broker_id=broker.id, broker_epoch=broker.epoch, fenced=-1)
            return [unfence, *broker_joins(rules, broker.id)]
        case BrokerState.CONTROLLED_SHUTDOWN:
            leave = BrokerRegistrationChangeRecord(
                broker_id=broker.id, broker_epoch=broker.epoch, in_controlled_shutdown=1
            )
            return [leave, *broker_leaves(rules, broker.id)]
    if broker.is_fenced:
        return []
    return [*broker_leaves(rules, broker.id), _fence(broker)]


def _fence(broker: Broker) -> BrokerRegistrationChangeRecord:
    return BrokerRegistrationChangeRecord(broker_id=broker.id, broker_epoch=broker.epoch, fenced=1)


def _directory_records(rules: LeadershipRules, broker: Broker, request: BrokerHeartbeatRequest) -> list[MetadataRecord]:
    records: list[MetadataRecord] = []
    lost = [directory for directory in broker.log_dirs if directory in request.offline_log_dirs]
    left = [directory for directory in broker.log_dirs if directory not in lost]
    if lost and left:
        records += directories_lost(rules, broker.id, lost)
        records.append(BrokerRegistrationChangeRecord(broker_id=broker.id, broker_epoch=broker.epoch, log_dirs=left))
    elif lost:
        records += directories_lost(rules, broker.id, lost)
    cordoned = request.cordoned_log_dirs
    if cordoned is not None and set(cordoned) != set(broker.cordoned_log_dirs):
        known = [directory for directory in cordoned if directory in broker.log_dirs]
        if set(known) != set(broker.cordoned_log_dirs):
            records.append(
                BrokerRegistrationChangeRecord(broker_id=broker.id, broker_epoch=broker.epoch, cordoned_log_dirs=known)
            )
    return records
