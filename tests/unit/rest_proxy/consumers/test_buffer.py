"""The buffer of one instance: bounds, and drops that batches on their way must not undo."""

from __future__ import annotations

from dataclasses import dataclass

from riacho.rest_proxy.consumers.buffer import Batch, RecordBuffer


@dataclass(frozen=True)
class _Record:
    name: str
    number: int
    place: int
    size: int = 10
    own_key: bytes | None = None

    def __len__(self) -> int:
        return self.size

    def topic(self) -> str:
        return self.name

    def partition(self) -> int:
        return self.number

    def offset(self) -> int:
        return self.place

    def key(self) -> bytes | None:
        return self.own_key

    def value(self) -> bytes | None:
        return b"x" * self.size


def _records(count: int, partition: int = 0) -> list[_Record]:
    return [_Record("t", partition, offset) for offset in range(count)]


def test_it_is_full_by_bytes_or_by_records() -> None:
    by_bytes, by_records = RecordBuffer(25, 100), RecordBuffer(1_000, 3)
    for buffer in (by_bytes, by_records):
        buffer.add(_records(2))
        assert not buffer.is_full
        buffer.add(_records(1))
        assert buffer.is_full
    assert (by_bytes.size_bytes, by_records.room, by_bytes.room) == (30, 0, 97)


def test_keys_count_too() -> None:
    buffer = RecordBuffer(100, 100)
    buffer.add([_Record("t", 0, 0, own_key=b"12345")])
    assert buffer.size_bytes == 15


def test_take_keeps_to_its_bytes_but_gives_one_at_least() -> None:
    buffer = RecordBuffer(100, 100)
    buffer.add(_records(5))
    assert [each.offset() for each in buffer.take(25).records] == [0, 1]
    assert [each.offset() for each in buffer.take(1).records] == [2]
    assert [each.offset() for each in buffer.take(1_000).records] == [3, 4]
    assert (list(buffer.take(1_000).records), buffer.size_bytes) == ([], 0)


def test_what_is_put_back_comes_first() -> None:
    buffer = RecordBuffer(100, 100)
    buffer.add(_records(4))
    batch = buffer.take(20)
    buffer.put_back(batch.records[1:], batch)
    assert [each.offset() for each in buffer.take(1_000).records] == [1, 2, 3]


def test_a_drop_takes_one_partition_and_outlives_batches_taken_before() -> None:
    buffer = RecordBuffer(1_000, 100)
    buffer.add([*_records(2, partition=0), *_records(2, partition=1)])
    batch = buffer.take(1_000)
    buffer.drop([("t", 0)])
    buffer.put_back(batch.records, batch)
    assert [(each.partition(), each.offset()) for each in buffer.take(1_000).records] == [(1, 0), (1, 1)]
    assert not buffer.is_current(("t", 0), batch)
    assert buffer.is_current(("t", 1), batch)
    buffer.add(_records(1))
    assert buffer.is_current(("t", 0), buffer.take(1_000))


def test_a_drop_counts_again() -> None:
    buffer = RecordBuffer(1_000, 100)
    buffer.add([*_records(3, partition=0), *_records(2, partition=1)])
    buffer.drop([("t", 0)])
    assert (len(buffer), buffer.size_bytes) == (2, 20)


def test_runs_of_one_partition_each() -> None:
    one = Batch(_records(3), 0)
    assert one.runs(3) == [(("t", 0), 0, 3)]
    assert one.runs(2) == [(("t", 0), 0, 2)]
    assert one.runs(0) == []
    # Two topics whose partitions have the same number.
    mixed = [_Record("t", 0, 0), _Record("u", 0, 1), _Record("t", 0, 2), _Record("t", 1, 0), _Record("t", 1, 1)]
    assert Batch(mixed, 0).runs(5) == [(("t", 0), 0, 1), (("u", 0), 1, 2), (("t", 0), 2, 3), (("t", 1), 3, 5)]
