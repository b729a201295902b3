"""Against values of the reference implementation, at every length where the algorithm takes another way."""

from __future__ import annotations

import pytest

from riacho.groups.xxh3 import xxh3_64

# Of that many bytes, counting up by 31 from 7.
REFERENCE = [
    (0, 0x2D06800538D394C2),
    (1, 0x4C5CCA45D0F4811F),
    (2, 0xA7E250C97710FF27),
    (3, 0x15F7093B173D005C),
    (4, 0xDCA012F95811B6B9),
    (8, 0xDEC6A9A43575982E),
    (9, 0xCBE393399F17FFBD),
    (16, 0x7E484C18D74895D0),
    (17, 0x208BDE5EE2BED407),
    (32, 0x03DF0AC5255D1446),
    (33, 0x199A362122D71F46),
    (64, 0xDD30702AB46B3745),
    (65, 0xFAB36B851B94CE20),
    (96, 0xD245CD2541582982),
    (97, 0x60E3E1D0D43785B3),
    (128, 0xF92B70EAA21A6288),
    (129, 0xF8F76713F2BB60FA),
    (144, 0xD87F00765EE3D89E),
    (192, 0x084028FA06F01D30),
    (240, 0xCCC7375172C41F03),
    (241, 0x0B3B630948CE4A00),
    (256, 0xEC85B75BAFE6CA74),
    (512, 0xEFC2E52D1C2FFBAA),
    (1023, 0xF0D330CE2B3300FB),
    (1024, 0x23BC880EBF0D29C6),
    (1025, 0xC09FDFBC398C7D82),
    (2048, 0x19F6F9C987331373),
    (2049, 0x5045460F5D85C275),
    (5000, 0x559FFF92C2B7F8EE),
]


@pytest.mark.parametrize(("size", "digest"), REFERENCE)
def test_reference_values(size: int, digest: int) -> None:
    assert xxh3_64(bytes(at * 31 + 7 & 255 for at in range(size))) == digest
