"""Which limit counts for a client, who shares it, and what is forgotten of those who went silent."""

from __future__ import annotations

import pytest

from riacho.base.sampled_rate import SampledRate
from riacho.broker.quotas.client_quota import ClientQuota
from riacho.metadata.image.client_quotas import ClientQuotas

KEY = "producer_byte_rate"


def quota(quotas: ClientQuotas) -> ClientQuota[SampledRate]:
    made = ClientQuota(KEY, lambda: SampledRate(11, 1_000))
    made.set_limits(quotas)
    return made


def limits(*levels: tuple[str | None, ...]) -> ClientQuotas:
    """Limits of 1, 2, ... at levels of (user, client id); "-" leaves one out, None is the default."""
    made: ClientQuotas = {}
    for number, (user, client_id) in enumerate(levels, 1):
        named = [("client-id", client_id), ("user", user)]
        made[tuple((kind, name) for kind, name in named if name != "-")] = {KEY: float(number)}
    return made


LEVELS: list[tuple[str | None, str | None]] = [
    ("u", "c"), ("u", None), ("u", "-"), (None, "c"), (None, None), (None, "-"), ("-", "c"), ("-", None),
]  # fmt: skip


@pytest.mark.parametrize("first", range(len(LEVELS)))
def test_the_most_particular_limit_counts(first: int) -> None:
    meter = quota(limits(*LEVELS[first:])).meter("User:u", "c", 0)
    assert meter is not None
    assert meter.bound == 1
    shared = {0: ("u", "c"), 1: ("u", "c"), 2: ("u", None), 3: ("u", "c"), 4: ("u", "c"), 5: ("u", None)}
    assert (meter.user, meter.client_id) == shared.get(first, (None, "c"))


def test_nobody_is_measured_who_has_no_limit() -> None:
    found = quota(limits(("u", "-")))
    assert found.is_enabled
    assert found.meter("User:other", "c", 0) is None
    assert not quota({}).is_enabled
    assert not quota({(("user", "u"),): {"consumer_byte_rate": 1.0}}).is_enabled
    assert not quota({(("ip", "1.2.3.4"),): {"connection_creation_rate": 1.0}}).is_enabled


def test_clients_of_a_user_share_its_limit() -> None:
    found = quota(limits(("u", "-")))
    assert found.meter("User:u", "a", 0) is found.meter("User:u", "b", 0)
    found = quota(limits(("u", None)))
    assert found.meter("User:u", "a", 0) is not found.meter("User:u", "b", 0)


def test_a_client_without_an_id_has_its_users_limit_alone() -> None:
    found = quota(limits(("u", None), ("-", None)))
    assert found.meter("User:u", "", 0) is None
    assert quota(limits(("u", "-"))).meter("User:u", "", 0) is not None


def test_a_changed_limit_keeps_what_was_used() -> None:
    found = quota(limits(("u", "-")))
    meter = found.meter("User:u", "c", 0)
    assert meter is not None
    meter.gauge.record(100, 0)
    found.set_limits({(("user", "u"),): {KEY: 50.0}})
    again = found.meter("User:u", "c", 1)
    assert again is meter
    assert again.bound == 50


def test_silent_clients_are_forgotten_and_active_ones_are_not() -> None:
    found = quota(limits(("-", None)))
    for number in range(1_000):
        meter = found.meter("User:u", f"c-{number}", 1_000)
        assert meter is not None
        meter.gauge.record(1, 1_000)
    active = found.meter("User:u", "c-7", 11_500)
    assert active is not None
    active.gauge.record(1, 11_500)
    assert found.meter("User:u", "c-7", 12_500) is active
    assert [meter.client_id for meter in found.meters()] == ["c-7"]
