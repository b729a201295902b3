"""Who asks: what is new, what is counted, and what bounds it."""

from __future__ import annotations

from riacho.broker.counters.visitors import MANY, Referrer, Visitors

LIB, NEWER = "librdkafka/2.11.0", "librdkafka/2.12.0"


def referrer(client_id: str = "app", host: str = "10.0.0.9") -> Referrer:
    return Referrer("PLAINTEXT", host, "User:ann", client_id)


def test_the_first_of_each_is_news() -> None:
    visitors = Visitors()
    first = visitors.enter(referrer(), LIB, 1_000)
    assert (first.is_new, first.is_agent_new, first.agents_before) == (True, True, ())
    again = visitors.enter(referrer(), LIB, 2_000)
    assert (again.is_new, again.is_agent_new) == (False, False)
    assert again.visitor is first.visitor
    assert (first.visitor.connections, first.visitor.open, first.visitor.first_ms) == (2, 2, 1_000)
    other = visitors.enter(referrer("other"), LIB, 3_000)
    assert (other.is_new, other.is_agent_new) == (True, False)


def test_a_referrer_that_comes_with_other_software_is_news_once() -> None:
    visitors = Visitors()
    visitors.enter(referrer(), LIB, 0)
    changed = visitors.enter(referrer(), NEWER, 0)
    assert (changed.is_new, changed.is_agent_new, changed.agents_before) == (True, True, (LIB,))
    # Two programs of one name come and go in turns.
    for agent in (LIB, NEWER, LIB):
        assert not visitors.enter(referrer(), agent, 0).is_new


def test_who_asked_is_seen_and_who_is_gone_is_forgotten() -> None:
    visitors = Visitors()
    visitor = visitors.enter(referrer(), LIB, 1_000).visitor
    visitor.requests, visitor.request_bytes, visitor.response_bytes, visitor.last_ms = 3, 30, 300, 5_000
    seen = visitors.seen()
    assert seen.visitors == [visitor]
    (agent,) = seen.agents
    assert (agent.name, agent.requests, agent.request_bytes, agent.response_bytes) == (LIB, 3, 30, 300)
    assert (agent.first_ms, agent.last_ms) == (1_000, 5_000)
    # It is there and says nothing.
    assert visitors.seen().visitors == []
    assert len(visitors) == 1
    visitor.requests += 1
    visitors.leave(visitor)
    # What it asked before it went is told.
    assert visitors.seen().visitors == [visitor]
    assert agent.requests == 4
    assert visitors.seen().visitors == []
    assert len(visitors) == 0
    assert visitors.enter(referrer(), LIB, 9_000).is_agent_new


def test_connections_are_counted_by_listener_and_agent() -> None:
    visitors = Visitors()
    one = visitors.enter(referrer(), LIB, 0).visitor
    visitors.enter(referrer(), LIB, 0)
    visitors.enter(referrer("b"), NEWER, 0)
    assert visitors.connections() == {("PLAINTEXT", LIB): 2, ("PLAINTEXT", NEWER): 1}
    visitors.leave(one)
    visitors.leave(visitors.nobody)
    assert visitors.connections() == {("PLAINTEXT", LIB): 1, ("PLAINTEXT", NEWER): 1}
    assert visitors.nobody.open == 0


def test_a_client_with_ever_new_names_takes_a_bounded_room_of_its_own() -> None:
    visitors = Visitors(visitors_max=50, names_max=10)
    news = 0
    for number in range(1_000):
        entered = visitors.enter(referrer(f"id-{number}"), f"agent/{number}", 0)
        entered.visitor.requests += 1
        visitors.leave(entered.visitor)
        news += entered.is_new
    assert (news, len(visitors)) == (11, 11)
    many = visitors.all()[-1]
    assert (many.referrer.client_id, many.agent.name) == (MANY, MANY)
    assert (many.connections, many.requests) == (990, 990)
    # Nobody else is crowded out, and one that is known stays known.
    assert visitors.enter(referrer("good", "10.0.0.10"), LIB, 0).is_new
    assert not visitors.enter(referrer("id-3"), "agent/3", 0).is_new
    visitors.seen()
    visitors.seen()
    assert [visitor.referrer.client_id for visitor in visitors.all()] == ["id-3", "good"]
    assert visitors.enter(referrer("id-500"), LIB, 0).visitor.referrer.client_id == "id-500"


def test_all_room_is_bounded() -> None:
    visitors = Visitors(visitors_max=5, names_max=3)
    news = sum(visitors.enter(referrer(host=f"10.0.0.{number}"), LIB, 0).is_new for number in range(200))
    assert (news, len(visitors)) == (6, 6)
    assert visitors.all()[-1].referrer == (MANY, MANY, MANY, MANY)
    assert visitors.all()[-1].open == 195
