"""A member of a classic group: what it joined with, what it was assigned, and what it is waiting for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from riacho.wire.messages.join_group_request import JoinGroupRequestProtocol

# An embedded protocol: the assignor's name and the metadata that only the members understand.
Protocol = tuple[str, bytes]


def protocols_of(requested: Sequence[JoinGroupRequestProtocol]) -> tuple[Protocol, ...]:
    """In the client's order of preference; a name given twice counts once."""
    return tuple({protocol.name: bytes(protocol.metadata) for protocol in requested}.items())


@dataclass(slots=True, kw_only=True)
class Member:
    member_id: str
    group_instance_id: str | None = None
    client_id: str
    client_host: str
    rebalance_timeout_ms: int
    session_timeout_ms: int
    protocols: tuple[Protocol, ...]
    assignment: bytes = b""
    join_request_id: int | None = None
    sync_request_id: int | None = None
    # New until its first JoinGroup is answered: before that it cannot heartbeat.
    is_new: bool = False

    @property
    def is_static(self) -> bool:
        return self.group_instance_id is not None

    @property
    def is_waiting(self) -> bool:
        return self.join_request_id is not None or self.sync_request_id is not None

    @property
    def is_excused(self) -> bool:
        """Whether a missed heartbeat is forgiven: a known member cannot send any while its request is parked."""
        return not self.is_new and self.is_waiting

    def metadata(self, protocol_name: str | None) -> bytes:
        for name, metadata in self.protocols:
            if name == protocol_name:
                return metadata
        raise AssertionError(f"member {self.member_id} does not support protocol {protocol_name}")

    def vote(self, candidates: set[str]) -> str:
        """The first of its own protocols that every member supports."""
        for name, _ in self.protocols:
            if name in candidates:
                return name
        raise AssertionError(f"member {self.member_id} supports none of {sorted(candidates)}")
