"""What a search looks at: of the batches that it passes by, no record is decoded."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from riacho.console.messages import examine
from riacho.console.messages.decode import AUTO, Decoder
from riacho.console.messages.examine import Examiner, Stop
from riacho.console.messages.filters import parse_filter
from riacho.console.messages.partition_reader import Fetched
from riacho.console.messages.row import View
from riacho.wire.records import Record, build_batch, decode_records

_BATCHES, _RECORDS = 50, 20


def _fetched() -> Fetched:
    batches = [
        build_batch(
            [
                Record(at, 0, b"key-%05d" % (first + at), b'{"number": %d, "text": "word"}' % (first + at))
                for at in range(_RECORDS)
            ],
            base_timestamp=1_000,
            base_offset=first,
        )
        for first in range(0, _BATCHES * _RECORDS, _RECORDS)
    ]
    return Fetched(0, _BATCHES * _RECORDS, b"".join(bytes(batch) for batch in batches), None)


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many records were decoded, batch by batch."""
    counts: list[int] = []

    def counted(section: bytes, count: int) -> Iterable[Record]:
        counts.append(count)
        return decode_records(section, count)

    monkeypatch.setattr(examine, "decode_records", counted)
    return counts


@pytest.mark.parametrize("wanted", [{"key": "key-00777"}, {"value": '"number": 777,'}, {"where": 'key == "key-00777"'}])
def test_only_the_batch_that_has_it_is_decoded(decoded: list[int], wanted: dict[str, str]) -> None:
    examiner = Examiner(View(Decoder(None), AUTO, AUTO, None), parse_filter(**wanted))
    found = examiner.examine(0, _fetched(), _BATCHES * _RECORDS, Stop(), 10, keeps_last=False)
    assert [row.offset for row in found.rows] == [777]
    assert found.scanned == _BATCHES * _RECORDS
    assert decoded == [_RECORDS]


def test_without_such_a_filter_all_are(decoded: list[int]) -> None:
    examiner = Examiner(View(Decoder(None), AUTO, AUTO, None), parse_filter(fields=["$.number=777"]))
    found = examiner.examine(0, _fetched(), _BATCHES * _RECORDS, Stop(), 10, keeps_last=False)
    assert [row.offset for row in found.rows] == [777]
    assert sum(decoded) == _BATCHES * _RECORDS
