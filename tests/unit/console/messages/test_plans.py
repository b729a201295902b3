"""Plans of reads: many who ask the same are one question, many who ask something else wait for their turn."""

from __future__ import annotations

import asyncio

import pytest

from riacho.console.messages import plans as plans_module
from riacho.console.messages.limits import PLANS_MAX
from riacho.console.messages.plans import Plans, WantedPlan
from riacho.console.messages.ranges import Plan, Start, TopicPlace
from riacho.web.errors import ApiError


class Cluster:
    """Answers when it is let."""

    def __init__(self) -> None:
        self.asked: list[WantedPlan] = []
        self.gate = asyncio.Event()

    async def __call__(self, wanted: WantedPlan) -> Plan:
        self.asked.append(wanted)
        number = len(self.asked)
        await self.gate.wait()
        if wanted.topic == "none":
            raise ApiError(404, 40403, "There is no such topic.")
        return Plan(TopicPlace(wanted.topic, bytes([number]), {}), [], [])


def of(topic: str, origin: str = "newest") -> WantedPlan:
    return WantedPlan(topic, None, Start(origin), True)


async def turns() -> None:
    """Whoever can go on has gone on."""
    for _ in range(20):
        await asyncio.sleep(0)


def test_a_thousand_who_open_one_topic_ask_twice_at_most() -> None:
    async def all_of_them() -> None:
        cluster = Cluster()
        plans = Plans(cluster, wait_s_max=10)
        early = [asyncio.ensure_future(plans.plan(of("t"))) for _ in range(500)]
        await turns()
        assert cluster.asked == [of("t")]
        # What was asked before they came is not for them: the topic may be another by now.
        late = [asyncio.ensure_future(plans.plan(of("t"))) for _ in range(500)]
        await turns()
        cluster.gate.set()
        assert {each.place.topic_id for each in await asyncio.gather(*early)} == {b"\1"}
        assert {each.place.topic_id for each in await asyncio.gather(*late)} == {b"\2"}
        assert plans._questions == {}

    asyncio.run(all_of_them())


def test_those_who_ask_something_else_wait_for_their_turn() -> None:
    async def all_of_them() -> None:
        cluster = Cluster()
        plans = Plans(cluster, wait_s_max=10)
        wanted = [of(f"t{n}") for n in range(100)] + [of("t0", "oldest"), of("none")]
        asked = [asyncio.ensure_future(plans.plan(each)) for each in wanted]
        await turns()
        assert len(cluster.asked) == PLANS_MAX
        cluster.gate.set()
        *found, refused = await asyncio.gather(*asked, return_exceptions=True)
        assert [each.place.topic for each in found if isinstance(each, Plan)] == [each.topic for each in wanted[:-1]]
        assert isinstance(refused, ApiError)
        assert refused.status == 404
        assert plans._questions == {}

    asyncio.run(all_of_them())


def test_the_line_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans_module, "PLANS_WAITING_MAX", 5)

    async def all_of_them() -> None:
        cluster = Cluster()
        plans = Plans(cluster, wait_s_max=10)
        asked = [asyncio.ensure_future(plans.plan(of(f"t{n}"))) for n in range(PLANS_MAX + 7)]
        await turns()
        refused = [each.exception() for each in asked if each.done()]
        assert [_code(each) for each in refused] == [50301] * 2
        cluster.gate.set()
        found = await asyncio.gather(*asked, return_exceptions=True)
        assert sum(isinstance(each, Plan) for each in found) == PLANS_MAX + 5
        # There is room again.
        await plans.plan(of("again"))

    asyncio.run(all_of_them())


def test_waiting_in_it_has_an_end() -> None:
    async def all_of_them() -> None:
        cluster = Cluster()
        plans = Plans(cluster, wait_s_max=0.01)
        served = [asyncio.ensure_future(plans.plan(of(f"t{n}"))) for n in range(PLANS_MAX)]
        await turns()
        waiting = [plans.plan(of(f"w{n}")) for n in range(10)]
        refused = await asyncio.gather(*waiting, return_exceptions=True)
        assert [_code(each) for each in refused] == [50301] * 10
        cluster.gate.set()
        await asyncio.gather(*served)
        await plans.plan(of("again"))

    asyncio.run(all_of_them())


def _code(error: object) -> int:
    assert isinstance(error, ApiError)
    return error.error_code
