"""Client ids that nobody has, by the thousand or by the kilobyte."""

from __future__ import annotations

import pytest

from riacho.base.sampled_rate import SampledRate
from riacho.broker.quotas import client_quota
from riacho.broker.quotas.client_quota import ClientQuota


def test_client_ids_made_up_by_the_thousand_share_a_meter_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_quota, "_METERS_MAX", 10)
    quota = ClientQuota("producer_byte_rate", lambda: SampledRate(11, 1000))
    quota.set_limits({(("client-id", None),): {"producer_byte_rate": 5.0}})
    meters = [quota.meter("User:eve", f"{at}", 0) for at in range(1_000)]
    assert len(list(quota.meters())) == 11
    assert meters[-1] is meters[-2]
    assert meters[-1] is not meters[0]
    assert meters[-1] is not None
    assert meters[-1].bound == 5.0


def test_a_client_id_of_any_length_costs_no_more_than_a_long_one() -> None:
    quota = ClientQuota("producer_byte_rate", lambda: SampledRate(11, 1000))
    quota.set_limits({(("client-id", None),): {"producer_byte_rate": 5.0}})
    meter = quota.meter("User:eve", "x" * 30_000, 0)
    assert meter is not None
    assert meter.client_id is not None
    assert len(meter.client_id) < 1_000
