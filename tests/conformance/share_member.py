"""A member of a share group that speaks the protocol itself: ShareFetch and ShareAcknowledge, one session."""

from __future__ import annotations

import base64
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from conformance.raw import RawConnection, batch, error_codes, wait_until_served
from conformance.waiting import eventually
from riacho.base.ids import uuid_text
from riacho.wire.batch import iterate_headers

ACCEPT, RELEASE, REJECT, RENEW = 1, 2, 3, 4
Acknowledgements = Sequence[tuple[int, int, Sequence[int]]]


class Taken(NamedTuple):
    """What a fetch gave of one partition: ranges with their delivery count, and the batches that came along."""

    acquired: list[tuple[int, int, int]]
    batches: list[tuple[int, int]]
    error_code: int = 0
    acknowledge_error_code: int = 0


NOTHING = Taken([], [])


class ShareMember:
    def __init__(self, address: tuple[str, int], group: str, topic_id: bytes) -> None:
        self.connection = RawConnection(address)
        self.group, self.topic_id = group, topic_id
        self.member_id = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        self.epoch = 0

    def request(self, epoch: int | None = None) -> dict[str, Any]:
        """What every request carries; the epoch goes on as the broker expects it to."""
        values = {"group_id": self.group, "member_id": self.member_id, "share_session_epoch": epoch}
        if epoch is None:
            values["share_session_epoch"] = self.epoch
            self.epoch += 1
        return values

    def fetch_raw(
        self,
        acknowledgements: Mapping[int, Acknowledgements] | None = None,
        *,
        partitions: Sequence[int] = (0,),
        epoch: int | None = None,
        version: int = 2,
        topic_id: bytes | None = None,
        **changed: Any,
    ) -> Any:
        said = acknowledgements or {}
        asked = [
            {"partition_index": index, "acknowledgement_batches": _batches(said.get(index, ()))}
            for index in dict.fromkeys([*partitions, *said])
        ]
        values = {
            "max_wait_ms": 400,
            "min_bytes": 1,
            "max_bytes": 1 << 20,
            "max_records": 500,
            "batch_size": 500,
            "topics": [{"topic_id": topic_id or self.topic_id, "partitions": asked}] if asked else [],
        }
        return self.connection.ask("ShareFetch", version, **self.request(epoch), **(values | changed))

    def fetch(self, acknowledgements: Acknowledgements = (), **options: Any) -> Taken:
        """Of partition 0."""
        answer = self.fetch_raw({0: acknowledgements} if acknowledgements else None, **options)
        assert answer.error_code == 0, answer
        return taken(answer)

    def fetch_some(self, **options: Any) -> Taken:
        """Fetch until something comes."""
        return eventually(lambda: found if (found := self.fetch(**options)).acquired else None)

    def acknowledge_raw(
        self,
        acknowledgements: Acknowledgements,
        *,
        partition: int = 0,
        epoch: int | None = None,
        topic_id: bytes | None = None,
        **changed: Any,
    ) -> Any:
        asked = [{"partition_index": partition, "acknowledgement_batches": _batches(acknowledgements)}]
        topics = [{"topic_id": topic_id or self.topic_id, "partitions": asked}] if acknowledgements else []
        return self.connection.ask("ShareAcknowledge", 2, **self.request(epoch), topics=topics, **changed)

    def acknowledge(self, *acknowledgements: tuple[int, int, Sequence[int]], **changed: Any) -> int:
        """The partition's error code."""
        answer = self.acknowledge_raw(acknowledgements, **changed)
        assert answer.error_code == 0, answer
        code: int = answer.responses[0].partitions[0].error_code
        return code

    def close(self) -> None:
        self.connection.socket.close()


class ShareState:
    """The share coordinator's APIs, for partition 0 of one topic."""

    def __init__(self, connection: RawConnection, group: str, topic_id: bytes) -> None:
        self.connection, self.group, self.topic_id = connection, group, topic_id

    def find(self) -> None:
        """Until the share coordinator is there; the first question makes its topic."""
        key = f"{self.group}:{uuid_text(self.topic_id)}:0"
        asked = {"key_type": 2, "coordinator_keys": [key]}
        eventually(lambda: not any(error_codes(self.connection.ask("FindCoordinator", 6, **asked))))
        eventually(lambda: not self.summary().error_code)

    def initialize(self, state_epoch: int = 1, start_offset: int = 0, partition: int = 0) -> Any:
        return self._ask("InitializeShareGroupState", 0, partition, state_epoch=state_epoch, start_offset=start_offset)

    def read(self, leader_epoch: int = 0, partition: int = 0) -> Any:
        return self._ask("ReadShareGroupState", 0, partition, leader_epoch=leader_epoch)

    def summary(self) -> Any:
        return self._ask("ReadShareGroupStateSummary", 1, 0, leader_epoch=-1)

    def delete(self) -> Any:
        return self._ask("DeleteShareGroupState", 0, 0)

    def write(
        self, *batches: tuple[int, int, int, int], state_epoch: int = 1, leader_epoch: int = 0, start_offset: int = 0
    ) -> Any:
        names = ("first_offset", "last_offset", "delivery_state", "delivery_count")
        return self._ask(
            "WriteShareGroupState",
            1,
            0,
            state_epoch=state_epoch,
            leader_epoch=leader_epoch,
            start_offset=start_offset,
            delivery_complete_count=0,
            state_batches=[dict(zip(names, each, strict=True)) for each in batches],
        )

    def batches(self) -> list[tuple[int, int, int, int]]:
        return [
            (each.first_offset, each.last_offset, each.delivery_state, each.delivery_count)
            for each in self.read().state_batches
        ]

    def _ask(self, api: str, version: int, partition: int, **values: Any) -> Any:
        topics = [{"topic_id": self.topic_id, "partitions": [{"partition": partition, **values}]}]
        answer = self.connection.ask(api, version, group_id=self.group, topics=topics)
        return answer.results[0].partitions[0]


def new_topic(connection: RawConnection, topic: str, partitions: int = 1) -> bytes:
    """Its id."""
    asked = [{"name": topic, "num_partitions": partitions, "replication_factor": 1}]
    created = connection.ask("CreateTopics", 7, topics=asked, timeout_ms=10_000).topics[0]
    assert created.error_code == 0, created
    wait_until_served(connection, topic, partitions)
    topic_id: bytes = created.topic_id
    return topic_id


def send(connection: RawConnection, topic: str, *counts: int, partition: int = 0, **options: Any) -> None:
    """One batch of records for each count."""
    for count in counts:
        records = bytes(batch(*(b"v%d" % at for at in range(count)), **options))
        data = [{"name": topic, "partition_data": [{"index": partition, "records": records}]}]
        answer = connection.ask("Produce", 9, acks=-1, timeout_ms=10_000, topic_data=data)
        assert not any(error_codes(answer)), answer


def taken(answer: Any, partition: int = 0) -> Taken:
    for topic in answer.responses:
        for each in topic.partitions:
            if each.partition_index == partition:
                acquired = [(one.first_offset, one.last_offset, one.delivery_count) for one in each.acquired_records]
                headers = [header for _, header in iterate_headers(bytes(each.records or b""))]
                return Taken(
                    acquired,
                    [(header.base_offset, header.last_offset) for header in headers],
                    each.error_code,
                    each.acknowledge_error_code,
                )
    return NOTHING


def _batches(acknowledgements: Acknowledgements) -> list[dict[str, Any]]:
    return [
        {"first_offset": first, "last_offset": last, "acknowledge_types": list(types)}
        for first, last, types in acknowledgements
    ]
