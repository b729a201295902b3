from __future__ import annotations

from riacho.metadata.image.directories import LOST, MIGRATING, UNASSIGNED, default_directory, is_online, is_reserved
from support.metadata_world import log_dir

ONE, TWO = log_dir(1), log_dir(1, 1)


def test_reserved_ids_are_no_directories() -> None:
    assert all(is_reserved(id) for id in (UNASSIGNED, LOST, MIGRATING))
    assert not is_reserved(ONE)
    assert not is_reserved(bytes(15) + b"\x64")


def test_a_replica_can_be_served_where_its_directory_is_or_can_still_be_chosen() -> None:
    assert is_online(ONE, [ONE])
    assert not is_online(TWO, [ONE])
    assert is_online(UNASSIGNED, [ONE])
    assert is_online(MIGRATING, [ONE])
    assert is_online(None, [ONE])
    assert not is_online(LOST, [ONE])
    assert not is_online(LOST, [])
    assert is_online(ONE, [])


def test_a_broker_with_one_directory_has_no_choice() -> None:
    assert default_directory([ONE]) == ONE
    assert default_directory([ONE, TWO]) == UNASSIGNED
    assert default_directory([]) == MIGRATING
