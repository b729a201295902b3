"""Voters and sets of them: immutable values.

A voter is known by its id and its directory id (KIP-853). A directory id of zeros is the one of a static voter, of
which only the id is known: it fits every directory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from riacho.base.ids import ZERO_UUID, uuid_from_text, uuid_text
from riacho.wire.messages import voters_record as wire
from riacho.wire.messages.voters_record import VotersRecord


class Endpoint(NamedTuple):
    name: str
    host: str
    port: int


class ReplicaKey(NamedTuple):
    node_id: int
    directory_id: bytes = ZERO_UUID

    def __str__(self) -> str:
        return f"{self.node_id}" if self.directory_id == ZERO_UUID else f"{self.node_id}-{uuid_text(self.directory_id)}"


class Voter(NamedTuple):
    node_id: int
    directory_id: bytes = ZERO_UUID
    endpoints: tuple[Endpoint, ...] = ()
    kraft_version_min: int = 0
    kraft_version_max: int = 1

    @property
    def key(self) -> ReplicaKey:
        return ReplicaKey(self.node_id, self.directory_id)

    def fits(self, replica: ReplicaKey) -> bool:
        return self.node_id == replica.node_id and self.directory_id in (ZERO_UUID, replica.directory_id)

    def endpoint(self, listener_name: str = "") -> Endpoint | None:
        for endpoint in self.endpoints:
            if endpoint.name == listener_name:
                return endpoint
        return self.endpoints[0] if self.endpoints else None


class VoterSet:
    __slots__ = ("_by_id",)

    def __init__(self, voters: Iterable[Voter] = ()) -> None:
        ordered = sorted(voters, key=lambda voter: voter.node_id)
        self._by_id = {voter.node_id: voter for voter in ordered}
        if len(self._by_id) != len(ordered):
            raise ValueError("a voter id occurs twice")

    @classmethod
    def parse(cls, text: str) -> VoterSet:
        """`controller.quorum.voters`: `1@host:9093,2@host:9093`; or with directory ids, as `--initial-controllers`
        has them: `1@host:9093:directory`."""
        return cls(_parse_voter(each.strip()) for each in text.split(",") if each.strip())

    @classmethod
    def from_record(cls, record: VotersRecord) -> VoterSet:
        return cls(
            Voter(
                each.voter_id,
                each.voter_directory_id,
                tuple(Endpoint(e.name, e.host, e.port) for e in each.endpoints),
                each.kraft_version_feature.min_supported_version,
                each.kraft_version_feature.max_supported_version,
            )
            for each in record.voters
        )

    def to_record(self) -> VotersRecord:
        return VotersRecord(
            voters=[
                wire.Voter(
                    voter_id=voter.node_id,
                    voter_directory_id=voter.directory_id,
                    endpoints=[wire.Endpoint(name=e.name, host=e.host, port=e.port) for e in voter.endpoints],
                    kraft_version_feature=wire.KRaftVersionFeature(
                        min_supported_version=voter.kraft_version_min, max_supported_version=voter.kraft_version_max
                    ),
                )
                for voter in self
            ]
        )

    @property
    def majority(self) -> int:
        return len(self._by_id) // 2 + 1

    @property
    def ids(self) -> list[int]:
        return list(self._by_id)

    def get(self, node_id: int) -> Voter | None:
        return self._by_id.get(node_id)

    def has(self, replica: ReplicaKey) -> bool:
        voter = self._by_id.get(replica.node_id)
        return voter is not None and voter.fits(replica)

    def others(self, replica: ReplicaKey) -> list[Voter]:
        return [voter for voter in self if not voter.fits(replica)]

    def with_voter(self, voter: Voter) -> VoterSet:
        """The set with this voter added, or in the place of the one with its id."""
        return VoterSet([*(each for each in self if each.node_id != voter.node_id), voter])

    def without(self, node_id: int) -> VoterSet:
        return VoterSet(each for each in self if each.node_id != node_id)

    def __iter__(self) -> Iterator[Voter]:
        return iter(self._by_id.values())

    def __len__(self) -> int:
        return len(self._by_id)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, VoterSet) and self._by_id == other._by_id

    def __hash__(self) -> int:
        return hash(tuple(self._by_id.values()))

    def __repr__(self) -> str:
        return f"VoterSet({', '.join(str(voter.key) for voter in self)})"


def _parse_voter(text: str) -> Voter:
    node_id, at, address = text.partition("@")
    if not at or not node_id.isdecimal():
        raise ValueError(f"not a voter, id@host:port: {text!r}")
    parts = address.rsplit(":", 2)
    directory_id = ZERO_UUID
    if len(parts) == 3 and not parts[2].isdecimal():
        directory_id = uuid_from_text(parts.pop())
    host, colon, port = ":".join(parts).rpartition(":")
    if not colon or not host or not port.isdecimal() or not 0 <= int(port) <= 65_535:
        raise ValueError(f"not a voter, id@host:port: {text!r}")
    return Voter(int(node_id), directory_id, (Endpoint("", host.strip("[]"), int(port)),))
