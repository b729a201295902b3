"""What must hold whatever becomes of disks, beside what always must: votes are kept, and so is committed metadata."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from unittest import mock

from riacho.broker.quorum.raft_driver import RaftDriver
from riacho.wire.messages.vote_request import VoteRequest
from riacho.wire.messages.vote_response import VoteResponse
from support.simulated_history import History

if TYPE_CHECKING:
    from support.simulated_world import World


class Votes:
    """Every vote that left a node: at most one in an epoch, whatever it forgot in between."""

    def __init__(self) -> None:
        self.given: dict[tuple[int, int], int] = {}

    def note(self, voter_id: int, epoch: int, candidate_id: int) -> None:
        first = self.given.setdefault((voter_id, epoch), candidate_id)
        assert first == candidate_id, f"node {voter_id} voted for {first} and {candidate_id} in epoch {epoch}"

    @contextlib.contextmanager
    def watched(self, world: World) -> Iterator[None]:
        reply, send = RaftDriver._reply, RaftDriver._send

        def note(driver: RaftDriver) -> None:
            core = driver.node._core
            if core.voted is not None:
                try:
                    self.note(core.key.node_id, core.epoch, core.voted.node_id)
                except AssertionError as error:
                    world.failed("Votes", error)

        def noted_reply(driver: RaftDriver, request_id: int, response: Any) -> None:
            if isinstance(response, VoteResponse) and any(
                partition.vote_granted for topic in response.topics for partition in topic.partitions
            ):
                note(driver)
            reply(driver, request_id, response)

        def noted_send(driver: RaftDriver, to: Any, request: Any, timeout_ms: int) -> None:
            if isinstance(request, VoteRequest) and not request.topics[0].partitions[0].pre_vote:
                note(driver)
            send(driver, to, request, timeout_ms)

        with mock.patch.object(RaftDriver, "_reply", noted_reply), mock.patch.object(RaftDriver, "_send", noted_send):
            yield


class CommittedMetadataIsKept:
    """A batch that was committed once is what everybody has at its offset, for good."""

    def __init__(self) -> None:
        self._known: dict[int, bytes] = {}
        self._seen: dict[tuple[int, int], int] = {}

    def check(self, world: World, history: History) -> None:
        for node in world.up:
            if node.quorum is None:
                continue
            raft = node.quorum.raft
            key = (node.id, node.start_count)
            start = max(self._seen.get(key, 0), raft.log.start_offset)
            end = min(raft.node.high_watermark, raft.log.end_offset)
            for data, position, header in raft.log.batches(start, end) if start < end else ():
                batch = bytes(data[position : position + header.size_bytes])
                first = self._known.setdefault(header.base_offset, batch)
                assert first == batch, f"{node.host} has other metadata at {header.base_offset} than was committed"
            self._seen[key] = max(start, end)

    def check_end(self, world: World) -> None:
        end = max(self._known, default=-1) + 1
        for node in world.up:
            assert node.raft.log.end_offset >= end, f"{node.host} lost committed metadata below {end}"
