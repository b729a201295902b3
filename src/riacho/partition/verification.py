"""Which transactions a partition is having verified with their coordinator, before their first record (KIP-890).

Theory of operation
-------------------
A record of a transaction that the coordinator does not know of would hang: no marker ever comes for it. So the first
transactional write of a producer, on a partition where it has no transaction open, is put before the coordinator. The
answer takes its time, and meanwhile a marker may come in that ends this very transaction. So the write starts with a
guard, whatever ends the wait for a first record (such a record, or a marker) takes the guard away, and the write may
go on only while its guard still stands. Writes that come while one is under way share its guard.

Until the first record is there, the lowest sequence that was tried is remembered: one that skips it is out of order,
although the partition has nothing to compare it with.
"""

from __future__ import annotations


class VerificationGuard:
    """Compared by identity."""

    __slots__ = ("epoch", "lowest_sequence", "supports_epoch_bump")

    def __init__(self, sequence: int, epoch: int, supports_epoch_bump: bool) -> None:
        self.lowest_sequence = sequence
        self.epoch = epoch
        # Of transaction version 2: the producer starts at sequence 0 wherever nothing of it is known.
        self.supports_epoch_bump = supports_epoch_bump

    def tried(self, sequence: int, epoch: int) -> None:
        if epoch > self.epoch:
            self.epoch, self.lowest_sequence = epoch, sequence
        elif epoch == self.epoch:
            self.lowest_sequence = min(self.lowest_sequence, sequence)


class Verifications:
    __slots__ = ("_aged", "_guards")

    def __init__(self) -> None:
        self._guards: dict[int, VerificationGuard] = {}
        # Those that stood at the last round of expiry.
        self._aged: set[VerificationGuard] = set()

    def __bool__(self) -> bool:
        return bool(self._guards)

    def start(self, producer_id: int, sequence: int, epoch: int, supports_epoch_bump: bool) -> VerificationGuard:
        guard = self._guards.get(producer_id)
        if guard is None:
            guard = self._guards[producer_id] = VerificationGuard(sequence, epoch, supports_epoch_bump)
        else:
            guard.tried(sequence, epoch)
        return guard

    def get(self, producer_id: int) -> VerificationGuard | None:
        return self._guards.get(producer_id)

    def end(self, producer_id: int) -> None:
        self._guards.pop(producer_id, None)

    def expire(self) -> None:
        """Forget what nobody came back for since the last round."""
        if self._guards:
            self._guards = {each: guard for each, guard in self._guards.items() if guard not in self._aged}
        self._aged = set(self._guards.values())

    def clear(self) -> None:
        self._guards.clear()
        self._aged.clear()
