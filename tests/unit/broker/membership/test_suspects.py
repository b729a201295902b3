from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from riacho.broker.membership.suspects import Suspects
from riacho.metadata.image.brokers import Broker
from riacho.metadata.image.image import MetadataImage
from support.broker_fakes import SetClock


def image(is_fenced: bool) -> MetadataImage:
    return MetadataImage(brokers={2: Broker(2, 5, bytes(16), (), {}, None, is_fenced, False, ())})


def test_a_lost_leader_is_suspected_for_a_second() -> None:
    clock = SetClock()
    suspects = Suspects(clock)
    assert suspects.now() == frozenset()
    suspects.lost(2)
    suspects.lost(3)
    assert suspects.now() == {2, 3}
    clock.at_ms += 999
    assert suspects.now() == {2, 3}
    clock.at_ms += 1
    assert suspects.now() == frozenset()


def test_one_that_is_in_contact_again_is_not() -> None:
    suspects = Suspects(SetClock())
    suspects.lost(2)
    suspects.on_contact(3)
    assert suspects.now() == {2}
    suspects.on_contact(2)
    assert suspects.now() == frozenset()


def test_what_the_metadata_say_of_it_now_counts() -> None:
    suspects = Suspects(SetClock())
    suspects.lost(2)
    suspects.image_changed(image(False), image(False))
    assert suspects.now() == {2}
    suspects.image_changed(image(False), image(True))
    assert suspects.now() == frozenset()


@pytest.mark.parametrize(
    "verdict",
    [
        lambda suspects: suspects.on_contact(2),
        lambda suspects: suspects.image_changed(image(False), image(True)),
    ],
    ids=["alive", "dead"],
)
def test_who_waits_for_the_verdict_gets_it_at_once(verdict: Callable[[Suspects], None]) -> None:
    suspects = Suspects(SetClock())

    async def wait() -> None:
        await suspects.settled(30)
        suspects.lost(2)
        waiting = [asyncio.ensure_future(suspects.settled(30)) for _ in range(2)]
        await asyncio.sleep(0)
        assert not any(each.done() for each in waiting)
        verdict(suspects)
        async with asyncio.timeout(5):
            await asyncio.gather(*waiting)

    asyncio.run(wait())
    assert suspects.now() == frozenset()


def test_nobody_waits_for_ever() -> None:
    suspects = Suspects(SetClock())
    suspects.lost(2)
    asyncio.run(suspects.settled(0.01))
    assert suspects.now() == {2}
