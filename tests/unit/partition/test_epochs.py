from __future__ import annotations

from riacho.partition.epochs import EpochEntry, LeaderEpochs


def three() -> LeaderEpochs:
    return LeaderEpochs([EpochEntry(1, 0), EpochEntry(2, 10), EpochEntry(5, 30)])


def test_assign_remembers_only_where_an_epoch_starts() -> None:
    epochs = LeaderEpochs()
    assert epochs.assign(1, 0)
    assert not epochs.assign(1, 5)
    assert epochs.assign(2, 5)
    assert epochs.entries == ((1, 0), (2, 5))
    assert epochs.latest_epoch == 2


def test_assign_drops_entries_that_it_contradicts() -> None:
    epochs = three()
    assert epochs.assign(6, 10)
    assert epochs.entries == ((1, 0), (6, 10))


def test_assign_ignores_a_batch_without_epoch() -> None:
    assert not LeaderEpochs().assign(-1, 3)


def test_end_of_latest_epoch_is_the_log_end() -> None:
    assert three().end_offset_for(5, 42) == (5, 42)


def test_end_of_an_earlier_epoch_is_the_start_of_the_next() -> None:
    assert three().end_offset_for(1, 42) == (1, 10)


def test_end_of_an_epoch_that_never_wrote_is_that_of_the_one_before() -> None:
    assert three().end_offset_for(3, 42) == (2, 30)


def test_end_of_an_epoch_before_all_known_is_where_they_start() -> None:
    assert three().end_offset_for(0, 42) == (0, 0)


def test_end_of_a_later_or_unknown_epoch_is_undefined() -> None:
    assert three().end_offset_for(6, 42) == (-1, -1)
    assert three().end_offset_for(-1, 42) == (-1, -1)
    assert LeaderEpochs().end_offset_for(0, 0) == (-1, -1)


def test_epoch_for_offset() -> None:
    epochs = LeaderEpochs([EpochEntry(3, 4), EpochEntry(4, 9)])
    assert [epochs.epoch_for(offset) for offset in (3, 4, 8, 9, 100)] == [-1, 3, 3, 4, 4]


def test_truncate_from_end() -> None:
    epochs = three()
    assert not epochs.truncate_from_end(31)
    assert epochs.truncate_from_end(30)
    assert epochs.entries == ((1, 0), (2, 10))
    assert epochs.latest_epoch == 2
    assert epochs.truncate_from_end(0)
    assert epochs.latest_epoch == -1


def test_truncate_from_start_keeps_the_epoch_of_the_new_start() -> None:
    epochs = three()
    assert epochs.truncate_from_start(12)
    assert epochs.entries == ((2, 12), (5, 30))
    assert not epochs.truncate_from_start(12)
    assert not epochs.truncate_from_start(5)
    assert epochs.truncate_from_start(99)
    assert epochs.entries == ((5, 99),)
