from __future__ import annotations

from riacho.metadata.members.heartbeats import BrokerHeartbeats
from support.metadata_world import MetadataWorld


def test_a_session_lasts_from_one_heartbeat_to_the_timeout_after_it() -> None:
    heartbeats = BrokerHeartbeats(session_timeout_ms=100)
    assert heartbeats.next_deadline_ms() is None
    heartbeats.touch(1, 5, now_ms=1_000)
    heartbeats.touch(2, 5, now_ms=1_010)
    assert heartbeats.next_deadline_ms() == 1_100
    assert heartbeats.expired(1_099) == []
    assert heartbeats.expired(1_100) == [1]
    heartbeats.touch(1, 6, now_ms=1_050)
    assert heartbeats.expired(1_110) == [2]
    assert heartbeats.metadata_offset(1) == 6


def test_an_expired_session_is_told_of_until_it_is_removed() -> None:
    heartbeats = BrokerHeartbeats(session_timeout_ms=100)
    heartbeats.touch(1, 0, now_ms=0)
    assert heartbeats.expired(100) == heartbeats.expired(200) == [1]
    assert heartbeats.has_contact(1)
    assert not heartbeats.has_contact(1, now_ms=100)
    heartbeats.remove(1)
    assert not heartbeats.has_contact(1)
    assert heartbeats.expired(200) == []
    heartbeats.remove(1)


def test_a_new_controller_gives_all_that_are_up_a_whole_session() -> None:
    world = MetadataWorld(3)
    world.fence(2)
    heartbeats = BrokerHeartbeats(session_timeout_ms=100)
    heartbeats.touch(9, 0, now_ms=0)
    heartbeats.activate(world.image, now_ms=500)
    assert [id for id in (1, 2, 3, 9) if heartbeats.has_contact(id)] == [1, 3]
    assert heartbeats.expired(599) == []
    assert heartbeats.expired(600) == [1, 3]


def test_the_offset_of_a_controlled_shutdown_is_that_of_its_beginning() -> None:
    heartbeats = BrokerHeartbeats(session_timeout_ms=100)
    heartbeats.begin_shutdown(1, 5)
    assert heartbeats.shutdown_offset(1) is None, "nothing is known of this broker"
    heartbeats.touch(1, 0, now_ms=0)
    heartbeats.begin_shutdown(1, 5)
    heartbeats.begin_shutdown(1, 9)
    assert heartbeats.shutdown_offset(1) == 5
    heartbeats.end_shutdown(1)
    assert heartbeats.shutdown_offset(1) is None
