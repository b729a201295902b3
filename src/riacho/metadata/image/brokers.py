"""Brokers as the cluster knows them: where they listen, what they can do, whether they may lead."""

from __future__ import annotations

import msgspec

from riacho.wire.messages.broker_registration_change_record import BrokerRegistrationChangeRecord
from riacho.wire.messages.register_broker_record import BrokerEndpoint, BrokerFeature, RegisterBrokerRecord

SECURITY_PROTOCOLS = {"PLAINTEXT": 0, "SSL": 1, "SASL_PLAINTEXT": 2, "SASL_SSL": 3}


class Endpoint(msgspec.Struct, frozen=True):
    name: str
    host: str
    port: int
    security_protocol: int = 0


class Broker(msgspec.Struct, frozen=True):
    """A registration. `epoch` is the offset of its record: a later one fences the earlier (KIP-631)."""

    id: int
    epoch: int
    incarnation_id: bytes
    endpoints: tuple[Endpoint, ...]
    features: dict[str, tuple[int, int]]
    rack: str | None
    is_fenced: bool
    in_controlled_shutdown: bool
    log_dirs: tuple[bytes, ...]
    cordoned_log_dirs: tuple[bytes, ...] = ()

    @property
    def is_active(self) -> bool:
        return not self.is_fenced and not self.in_controlled_shutdown

    def changed_by(self, record: BrokerRegistrationChangeRecord) -> Broker:
        """Fields of the change: 0 leaves as it is, 1 sets, -1 clears."""
        cordoned = record.cordoned_log_dirs
        return msgspec.structs.replace(
            self,
            is_fenced=self.is_fenced if record.fenced == 0 else record.fenced > 0,
            in_controlled_shutdown=self.in_controlled_shutdown
            if record.in_controlled_shutdown == 0
            else record.in_controlled_shutdown > 0,
            log_dirs=tuple(record.log_dirs) or self.log_dirs,
            cordoned_log_dirs=self.cordoned_log_dirs if cordoned is None else tuple(cordoned),
        )

    def to_record(self) -> RegisterBrokerRecord:
        return RegisterBrokerRecord(
            broker_id=self.id,
            incarnation_id=self.incarnation_id,
            broker_epoch=self.epoch,
            end_points=[
                BrokerEndpoint(name=e.name, host=e.host, port=e.port, security_protocol=e.security_protocol)
                for e in self.endpoints
            ],
            features=[
                BrokerFeature(name=name, min_supported_version=low, max_supported_version=high)
                for name, (low, high) in self.features.items()
            ],
            rack=self.rack,
            fenced=self.is_fenced,
            in_controlled_shutdown=self.in_controlled_shutdown,
            log_dirs=list(self.log_dirs),
            cordoned_log_dirs=list(self.cordoned_log_dirs) or None,
        )


def broker_from(record: RegisterBrokerRecord) -> Broker:
    return Broker(
        id=record.broker_id,
        epoch=record.broker_epoch,
        incarnation_id=record.incarnation_id,
        endpoints=tuple(Endpoint(e.name, e.host, e.port, e.security_protocol) for e in record.end_points),
        features={f.name: (f.min_supported_version, f.max_supported_version) for f in record.features},
        rack=record.rack,
        is_fenced=record.fenced,
        in_controlled_shutdown=record.in_controlled_shutdown,
        log_dirs=tuple(record.log_dirs),
        cordoned_log_dirs=tuple(record.cordoned_log_dirs or ()),
    )
