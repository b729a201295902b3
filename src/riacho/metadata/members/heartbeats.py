"""The last contact of each broker, and how far it is with the metadata: the active controller's own knowledge.

None of it is on record. A controller that takes over calls `activate`: every broker that is on record as up gets a
whole session to show itself, the fenced ones are not waited for. From then on `touch` prolongs a session, `expired`
tells whose has run out, and `remove` forgets a broker whose process is known to be gone, so that its next incarnation
may register at once. A broker in controlled shutdown may go when all the others have applied its last leaderships'
moving away: that offset is kept here too.
"""

from __future__ import annotations

from riacho.metadata.image.image import MetadataImage

_UNKNOWN = -1


class _Contact:
    __slots__ = ("deadline_ms", "metadata_offset", "shutdown_offset")

    def __init__(self, deadline_ms: int) -> None:
        self.deadline_ms = deadline_ms
        self.metadata_offset = _UNKNOWN
        self.shutdown_offset: int | None = None


class BrokerHeartbeats:
    def __init__(self, session_timeout_ms: int) -> None:
        self.session_timeout_ms = session_timeout_ms
        self._contacts: dict[int, _Contact] = {}

    def activate(self, image: MetadataImage, now_ms: int) -> None:
        """Start over, as a controller that has just become active."""
        self._contacts = {
            broker.id: _Contact(now_ms + self.session_timeout_ms)
            for broker in image.brokers.values()
            if not broker.is_fenced
        }

    def touch(self, broker_id: int, metadata_offset: int, now_ms: int) -> None:
        """A contact: `metadata_offset` is the last record that the broker has applied, -1 when it did not say."""
        contact = self._contacts.get(broker_id)
        if contact is None:
            contact = self._contacts[broker_id] = _Contact(0)
        contact.deadline_ms = now_ms + self.session_timeout_ms
        contact.metadata_offset = metadata_offset

    def has_contact(self, broker_id: int, now_ms: int | None = None) -> bool:
        """Whether the broker's session lasts; `now_ms` finds out one that has run out but was not yet collected."""
        contact = self._contacts.get(broker_id)
        return contact is not None and (now_ms is None or now_ms < contact.deadline_ms)

    def in_contact(self, now_ms: int) -> set[int]:
        """Brokers that sent a heartbeat since this controller became active, and not long ago."""
        since_ms = now_ms + self.session_timeout_ms - self.session_timeout_ms // 2
        reported = [(id, each) for id, each in self._contacts.items() if each.metadata_offset != _UNKNOWN]
        return {id for id, each in reported if each.deadline_ms > since_ms}

    def expired(self, now_ms: int) -> list[int]:
        """Brokers whose session has run out. They are listed until they are removed or in contact again."""
        return sorted(id for id, contact in self._contacts.items() if contact.deadline_ms <= now_ms)

    def next_deadline_ms(self) -> int | None:
        return min((contact.deadline_ms for contact in self._contacts.values()), default=None)

    def remove(self, broker_id: int) -> None:
        self._contacts.pop(broker_id, None)

    def metadata_offset(self, broker_id: int) -> int:
        contact = self._contacts.get(broker_id)
        return _UNKNOWN if contact is None else contact.metadata_offset

    def begin_shutdown(self, broker_id: int, offset: int) -> None:
        """`offset`: of the last record that moved something off the broker; a second call changes nothing."""
        contact = self._contacts.get(broker_id)
        if contact is not None and contact.shutdown_offset is None:
            contact.shutdown_offset = offset

    def end_shutdown(self, broker_id: int) -> None:
        contact = self._contacts.get(broker_id)
        if contact is not None:
            contact.shutdown_offset = None

    def shutdown_offset(self, broker_id: int) -> int | None:
        contact = self._contacts.get(broker_id)
        return None if contact is None else contact.shutdown_offset

    def lowest_active_offset(self, image: MetadataImage) -> int | None:
        """How far the slowest of the active brokers is with the metadata; None when no other is active."""
        return min((self.metadata_offset(broker.id) for broker in image.active_brokers()), default=None)
