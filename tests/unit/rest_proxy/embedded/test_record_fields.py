"""Headers and times of records."""

from __future__ import annotations

import pytest

from riacho.rest_proxy.embedded.record_fields import RecordHeader, headers_of, time_text, timestamp_ms_of
from riacho.web.errors import ApiError


def test_headers_are_base64_and_keep_their_order() -> None:
    headers = [RecordHeader("b", "YQ=="), RecordHeader("a"), RecordHeader("b", "")]
    assert headers_of(headers) == [("b", b"a"), ("a", None), ("b", b"")]
    assert headers_of([]) is None


@pytest.mark.parametrize("header", [RecordHeader("a", "!"), RecordHeader("a\0b", "YQ==")])
def test_headers_that_kafka_cannot_have_are_refused(header: RecordHeader) -> None:
    with pytest.raises(ApiError) as refused:
        headers_of([header])
    assert refused.value.error_code == 42206


@pytest.mark.parametrize(
    ("time", "timestamp_ms"),
    [
        (1_700_000_000_123, 1_700_000_000_123),
        ("2026-01-31T12:00:00Z", 1_769_860_800_000),
        ("2026-01-31T12:00:00.250Z", 1_769_860_800_250),
        ("2026-01-31T13:00:00+01:00", 1_769_860_800_000),
        ("2026-01-31T12:00:00", 1_769_860_800_000),
    ],
)
def test_times_are_milliseconds_or_iso_8601(time: int | str, timestamp_ms: int) -> None:
    assert timestamp_ms_of(time) == timestamp_ms


@pytest.mark.parametrize("time", ["yesterday", "", "1960-01-01T00:00:00Z", -1, 1 << 63, "9" * 5_000])
def test_what_is_no_time_is_refused(time: int | str) -> None:
    with pytest.raises(ApiError) as refused:
        timestamp_ms_of(time)
    assert refused.value.status == 400
    assert len(refused.value.message) < 200


def test_times_are_shown_as_java_shows_them() -> None:
    assert time_text(1_769_860_800_000) == "2026-01-31T12:00:00Z"
    assert time_text(1_769_860_800_005) == "2026-01-31T12:00:00.005Z"
    assert time_text(1 << 62) == str(1 << 62)
