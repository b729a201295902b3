"""The agent log and the referrer log: a line for each that is new, and now and then one for each that has asked since.

    agent first seen agent=librdkafka/2.11.0 listener=PLAINTEXT host=10.0.0.9 principal=User:ann client_id=app
    agent seen agent=librdkafka/2.11.0 first=2026-01-31T10:00:00 last=2026-01-31T10:59:58 referrers=1 ...
    referrer first seen listener=PLAINTEXT host=10.0.0.9 principal=User:ann client_id=app agent=librdkafka/2.11.0
    referrer has another agent listener=PLAINTEXT ... agent=librdkafka/2.12.0 before=librdkafka/2.11.0
    referrer seen listener=PLAINTEXT ... agent=... first=... last=... connections=3 open=1 requests=7200 ...

Requests leave no line, so a busy client has as many as an idle one; how many there are in memory, and so on disk, is
bounded by `counters/visitors.py`. What is seen is seen since the node's start.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from riacho.base.log_fields import field_value
from riacho.broker.counters.visitors import MANY, Agent, News, Referrer, Visitor, Visitors

if TYPE_CHECKING:
    from riacho.base.ports import Clock
    from riacho.broker.logs import Logs
    from riacho.broker.requests.request_context import RequestContext


class VisitorLog:
    def __init__(self, visitors: Visitors, logs: Logs, clock: Clock, interval_ms: int) -> None:
        self._visitors = visitors
        self._logs = logs
        self._clock = clock
        self._interval_s = interval_ms / 1000
        self._timer: asyncio.TimerHandle | None = None

    @property
    def nobody(self) -> Visitor:
        """For a connection that has not said who it is."""
        return self._visitors.nobody

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = loop.call_later(self._interval_s, partial(self._turn, loop))

    def close(self) -> None:
        """With a last word on everyone."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self.report()

    def _turn(self, loop: asyncio.AbstractEventLoop) -> None:
        self.report()
        self.start(loop)

    def enter(self, ctx: RequestContext) -> Visitor:
        referrer = Referrer(ctx.listener_name, ctx.client_host, field_value(ctx.principal), field_value(ctx.client_id))
        news = self._visitors.enter(referrer, ctx.agent, self._clock.monotonic_ms())
        if news.is_new:
            self._log_news(news)
        return news.visitor

    def leave(self, visitor: Visitor) -> None:
        self._visitors.leave(visitor)

    def report(self) -> None:
        """Write a line for each who has asked since the last report, with how much."""
        seen = self._visitors.seen()
        behind_ms = self._clock.now_ms() - self._clock.monotonic_ms()
        open_by_agent: Counter[str] = Counter()
        referrers: Counter[str] = Counter()
        for visitor in self._visitors.all():
            open_by_agent[visitor.agent.name] += visitor.open
            referrers[visitor.agent.name] += 1
        for agent in seen.agents:
            name = agent.name
            self._logs.agent.info(
                "agent seen agent=%s %s referrers=%d open=%d %s",
                name, _times(agent, behind_ms), referrers[name], open_by_agent[name], _amounts(agent),
            )  # fmt: skip
        for visitor in seen.visitors:
            self._logs.referrer.info(
                "referrer seen %s agent=%s %s connections=%d open=%d %s",
                _who(visitor.referrer), visitor.agent.name, _times(visitor, behind_ms),
                visitor.connections, visitor.open, _amounts(visitor),
            )  # fmt: skip

    def _log_news(self, news: News) -> None:
        referrer, agent = news.visitor.referrer, news.visitor.agent.name
        if news.is_agent_new:
            self._logs.agent.info("agent first seen agent=%s %s", agent, _who(referrer))
        if agent == MANY:
            # From here on they are in one sum.
            self._logs.referrer.warning("referrers are too many to tell apart %s", _who(referrer))
        elif news.agents_before:
            before = ",".join(news.agents_before)
            self._logs.referrer.info("referrer has another agent %s agent=%s before=%s", _who(referrer), agent, before)
        else:
            self._logs.referrer.info("referrer first seen %s agent=%s", _who(referrer), agent)


def _who(referrer: Referrer) -> str:
    listener, host, principal, client_id = referrer
    return f"listener={listener} host={host} principal={principal} client_id={client_id}"


def _times(seen: Agent | Visitor, behind_ms: int) -> str:
    first, last = (
        datetime.fromtimestamp((ms + behind_ms) / 1000).isoformat(timespec="seconds")
        for ms in (seen.first_ms, seen.last_ms)
    )
    return f"first={first} last={last}"


def _amounts(seen: Agent | Visitor) -> str:
    return f"requests={seen.requests} request_bytes={seen.request_bytes} response_bytes={seen.response_bytes}"
