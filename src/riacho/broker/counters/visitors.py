"""Who asks this node: referrers (by which listener, from where, as whom, under which client id) and agents (by which
software), each with when it came and how much it asked.

    news = visitors.enter(Referrer("PLAINTEXT", "10.0.0.9", "User:ann", "app"), "librdkafka/2.11.0", monotonic_ms)
    news.visitor.requests += 1             # the connection, with every answer
    visitors.leave(news.visitor)           # when it is lost
    visitors.seen()                        # now and then: who has asked since

Bounded, because clients choose their names. One principal at one address is known by so many names, and what it asks
under further ones is counted together, so that a client with a new id in every request crowds out nobody else. Where
all room is taken, those that come later are counted together, until `seen` has forgotten who has gone.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

_VISITORS_MAX = 2_000
_NAMES_MAX = 100
# In place of a name: of all that are counted together.
MANY = "*"


class Referrer(NamedTuple):
    listener: str
    host: str
    principal: str
    client_id: str


class Agent:
    """One software in one version. What it asked is known up to the last `seen`."""

    __slots__ = ("first_ms", "last_ms", "name", "request_bytes", "requests", "response_bytes")

    def __init__(self, name: str, now_ms: int) -> None:
        self.name = name
        self.first_ms = self.last_ms = now_ms
        self.requests = self.request_bytes = self.response_bytes = 0


class Visitor:
    """One referrer with one agent. Times are monotonic."""

    __slots__ = (
        "_request_bytes_counted", "_requests_counted", "_response_bytes_counted", "agent", "connections", "first_ms",
        "last_ms", "open", "referrer", "request_bytes", "requests", "response_bytes",
    )  # fmt: skip

    def __init__(self, referrer: Referrer, agent: Agent, now_ms: int) -> None:
        self.referrer = referrer
        self.agent = agent
        self.first_ms = self.last_ms = now_ms
        # So many there were, and so many there are.
        self.connections = self.open = 0
        self.requests = self.request_bytes = self.response_bytes = 0
        self._requests_counted = self._request_bytes_counted = self._response_bytes_counted = 0

    def add_to_agent(self) -> bool:
        """Add what it asked since the last call to its agent's sums. Whether it asked."""
        if self.requests == self._requests_counted:
            return False
        agent = self.agent
        agent.last_ms = max(agent.last_ms, self.last_ms)
        agent.requests += self.requests - self._requests_counted
        agent.request_bytes += self.request_bytes - self._request_bytes_counted
        agent.response_bytes += self.response_bytes - self._response_bytes_counted
        self._requests_counted = self.requests
        self._request_bytes_counted, self._response_bytes_counted = self.request_bytes, self.response_bytes
        return True


@dataclass(frozen=True, slots=True)
class News:
    visitor: Visitor
    is_new: bool = False
    is_agent_new: bool = False
    # Of a referrer that is known already, the software it came by before.
    agents_before: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Seen:
    agents: list[Agent]
    visitors: list[Visitor]


class Visitors:
    def __init__(self, visitors_max: int = _VISITORS_MAX, names_max: int = _NAMES_MAX) -> None:
        self._visitors_max = visitors_max
        self._names_max = names_max
        self._visitors: dict[tuple[Referrer, str], Visitor] = {}
        self._agents: dict[str, Agent] = {}
        # How many names each principal at each address goes by, and the software of each referrer.
        self._names: Counter[tuple[str, str, str]] = Counter()
        self._agents_of: dict[Referrer, list[str]] = {}
        # Whose counts nobody looks at: connections that have not said yet who they are.
        self.nobody = Visitor(Referrer("", "", "", ""), Agent("", 0), 0)

    def __len__(self) -> int:
        return len(self._visitors)

    def all(self) -> list[Visitor]:
        return list(self._visitors.values())

    def connections(self) -> Counter[tuple[str, str]]:
        """Those open by listener and agent."""
        found: Counter[tuple[str, str]] = Counter()
        for visitor in self._visitors.values():
            if visitor.open:
                found[visitor.referrer.listener, visitor.agent.name] += visitor.open
        return found

    def enter(self, referrer: Referrer, agent: str, now_ms: int) -> News:
        """A connection asks as this one from now on."""
        news = self._known(referrer, agent) or self._new(referrer, agent, now_ms)
        news.visitor.open += 1
        news.visitor.connections += 1
        return news

    def leave(self, visitor: Visitor) -> None:
        """It does no longer; it may not have begun to."""
        if visitor.open:
            visitor.open -= 1

    def seen(self) -> Seen:
        """Who has asked since this was called last. Who has not, and is not connected either, is forgotten."""
        asked = [visitor for visitor in self._visitors.values() if visitor.add_to_agent()]
        idle = {id(visitor) for visitor in self._visitors.values() if not visitor.open} - set(map(id, asked))
        for visitor in self.all():
            if id(visitor) in idle:
                self._forget(visitor)
        agents = {visitor.agent.name: visitor.agent for visitor in asked}
        left = {visitor.agent.name for visitor in self._visitors.values()}
        self._agents = {name: agent for name, agent in self._agents.items() if name in left}
        return Seen(list(agents.values()), asked)

    def _known(self, referrer: Referrer, agent: str) -> News | None:
        found = self._visitors.get((referrer, agent))
        return None if found is None else News(found)

    def _new(self, referrer: Referrer, agent: str, now_ms: int) -> News:
        source = referrer[:3]
        if len(self._visitors) >= self._visitors_max:
            referrer, agent = Referrer(MANY, MANY, MANY, MANY), MANY
        elif self._names[source] >= self._names_max:
            referrer, agent = referrer._replace(client_id=MANY), MANY
        known = self._known(referrer, agent)
        if known is not None:
            return known
        is_agent_new = agent not in self._agents
        of = self._agents.setdefault(agent, Agent(agent, now_ms))
        made = self._visitors[referrer, agent] = Visitor(referrer, of, now_ms)
        self._names[referrer[:3]] += 1
        before = self._agents_of.setdefault(referrer, [])
        news = News(made, True, is_agent_new and agent != MANY, tuple(before))
        before.append(agent)
        return news

    def _forget(self, visitor: Visitor) -> None:
        referrer = visitor.referrer
        del self._visitors[referrer, visitor.agent.name]
        self._names[referrer[:3]] -= 1
        if not self._names[referrer[:3]]:
            del self._names[referrer[:3]]
        self._agents_of[referrer].remove(visitor.agent.name)
        if not self._agents_of[referrer]:
            del self._agents_of[referrer]
