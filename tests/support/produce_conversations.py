"""The same conversation with two brokers, one of which offers no fast paths of produce: both must do the same."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from hypothesis import HealthCheck, currently_in_test_context, event, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from riacho.wire.messages.produce_request import PartitionProduceData, ProduceRequest, TopicProduceData
from support.broker_fakes import request_frame
from support.produce_batches import KINDS, Batches, Client, Sequences
from support.produce_changes import CHANGES, NEEDS_TWO, TRANSACTIONAL_ID, Change
from support.produce_world import (
    ALONE,
    REPLICATED,
    TOPIC,
    TOPIC_ID,
    FastConnection,
    ProduceWorld,
    UsualConnection,
)

clients = st.builds(
    Client,
    version=st.integers(3, 13),
    acks=st.sampled_from((1, -1)),
    client_id=st.sampled_from(("c", "d")),
    producer_id=st.sampled_from((7, 8)),
)


class DifferenceError(AssertionError):
    """The broker with fast paths did not what the other did."""


class TwoBrokers(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self._directory = tempfile.TemporaryDirectory()
        path = Path(self._directory.name)
        self.fast = ProduceWorld(path / "fast", FastConnection)
        self.usual = ProduceWorld(path / "usual", UsualConnection)
        self.worlds = (self.fast, self.usual)
        self.batches = Batches()
        self.correlation_id = 0
        self.clients: list[Client] = []

    @classmethod
    @contextmanager
    def of(cls, *clients: Client) -> Iterator[TwoBrokers]:
        """Without chance."""
        brokers = cls()
        try:
            brokers.clients = list(clients)
            yield brokers
            brokers.both_did_the_same()
        finally:
            brokers.teardown()

    def teardown(self) -> None:
        served = self.fast.served_fast
        if currently_in_test_context():
            event(f"fast: {'never' if not served else 'a few' if served < 5 else 'often'}")
        for world in self.worlds:
            world.close()
        self._directory.cleanup()

    @initialize(first=clients, second=clients, timeout_ms=st.sampled_from((1_500, 300)))
    def choose_clients(self, first: Client, second: Client, timeout_ms: int) -> None:
        """The second shares the layout of the first, so that both have their fast paths at a time."""
        self.clients = [first, replace(second, version=first.version, timeout_ms=timeout_ms)]

    @invariant()
    def both_did_the_same(self) -> None:
        fast, usual = self.fast.seen(), self.usual.seen()
        for name, value in usual.items():
            if fast[name] != value:
                raise DifferenceError(f"{name}: {fast[name]!r}, by the usual way {value!r}")

    # --- requests

    @rule(
        who=st.integers(0, 1),
        index=st.sampled_from((REPLICATED, REPLICATED, ALONE, ALONE, ALONE, 9)),
        kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=6),
        is_transactional=st.booleans(),
    )
    def produce(self, who: int, index: int, kinds: list[str], is_transactional: bool) -> None:
        client = self.clients[who]
        self._send([self._request(client, [(index, kind)], is_transactional) for kind in kinds], client)

    @rule(
        who=st.integers(0, 1),
        index=st.sampled_from((REPLICATED, ALONE)),
        kinds=st.lists(st.sampled_from(("plain", "idempotent", "repeated")), min_size=2, max_size=6),
    )
    def produce_well(self, who: int, index: int, kinds: list[str]) -> None:
        self.produce(who, index, kinds, False)

    @rule(who=st.integers(0, 1), kinds=st.lists(st.sampled_from(KINDS), min_size=2, max_size=2))
    def produce_to_both(self, who: int, kinds: list[str]) -> None:
        client = self.clients[who]
        self._send([self._request(client, list(zip((REPLICATED, ALONE), kinds, strict=True)), True)], client)

    @rule(
        other=clients,
        acks=st.sampled_from((-1, 0, 1, 2)),
        kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=2),
    )
    def produce_otherwise(self, other: Client, acks: int, kinds: list[str]) -> None:
        client = replace(other, acks=acks)
        self._send([self._request(client, [(ALONE, kind)], False) for kind in kinds], client)

    def _request(self, client: Client, parts: list[tuple[int, str]], is_transactional: bool) -> ProduceRequest:
        data = [
            PartitionProduceData(index=index, records=self.batches.made(kind, client, index)) for index, kind in parts
        ]
        by_id = client.version >= 13
        topic = TopicProduceData(
            name="" if by_id else TOPIC, topic_id=TOPIC_ID if by_id else bytes(16), partition_data=data
        )
        return ProduceRequest(
            transactional_id=TRANSACTIONAL_ID if is_transactional else None,
            acks=client.acks,
            timeout_ms=client.timeout_ms,
            topic_data=[topic],
        )

    def _send(self, requests: list[ProduceRequest], client: Client) -> None:
        frames = []
        for request in requests:
            self.correlation_id += 1
            frames.append(request_frame(request, client.version, self.correlation_id, client.client_id))
        for world in self.worlds:
            world.receive(frames)

    # --- what changes in between

    def make(self, change: Change) -> None:
        for world in self.worlds:
            change.make(world)

    def undo(self, change: Change) -> None:
        for world in self.worlds:
            change.undo(world)

    def start_again(self, who: int, index: int) -> None:
        self.batches.start_again(self.clients[who], index)

    @rule(
        first=st.sampled_from((None, None, NEEDS_TWO)),
        change=st.sampled_from(CHANGES),
        who=st.integers(0, 1),
        index=st.sampled_from((REPLICATED, ALONE)),
        kinds=st.just(["too large", "plain", "plain", "long ago"])
        | st.lists(st.sampled_from(KINDS), min_size=1, max_size=4),
        is_transactional=st.booleans(),
        ms=st.sampled_from((0, 0, 1, 400)),
        is_undone=st.sampled_from((*[True] * 7, False)),
    )
    def change(
        self,
        first: Change | None,
        change: Change,
        who: int,
        index: int,
        kinds: list[str],
        is_transactional: bool,
        ms: int,
        is_undone: bool,
    ) -> None:
        """Between two requests of producers that were served well; mostly it does not last."""
        kind = "transactional" if is_transactional else "plain"
        if first is not None:
            self.make(first)
        for each in (who, 1 - who):
            self.end_transaction(index, self.clients[each].producer_id)
            self.start_again(each, index)
            self.produce(each, index, [kind, kind], is_transactional)
        self.make(change)
        self.produce(who, index, ["plain", *kinds], is_transactional)
        self.pass_time(ms)
        self.produce(1 - who, index, [kind], is_transactional)
        self.pass_time(ms)
        self.produce(who, index, [kind, kind], is_transactional)
        # A transaction that is open, in requests that do not name it.
        self.produce(1 - who, index, ["plain", "plain", kind], False)
        if is_undone:
            self.undo(change)
            if first is not None:
                self.undo(first)

    @rule()
    def replicate(self) -> None:
        for world in self.worlds:
            world.replicate()

    @rule(index=st.sampled_from((REPLICATED, ALONE)), producer_id=st.sampled_from((7, 8)))
    def end_transaction(self, index: int, producer_id: int) -> None:
        epoch = self.batches.sequences.setdefault((producer_id, index), Sequences()).epoch
        for world in self.worlds:
            world.end_transaction(producer_id, epoch, index)

    @rule(index=st.sampled_from((REPLICATED, ALONE)))
    def delete_records(self, index: int) -> None:
        for world in self.worlds:
            world.delete_records(index)

    @rule(index=st.sampled_from((REPLICATED, ALONE)))
    def forget_producers(self, index: int) -> None:
        for world in self.worlds:
            world.forget_producers(index)

    @rule(ms=st.sampled_from((1, 400, 2_000, 70_000)))
    def pass_time(self, ms: int) -> None:
        self.batches.now_ms += ms
        for world in self.worlds:
            world.loop.pass_time(ms)


def settings_for(examples: int) -> settings:
    """The same conversations in every run and on every machine."""
    return settings(
        max_examples=examples,
        stateful_step_count=20,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
