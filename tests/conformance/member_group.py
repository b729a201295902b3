"""Members of a group, each a process, and the records that they should have received so far."""

from __future__ import annotations

from conformance.confluent import produce
from conformance.member_process import MemberProcess
from conformance.running_broker import RunningBroker
from conformance.waiting import eventually

PARTITIONS = 6
PER_PARTITION = 5
SETTLE_S = 60.0
TRIES = 5


class Group:
    """The members of one test and the records that they should have received so far."""

    def __init__(self, broker: RunningBroker, name: str, command: list[str], strategy: str) -> None:
        self.broker, self.name, self.command, self.strategy = broker, name, command, strategy
        self.members: list[MemberProcess] = []
        self.sent = 0
        # Long enough for a member on a busy machine, whose process may stand still for seconds.
        self.session_timeout_ms = 6_000

    def join(self, *options: str, command: list[str] | None = None, strategy: str | None = None) -> MemberProcess:
        """As the others, unless another client or strategy is named."""
        bootstrap = self.broker.bootstrap
        options = (strategy or self.strategy, *options)
        session = self.session_timeout_ms
        member = MemberProcess(
            command or self.command, bootstrap, self.name, self.name, *options, session_timeout_ms=session
        )
        self.members.append(member)
        return member

    @property
    def running(self) -> list[MemberProcess]:
        return [member for member in self.members if member.is_running]

    def settle(self, members: int) -> None:
        """Wait until exactly this many members share all partitions, each owned once and nobody idle."""

        def is_settled() -> bool:
            dead = [
                member.complaint() for member in self.members if member.process.poll() not in (None, 0, -9, -15, 143)
            ]
            assert not dead, dead
            shares = [member.owned for member in self.running]
            everything = sorted(partition for share in shares for partition in share)
            return len(shares) == members and all(shares) and everything == list(range(PARTITIONS))

        try:
            eventually(is_settled, SETTLE_S)
        except AssertionError as error:
            shares = [(member.owned, member.complaint()) for member in self.members]
            raise AssertionError(f"not settled: {shares}") from error

    def deliver(self) -> None:
        """Produce to every partition; each record must reach the partition's owner, once.

        A member that stood still for too long is taken for dead, and partitions move while records are under way: then
        nobody can say whose they were, and the group, once it stands again, is given others.
        """
        for _ in range(TRIES):
            if self._deliver_once():
                return
            self.settle(members=len(self.running))
        raise AssertionError("the group never stood still")

    def _deliver_once(self) -> bool:
        """Whether the group stood still meanwhile."""
        moves = self._moves()
        before = {id(member): len(member.records) for member in self.members}
        numbers = range(self.sent, self.sent + PARTITIONS * PER_PARTITION)
        produce(
            self.broker.bootstrap,
            self.name,
            [{"value": b"%d" % number, "partition": number % PARTITIONS} for number in numbers],
        )
        self.sent = numbers.stop
        eventually(lambda: self.received() >= set(range(self.sent)), SETTLE_S)
        fresh = [record for member in self.members for record in member.records[before[id(member)] :]]
        assert sorted(int(record["value"]) for record in fresh) == list(numbers), "a record came twice"
        if self._moves() != moves:
            return False
        for member in self.running:
            partitions = {record["partition"] for record in member.records[before[id(member)] :]}
            assert partitions == set(member.owned)
        return True

    def _moves(self) -> list[int]:
        return [member.assignments for member in self.running]

    def received(self) -> set[int]:
        return {int(record["value"]) for member in self.members for record in list(member.records)}
