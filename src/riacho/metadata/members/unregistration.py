"""Taking a broker off the record for good (UnregisterBroker, KIP-631): it is gone from every ISR and ELR too.

Not while it lives, whereas Apache Kafka takes it off the record all the same: it would be out of service until it
registers again, and what it leads with it.
"""

from __future__ import annotations

from riacho.base.decision import Decision
from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.image.records import MetadataRecord
from riacho.metadata.members.heartbeats import BrokerHeartbeats
from riacho.metadata.partitions.leadership import LeadershipRules
from riacho.metadata.partitions.partition_updates import broker_crashed, broker_leaves
from riacho.wire.messages.unregister_broker_record import UnregisterBrokerRecord
from riacho.wire.messages.unregister_broker_request import UnregisterBrokerRequest
from riacho.wire.messages.unregister_broker_response import UnregisterBrokerResponse


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
