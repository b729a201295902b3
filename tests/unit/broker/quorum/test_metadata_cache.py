"""What a node's metadata say of the node itself."""

from __future__ import annotations

import pytest

from riacho.metadata.image.brokers import Broker
from support.registered_brokers import metadata_of, registered


@pytest.mark.parametrize(
    ("brokers", "named"),
    [
        ([], 1),
        ([registered(1), registered(2)], 1),
        ([registered(1, is_fenced=True), registered(2, is_fenced=True), registered(3)], 3),
        ([registered(1, is_fenced=True), registered(2, is_fenced=True)], 1),
    ],
    ids=["nobody is registered", "this one is in service", "another one is", "nobody is"],
)
def test_some_broker_is_always_named_for_the_controller(brokers: list[Broker], named: int) -> None:
    assert metadata_of(*brokers).some_live_broker() == named


def test_the_epoch_of_this_brokers_registration() -> None:
    assert metadata_of(registered(2, epoch=9)).own_broker_epoch() == -1
    assert metadata_of(registered(1, epoch=9)).own_broker_epoch() == 9
