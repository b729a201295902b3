"""A key goes where Kafka's own producer sends it."""

from __future__ import annotations

import pytest

from riacho.console.messages.murmur2 import murmur2


@pytest.mark.parametrize(
    ("key", "expected"),
    # From Apache Kafka's own documentation of its hash (UtilsTest), as unsigned numbers.
    [(b"21", -973932308), (b"foobar", -790332482), (b"a-little-bit-long-string", -985981536),
     (b"a-little-bit-longer-string", -1486304829), (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
     (b"abc", 479470107)],
)  # fmt: skip
def test_known_hashes(key: bytes, expected: int) -> None:
    assert murmur2(key) == expected & 0xFFFFFFFF
