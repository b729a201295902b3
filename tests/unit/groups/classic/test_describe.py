from __future__ import annotations

from riacho.base.errors import ErrorCode
from riacho.wire.messages.list_groups_request import ListGroupsRequest
from support.group_world import GROUP, GroupWorld, subscription


def test_a_stable_group_shows_metadata_and_assignments() -> None:
    world = GroupWorld()
    leader, follower = world.stable_group(2)
    described = world.shard.describe(GROUP, 6)
    assert (described.group_state, described.protocol_type, described.protocol_data) == ("Stable", "consumer", "range")
    assert [member.member_id for member in described.members] == [leader, follower]
    assert [member.member_assignment for member in described.members] == [b"a0", b"a1"]
    assert described.members[0].member_metadata == subscription("t")
    assert (described.members[0].client_id, described.members[0].client_host) == ("client", "/127.0.0.1")


def test_between_generations_only_the_members_show() -> None:
    world = GroupWorld()
    leader, _ = world.stable_group(2)
    world.join(leader)
    described = world.shard.describe(GROUP, 6)
    assert (described.group_state, described.protocol_data) == ("PreparingRebalance", "")
    assert {(member.member_metadata, member.member_assignment) for member in described.members} == {(b"", b"")}


def test_a_missing_group_is_dead_and_since_version_6_an_error() -> None:
    world = GroupWorld()
    old, new = world.shard.describe("none", 5), world.shard.describe("none", 6)
    assert (old.group_state, old.error_code, old.error_message) == ("Dead", 0, None)
    assert (new.group_state, new.error_code) == ("Dead", ErrorCode.GROUP_ID_NOT_FOUND)
    assert "none" in (new.error_message or "")


def test_listing_filters_by_state_and_type() -> None:
    world = GroupWorld()
    world.stable_group()
    world.commit({("t", 0): 1}, group_id="simple")

    def listed(states: list[str], types: list[str]) -> dict[str, tuple[str, str, str]]:
        request = ListGroupsRequest(states_filter=states, types_filter=types)
        return {
            group.group_id: (group.protocol_type, group.group_state, group.group_type)
            for group in world.shard.list_groups(request)
        }

    everything = {GROUP: ("consumer", "Stable", "classic"), "simple": ("", "Empty", "classic")}
    assert listed([], []) == everything
    assert set(listed(["stable"], [])) == {GROUP}
    assert set(listed(["Empty", "Dead"], ["Classic"])) == {"simple"}
    assert listed([], ["consumer"]) == {}
    assert listed(["Nonsense"], []) == {}
