"""A share session: what each request names, and how the epochs count."""

from __future__ import annotations

from riacho.client.share_consumer import ACCEPT, REJECT
from riacho.client.share_session import Share, ShareSession

T, U = b"t" * 16, b"u" * 16
A, B, C = Share(T, 0), Share(T, 1), Share(U, 0)


def session() -> ShareSession:
    return ShareSession(1, "g", "m")


def named(request: object) -> dict[Share, list[tuple[int, int, list[int]]]]:
    return {
        Share(topic.topic_id, partition.partition_index): [
            (batch.first_offset, batch.last_offset, batch.acknowledge_types)
            for batch in partition.acknowledgement_batches
        ]
        for topic in request.topics  # type: ignore[attr-defined]
        for partition in topic.partitions
    }


def test_the_first_request_names_all_and_the_next_only_what_is_new() -> None:
    mine = session()
    first = mine.fetch([A, B], 10, 200)
    assert (first.share_session_epoch, named(first)) == (0, {A: [], B: []})
    assert (first.max_records, first.max_wait_ms, first.group_id, first.member_id) == (10, 200, "g", "m")
    mine.advance()
    assert named(mine.fetch([A, B], 10, 0)) == {}
    mine.advance()
    third = mine.fetch([B, C], 10, 0)
    assert (third.share_session_epoch, named(third)) == (2, {C: []})
    assert [(topic.topic_id, topic.partitions) for topic in third.forgotten_topics_data] == [(T, [0])]


def test_neighbours_of_one_kind_are_acknowledged_together() -> None:
    mine = session()
    mine.fetch([A], 10, 0)
    mine.advance()
    for offset, kind in ((4, ACCEPT), (5, ACCEPT), (6, REJECT), (8, REJECT)):
        mine.acknowledge(A, offset, kind)
    assert mine.has_pending
    assert named(mine.fetch([A], 10, 0)) == {A: [(4, 5, [ACCEPT]), (6, 6, [REJECT]), (8, 8, [REJECT])]}
    assert not mine.has_pending


def test_acknowledgements_by_themselves() -> None:
    mine = session()
    mine.fetch([A], 10, 0)
    mine.advance()
    mine.acknowledge(A, 1, ACCEPT)
    request = mine.acknowledgement(is_last=False, is_renewal=True)
    assert (request.share_session_epoch, request.is_renew_ack, named(request)) == (1, True, {A: [(1, 1, [ACCEPT])]})
    assert mine.acknowledgement(is_last=True, is_renewal=False).share_session_epoch == -1


def test_a_session_that_is_lost_begins_anew_without_old_acknowledgements() -> None:
    mine = session()
    mine.fetch([A], 10, 0)
    mine.advance()
    mine.acknowledge(A, 1, ACCEPT)
    mine.reset()
    again = mine.fetch([A], 10, 0)
    assert (again.share_session_epoch, named(again)) == (0, {A: []})


def test_epochs_go_round() -> None:
    mine = session()
    mine.epoch = 2_147_483_647
    mine.advance()
    assert mine.epoch == 1
