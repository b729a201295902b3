"""Metadata records as bytes: how one change stands in `__cluster_metadata` and in its snapshots.

A record's value is a frame version (1), the record's type and its version, each an unsigned varint, then the message.
Versions written are those of metadata.version 4.3-IV0, so Kafka's own tools read the log.
"""

from __future__ import annotations

from riacho.base.errors import ErrorCode, KafkaError
from riacho.wire.codec import decode, encoder
from riacho.wire.messages.abort_transaction_record import AbortTransactionRecord
from riacho.wire.messages.access_control_entry_record import AccessControlEntryRecord
from riacho.wire.messages.begin_transaction_record import BeginTransactionRecord
from riacho.wire.messages.broker_registration_change_record import BrokerRegistrationChangeRecord
from riacho.wire.messages.clear_elr_record import ClearElrRecord
from riacho.wire.messages.client_quota_record import ClientQuotaRecord
from riacho.wire.messages.config_record import ConfigRecord
from riacho.wire.messages.delegation_token_record import DelegationTokenRecord
from riacho.wire.messages.end_transaction_record import EndTransactionRecord
from riacho.wire.messages.feature_level_record import FeatureLevelRecord
from riacho.wire.messages.fence_broker_record import FenceBrokerRecord
from riacho.wire.messages.no_op_record import NoOpRecord
from riacho.wire.messages.partition_change_record import PartitionChangeRecord
from riacho.wire.messages.partition_record import PartitionRecord
from riacho.wire.messages.producer_ids_record import ProducerIdsRecord
from riacho.wire.messages.register_broker_record import RegisterBrokerRecord
from riacho.wire.messages.register_controller_record import RegisterControllerRecord
from riacho.wire.messages.remove_access_control_entry_record import RemoveAccessControlEntryRecord
from riacho.wire.messages.remove_delegation_token_record import RemoveDelegationTokenRecord
from riacho.wire.messages.remove_topic_record import RemoveTopicRecord
from riacho.wire.messages.remove_user_scram_credential_record import RemoveUserScramCredentialRecord
from riacho.wire.messages.topic_record import TopicRecord
from riacho.wire.messages.unfence_broker_record import UnfenceBrokerRecord
from riacho.wire.messages.unregister_broker_record import UnregisterBrokerRecord
from riacho.wire.messages.user_scram_credential_record import UserScramCredentialRecord
from riacho.wire.messages.zk_migration_state_record import ZkMigrationStateRecord
from riacho.wire.primitives import WireError, read_unsigned_varint
from riacho.wire.schema import Buffer, Message

MetadataRecord = Message

_FRAME_VERSION = 1

RECORD_TYPES: dict[int, type[Message]] = {
    cls.API_KEY: cls
    for cls in (
        RegisterBrokerRecord,
        UnregisterBrokerRecord,
        TopicRecord,
        PartitionRecord,
        ConfigRecord,
        PartitionChangeRecord,
        FenceBrokerRecord,
        UnfenceBrokerRecord,
        RemoveTopicRecord,
        DelegationTokenRecord,
        UserScramCredentialRecord,
        FeatureLevelRecord,
        ClientQuotaRecord,
        ProducerIdsRecord,
        BrokerRegistrationChangeRecord,
        AccessControlEntryRecord,
        RemoveAccessControlEntryRecord,
        NoOpRecord,
        ZkMigrationStateRecord,
        RemoveUserScramCredentialRecord,
        BeginTransactionRecord,
        EndTransactionRecord,
        AbortTransactionRecord,
        RemoveDelegationTokenRecord,
        RegisterControllerRecord,
        ClearElrRecord,
    )
    if cls.API_KEY is not None
}


def encode_record(record: MetadataRecord) -> bytes:
    """The record's value, in the newest version of its type."""
    version = record.VERSIONS[1]
    number = record.API_KEY or 0
    assert RECORD_TYPES.get(number) is type(record), f"{record.NAME} is no metadata record"
    # Types and versions are far below 128, so each is a varint of one byte.
    out = bytearray((_FRAME_VERSION, number, version))
    encoder(type(record), version)(record, out, None)
    return bytes(out)


def decode_record(value: Buffer) -> MetadataRecord:
    """The record in a value; KafkaError where it is none that this version knows, since skipping it loses state."""
    try:
        frame_version, api_key, version, position = value[0], value[1], value[2], 3
        if frame_version | api_key | version > 0x7F:
            # None that anybody writes today, but a varint it is.
            frame_version, position = read_unsigned_varint(value, 0)
            api_key, position = read_unsigned_varint(value, position)
            version, position = read_unsigned_varint(value, position)
        if frame_version != _FRAME_VERSION:
            raise KafkaError(ErrorCode.CORRUPT_MESSAGE, f"metadata record with frame version {frame_version}")
        if api_key not in RECORD_TYPES:
            raise KafkaError(ErrorCode.UNSUPPORTED_VERSION, f"metadata record of unknown type {api_key}")
        return decode(RECORD_TYPES[api_key], version, value, position)
    except (WireError, IndexError) as error:
        raise KafkaError(ErrorCode.CORRUPT_MESSAGE, f"metadata record: {error}") from error
