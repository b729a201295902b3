from __future__ import annotations

from riacho.broker.suspects import Suspects
from riacho.metadata.brokers import Broker
from riacho.metadata.image import MetadataImage
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


def test_one_that_is_heard_again_is_not() -> None:
    suspects = Suspects(SetClock())
    suspects.lost(2)
    suspects.heard(3)
    assert suspects.now() == {2}
    suspects.heard(2)
    assert suspects.now() == frozenset()


def test_what_the_metadata_say_of_it_now_counts() -> None:
    suspects = Suspects(SetClock())
    suspects.lost(2)
    suspects.image_changed(image(False), image(False))
    assert suspects.now() == {2}
    suspects.image_changed(image(False), image(True))
    assert suspects.now() == frozenset()
