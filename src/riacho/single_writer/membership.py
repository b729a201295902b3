"""Membership of the group that decides who may lead: who is assigned the log's one partition stands for leader.

A thread owns the consumer and polls it; it never fetches a record, as its partition is paused. What happens to the
assignment is reported on the event loop. A claim is an asynchronous commit between two polls, answered in a later one,
so nobody ever waits for the coordinator but the one who claims. No other thread touches the consumer: the client
library may lock up when one commits while another polls.

The coordinator takes a commit from members of the current generation, but does not ask whether they own the partition,
and takes one from anybody while the group is empty. So a claim counts only if the assignment is the same before and
after it, and the member id too.
"""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from confluent_kafka import OFFSET_END, Consumer, KafkaError, KafkaException, TopicPartition

from riacho.single_writer.consumer_thread import ConsumerThread
from riacho.single_writer.errors import ReplicatedLogError
from riacho.web.kafka_client import make_client

_logger = logging.getLogger("riacho.single_writer")
# A claim waits for the end of a poll: they are short while there are claims, but an idle instance has better to do.
_POLL_S = 0.025
_POLL_BUSY_S = 0.002
_BUSY_S = 1.0
_GENERATION_LOST = frozenset(
    {
        KafkaError.ILLEGAL_GENERATION,
        KafkaError.UNKNOWN_MEMBER_ID,
        KafkaError.FENCED_INSTANCE_ID,
        KafkaError.FENCED_MEMBER_EPOCH,
        KafkaError.STALE_MEMBER_EPOCH,
        KafkaError._ASSIGNMENT_LOST,
    }
)


class GenerationLost(ReplicatedLogError):
    """The group does not count this instance among its members, or not as the log's owner."""


class ClaimFailed(ReplicatedLogError):
    """The coordinator did not take the claim now; it may do so later."""


@dataclass(slots=True)
class _Claim:
    number: int
    member_id: str
    url: str
    answer: asyncio.Future[None]
    is_sent: bool = False

    def settle(self, refusal: ReplicatedLogError | None) -> None:
        if self.answer.done():
            return
        if refusal is None:
            self.answer.set_result(None)
        else:
            self.answer.set_exception(refusal)


class Candidate(Protocol):
    """Told on the event loop's thread."""

    def assigned(self) -> None: ...
    def released(self) -> None: ...
    def stalled(self) -> None: ...


class Membership:
    def __init__(self, topic: str, settings: dict[str, Any], stall_s: float, candidate: Candidate) -> None:
        self._topic = topic
        self._settings = settings | {"on_commit": self._on_commit}
        self._stall_s = stall_s
        self._candidate = candidate
        self._thread = ConsumerThread("leadership-membership", topic, self._attend, "trouble with the group")
        self._must_rejoin = False
        self._member_id: str | None = None  # while the partition is assigned
        self._turn: asyncio.Lock
        self._claim: _Claim | None = None
        self._claims = 0
        self._claimed_s = 0.0
        self._consumer: Consumer | None = None  # for the thread itself

    def start(self) -> None:
        self._turn = asyncio.Lock()
        self._thread.start()

    async def stop(self, timeout_s: float) -> None:
        """Leaves the group, so that another one is assigned at once."""
        await self._thread.stop(timeout_s)

    def rejoin(self) -> None:
        """Leave and join as a new member: the group has lost us, whatever the client library still believes."""
        self._must_rejoin = True

    async def claim(self, url: str, timeout_s: float) -> None:
        """Commit `url` as the leader's. GenerationLost when we must not lead, ClaimFailed when nobody can tell."""
        async with self._turn:
            if self._member_id is None:
                raise GenerationLost("This instance is not assigned the log.")
            self._claims += 1
            claim = _Claim(self._claims, self._member_id, url, asyncio.get_running_loop().create_future())
            self._claim = claim
            try:
                async with asyncio.timeout(timeout_s):
                    await claim.answer
            except TimeoutError:
                raise ClaimFailed("The group's coordinator did not answer in time.") from None

    # The thread

    def _attend(self) -> None:
        """One membership, from joining to leaving."""
        self._must_rejoin = False
        consumer = self._consumer = make_client(Consumer, self._settings)
        try:
            consumer.subscribe(
                [self._topic], on_assign=self._on_assign, on_revoke=self._on_released, on_lost=self._on_released
            )
            polled_s = time.monotonic()
            last_error = None
            while not self._thread.is_stopping and not self._must_rejoin:
                self._send_claim(consumer)
                message = consumer.poll(_POLL_BUSY_S if polled_s - self._claimed_s < _BUSY_S else _POLL_S)
                now_s = time.monotonic()
                if now_s - polled_s > self._stall_s:
                    _logger.warning("process stood still seconds=%.1f", now_s - polled_s)
                    self._thread.tell(self._candidate.stalled)
                polled_s = now_s
                error = None if message is None else message.error()
                if error is not None and error.code() != last_error:
                    last_error = error.code()
                    _logger.warning("trouble with the group topic=%s reason=%s", self._topic, error.str())
        finally:
            self._released()
            with suppress(KafkaException, RuntimeError):
                consumer.close()
            self._consumer = None

    def _send_claim(self, consumer: Consumer) -> None:
        claim = self._claim
        if claim is None or claim.is_sent:
            return
        if consumer.memberid() != claim.member_id:
            self._answer(claim, GenerationLost("This instance is not assigned the log any more."))
            return
        claim.is_sent = True
        self._claimed_s = time.monotonic()
        # The offset means nothing but which claim this is.
        place = TopicPartition(self._topic, 0, claim.number, metadata=claim.url)
        try:
            consumer.commit(offsets=[place], asynchronous=True)
        except KafkaException as error:
            self._answer(claim, _refusal(error.args[0]))

    def _on_assign(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        for partition in partitions:
            partition.offset = OFFSET_END
        consumer.incremental_assign(partitions)
        consumer.pause(partitions)
        if partitions:
            self._member_id = consumer.memberid()
            self._thread.tell(self._candidate.assigned)

    def _on_released(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        if partitions:
            self._released()

    def _released(self) -> None:
        was_assigned, self._member_id = self._member_id is not None, None
        if was_assigned:
            self._thread.tell(self._candidate.released)
        if self._claim is not None:
            self._answer(self._claim, GenerationLost("This instance is not assigned the log any more."))

    def _on_commit(self, error: KafkaError | None, partitions: list[TopicPartition]) -> None:
        claim = self._claim
        if claim is None or not partitions or partitions[0].offset != claim.number:
            return  # of a claim that nobody waits for any more
        error = error or partitions[0].error
        if error is not None:
            self._answer(claim, _refusal(error))
        elif not claim.member_id == self._member_id == (self._consumer and self._consumer.memberid()):
            self._answer(claim, GenerationLost("This instance is not assigned the log any more."))
        else:
            self._answer(claim, None)

    def _answer(self, claim: _Claim, refusal: ReplicatedLogError | None) -> None:
        self._thread.tell(claim.settle, refusal)


def _refusal(error: KafkaError) -> ReplicatedLogError:
    kind = GenerationLost if error.code() in _GENERATION_LOST else ClaimFailed
    return kind(f"The group's coordinator did not take the claim: {error.str()}.")
