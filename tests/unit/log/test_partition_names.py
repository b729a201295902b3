from __future__ import annotations

import pytest

from riacho.log.partition_names import (
    DELETE_SUFFIX,
    FUTURE_SUFFIX,
    directory_name,
    future_partition,
    partition_of,
    set_aside,
)

ID = bytes(range(16))


@pytest.mark.parametrize("name", ["orders-0", "a-b-c-12", "__consumer_offsets-49"])
def test_of_a_partition_in_use(name: str) -> None:
    partition = partition_of(name)
    assert partition is not None
    assert directory_name(*partition) == name
    assert future_partition(name) is None


@pytest.mark.parametrize("name", ["orders", "-0", "orders-", "orders-x", "orders-٣", "lost+found", "orders-0.1f-stray"])
def test_of_none(name: str) -> None:
    assert partition_of(name) is None
    assert future_partition(name) is None


def test_one_that_is_being_filled_says_whose_it_will_be() -> None:
    name = set_aside("a-b", 3, ID, FUTURE_SUFFIX)
    assert name == f"a-b-3.{ID.hex()}-future"
    assert future_partition(name) == ("a-b", 3)
    assert partition_of(name) is None


def test_a_long_topic_is_cut_where_it_is_set_aside() -> None:
    name = set_aside("t" * 249, 12, ID, DELETE_SUFFIX)
    assert len(name) == 255
    assert name.endswith(f"t-12.{ID.hex()}-delete")


def test_partition_names() -> None:
    assert partition_of("orders-12") == ("orders", 12)
    assert partition_of("with-dash-0") == ("with-dash", 0)
    assert partition_of("lost+found") is None
    assert partition_of("-1") is None
    assert partition_of("x-1a") is None
