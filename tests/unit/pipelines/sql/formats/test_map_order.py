"""Orders as Java's HashMap has them: hash codes worked out by hand, and kept from a JVM."""

from __future__ import annotations

import pytest

from riacho.pipelines.sql.formats.map_order import KEY_CHARACTERS_MAX, in_map_order, sized_capacity


def order(*keys: str, capacity: int = 16) -> list[str]:
    return list(in_map_order(dict.fromkeys(keys), capacity))


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (("b", "a"), ["a", "b"]),
        (("q", "a"), ["q", "a"]),
        (("c", "ab"), ["ab", "c"]),
        (("Aa", "BB"), ["Aa", "BB"]),
        (("BB", "Aa"), ["BB", "Aa"]),
        (("only",), ["only"]),
        ((), []),
    ],
)
def test_order(keys: tuple[str, ...], expected: list[str]) -> None:
    """'a' is 97 = 6 * 16 + 1, 'q' is 113 = 7 * 16 + 1: one bucket, so the first one put comes first. 'ab' is 3105,
    bucket 1; 'Aa' and 'BB' have one hash."""
    assert order(*keys) == expected


def test_the_table_grows_with_its_entries() -> None:
    """Thirteen entries take 32 buckets, where 'q' (113 = 3 * 32 + 17) stands behind 'a' (97 = 3 * 32 + 1)."""
    assert order("q", "a")[0] == "q"
    found = order("q", "a", *"bcdefghijkl")
    assert found.index("a") < found.index("q")


def test_a_table_made_for_its_entries() -> None:
    """Two take four buckets: 'd' is 100, bucket 0; 'a' bucket 1."""
    assert [sized_capacity(count) for count in (0, 1, 2, 3, 4, 5)] == [1, 1, 2, 4, 4, 8]
    assert order("a", "d", capacity=sized_capacity(2)) == ["d", "a"]


def test_characters_beyond_the_first_plane_are_two() -> None:
    assert order("😀", "a") == ["a", "😀"]


def test_long_keys_keep_their_order() -> None:
    long = "x" * (KEY_CHARACTERS_MAX + 1)
    assert order(long, "a") == [long, "a"]
