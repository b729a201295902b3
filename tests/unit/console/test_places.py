"""Places of pages that follow something: bounded for all, and for each of those who hold them."""

from __future__ import annotations

import pytest

from riacho.console.config import console_config, load_console_settings
from riacho.console.places import EACH_MAX, Places, holder_of
from riacho.web.errors import ApiError
from support.console_calls import call_of, ended
from support.control_center import CLUSTER, ControlCenterService


def test_one_too_many_is_refused_until_one_leaves() -> None:
    places = Places(1, "pages follow topics")
    with places.taken(), pytest.raises(ApiError) as refused, places.taken():
        pass
    assert (refused.value.status, refused.value.message) == (
        429,
        "1 pages follow topics already; stop one, or try again later.",
    )
    with places.taken():
        assert places.count == 1
    assert places.count == 0


def test_one_user_cannot_have_all_of_them() -> None:
    """However many addresses they come from; who else comes is let in."""
    places = Places(5, "pages follow topics", each_max=3)
    calls = [call_of(f"10.0.0.{n}", "ann") for n in range(3)]
    for call in calls:
        places.take(call)
    with pytest.raises(ApiError) as refused:
        places.take(call_of("10.0.0.9", "ann"))
    assert refused.value.message == "3 pages follow topics for user ann already, the most for one; close some of them."
    places.take(call_of("10.0.0.1", "bia"))
    ended(calls[0])
    places.take(call_of("10.0.0.9", "ann"))
    assert places.count == 4


def test_who_left_is_forgotten() -> None:
    places = Places(5, "pages follow", each_max=3)
    for n in range(100):
        call = call_of("10.0.0.1", f"user-{n}")
        places.take(call)
        ended(call)
    assert not places._held


def test_where_nobody_logs_in_it_is_the_address() -> None:
    """A machine has a network of IPv6 addresses to itself."""
    assert holder_of(call_of("10.0.0.1")) == "address 10.0.0.1"
    assert holder_of(call_of("10.0.0.1", "ann")) == "user ann"
    assert holder_of(call_of("2001:db8:1:2:3::4")) == holder_of(call_of("2001:db8:1:2:ffff::1%eth0"))
    assert holder_of(call_of("2001:db8:1:2::4")) != holder_of(call_of("2001:db8:1:3::4"))
    assert holder_of(call_of("::ffff:10.0.0.1")) == holder_of(call_of("10.0.0.1"))
    # A user cannot be named like an address to take its places.
    assert holder_of(call_of("10.0.0.2", "address 10.0.0.1")) != holder_of(call_of("10.0.0.1"))


def test_the_stream_of_figures_and_the_tails_ask_for_a_place(console: ControlCenterService) -> None:
    """Each of its own kind: who has all of the one may still have the other."""
    events = console.center.parts.events
    held = [call_of("127.0.0.1") for _ in range(EACH_MAX)]

    async def hold() -> None:
        for call in held:
            events.follow("default", b"", call)

    console.thread.run(hold())
    refused = console.call("HEAD", f"{CLUSTER}/events")
    assert refused.status_code == 429
    for call in held:
        ended(call)
    assert console.call("HEAD", f"{CLUSTER}/events").status_code == 200


def test_the_bound_is_a_setting() -> None:
    settings = load_console_settings({"riacho.console.follows.each.max": "7"})
    assert console_config(settings).follows_each_max == 7
    assert console_config(load_console_settings({})).follows_each_max == EACH_MAX
