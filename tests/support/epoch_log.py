"""A log in memory, as far as following is concerned: records with the epoch that wrote them."""

from __future__ import annotations

from riacho.partition.epochs import LeaderEpochs
from riacho.partition.follower import AskOffsets, Effect, Following, StartOver, Truncate
from riacho.wire.messages.fetch_response import EpochEndOffset, PartitionData

Entry = tuple[int, str]
BACKOFF_MS = 1_000


class EpochLog:
    """Offsets count from `log_start_offset`; `entries` are (epoch, value)."""

    def __init__(self, entries: list[Entry] | None = None) -> None:
        self.entries: list[Entry] = []
        self.log_start_offset = 0
        self.high_watermark = 0
        self.epochs = LeaderEpochs()
        for epoch, value in entries or []:
            self.write(epoch, value)

    @property
    def log_end_offset(self) -> int:
        return self.log_start_offset + len(self.entries)

    @property
    def latest_epoch(self) -> int:
        return self.epochs.latest_epoch

    def end_offset_for_epoch(self, epoch: int) -> tuple[int, int]:
        return self.epochs.end_offset_for(epoch, self.log_end_offset)

    def lead(self, epoch: int) -> None:
        """Start an epoch as its leader, with nothing written yet."""
        self.epochs.assign(epoch, self.log_end_offset)

    def write(self, epoch: int, value: str) -> None:
        self.epochs.assign(epoch, self.log_end_offset)
        self.entries.append((epoch, value))

    def truncate_to(self, offset: int) -> None:
        del self.entries[max(0, offset - self.log_start_offset) :]
        self.epochs.truncate_from_end(offset)
        self.high_watermark = min(self.high_watermark, self.log_end_offset)

    def start_over(self, offset: int) -> None:
        self.entries = []
        self.epochs.clear()
        self.log_start_offset = self.high_watermark = offset

    def drop_below(self, offset: int) -> None:
        del self.entries[: offset - self.log_start_offset]
        self.log_start_offset = offset
        self.epochs.truncate_from_start(offset)


def answer(leader: EpochLog, leader_epoch: int, fetch_offset: int, last_fetched_epoch: int) -> PartitionData:
    """What a leader says to a fetch, records aside."""
    if last_fetched_epoch >= 0:
        epoch, end_offset = leader.end_offset_for_epoch(last_fetched_epoch)
        if epoch < 0:
            return PartitionData(error_code=1)
        if epoch < last_fetched_epoch or end_offset < fetch_offset:
            return PartitionData(diverging_epoch=EpochEndOffset(epoch=epoch, end_offset=end_offset))
    if not leader.log_start_offset <= fetch_offset <= leader.log_end_offset:
        return PartitionData(error_code=1)
    return PartitionData(high_watermark=leader.high_watermark, log_start_offset=leader.log_start_offset)


def exchange(leader: EpochLog, leader_epoch: int, state: Following, own: EpochLog) -> Effect:
    """One fetch and what comes of it: what was done to the follower's log."""
    told = answer(leader, leader_epoch, state.fetch_offset, state.last_fetched_epoch)
    effect = state.answered(told, own, 0, BACKOFF_MS)
    if isinstance(effect, AskOffsets):
        effect = state.leader_offsets_received(leader.log_start_offset, leader.log_end_offset, own, 0, BACKOFF_MS)
    if isinstance(effect, Truncate):
        own.truncate_to(effect.offset)
    elif isinstance(effect, StartOver):
        own.start_over(effect.offset)
    else:
        for epoch, value in leader.entries[state.fetch_offset - leader.log_start_offset :]:
            own.write(epoch, value)
        own.high_watermark = max(own.high_watermark, min(leader.high_watermark, own.log_end_offset))
        state.appended(own, leader.high_watermark)
        return effect
    state.refresh(own)
    return effect
