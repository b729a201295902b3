"""Who writes and reads is counted by client and topic, within a bound, and exactly for those who go on."""

from __future__ import annotations

from riacho.broker.counters.client_counts import FETCHED, PRODUCED, ClientMetrics


def test_a_client_is_counted_by_direction_and_topic() -> None:
    clients = ClientMetrics()
    clients.of(PRODUCED, "User:a", "app", "t").bytes += 5
    clients.of(PRODUCED, "User:a", "app", "t").bytes += 5
    clients.of(FETCHED, "User:a", "app", "t").bytes += 1
    clients.of(PRODUCED, "User:b", "app", "t").bytes += 2
    assert [(each.direction, each.principal, each.bytes) for each in clients.all()] == [
        (PRODUCED, "User:a", 10),
        (FETCHED, "User:a", 1),
        (PRODUCED, "User:b", 2),
    ]


def test_names_without_end_are_cut_and_counted_as_one() -> None:
    clients = ClientMetrics()
    for _ in range(3):
        clients.of(PRODUCED, "User:a", "x" * 100_000, "t").bytes += 1
    [only] = clients.all()
    assert (len(only.client_id), only.bytes) == (256, 3)


def test_those_who_went_make_room_and_it_is_told() -> None:
    told: list[int] = []
    clients = ClientMetrics(lambda: told.append(len(clients.all())), entries_max=3)
    for name in ("a", "b", "c"):
        clients.of(PRODUCED, "", name, "t").bytes += 1
    # All have moved since they came: the new one is among the others.
    assert clients.of(PRODUCED, "", "d", "t") is clients.others
    assert told == []
    clients.of(PRODUCED, "", "b", "t").bytes += 1
    clients.of(PRODUCED, "", "d", "t").bytes += 7
    assert [(each.client_id, each.bytes) for each in clients.all()] == [("b", 2), ("d", 7)]
    assert told == [1]


def test_a_million_made_up_ids_take_no_more_than_the_bound() -> None:
    clients = ClientMetrics(entries_max=100)
    for n in range(5_000):
        clients.of(PRODUCED, "", f"c{n}", "t").bytes += 1
    assert len(clients.all()) <= 100
