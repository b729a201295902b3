"""Limits by address: those of a host that is named count once it has been looked up."""

from __future__ import annotations

import asyncio

from riacho.broker.quotas.ip_limits import IpLimits


def test_an_address_counts_at_once_and_in_any_writing() -> None:
    limits = IpLimits()
    assert not limits
    limits.set_limits({"10.0.0.1": 2, "::ffff:10.0.0.2": 3})
    assert [limits.get(f"10.0.0.{last}", 9) for last in (1, 2, 3)] == [2, 3, 9]


def test_a_host_counts_once_it_was_looked_up() -> None:
    limits = IpLimits()

    async def look_up() -> None:
        limits.set_limits({"localhost": 2})
        assert limits.get("127.0.0.1", 9) == 9
        assert limits._lookup is not None
        await limits._lookup

    asyncio.run(look_up())
    assert limits.get("127.0.0.1", 9) == 2


def test_a_host_that_is_limited_no_more_by_then_is_not() -> None:
    limits = IpLimits()

    async def look_up() -> None:
        limits.set_limits({"localhost": 2})
        limits.set_limits({})
        assert limits._lookup is not None
        await limits._lookup

    asyncio.run(look_up())
    assert limits.get("127.0.0.1", 9) == 9
