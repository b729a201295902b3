"""No request costs more than its size is worth: sixteen times the elements, about sixteen times the work.

Every API, and every array of its request, in its newest version. What counts is the processor time of the broker's
loop, so other load on the machine does not; what is quadratic shows as two hundred and fifty-six times.
"""

from __future__ import annotations

import pytest

from hostile.hostile_broker import HostileBroker
from riacho.broker.handlers.table import TABLE
from riacho.broker.requests.api import Api
from riacho.wire.apis import request_class
from support.hostile_requests import array_paths, hostile_request, request_bytes

FEW, MANY = 1_000, 16_000
GROWTH_MAX = 40
# Below this a measurement says nothing: another request of the same broker may have been in it.
COST_S_MIN = 0.003
TRIES = 3


@pytest.mark.parametrize("api", TABLE, ids=lambda api: api.name)
def test_work_grows_no_faster_than_the_request(broker: HostileBroker, api: Api) -> None:
    version = api.version_max
    for path in array_paths(request_class(api.key), version):
        for names, others in ((broker.alike, 1), (broker.made_up, 0)):
            few, many = (
                request_bytes(hostile_request(api.key, version, path, count, names, others=others), api.key, version)
                for count in (FEW, MANY)
            )
            _check(broker, few, many, f"{api.name} v{version} {'.'.join(path)} of {names.word}")
    broker.check()


def _check(broker: HostileBroker, few: bytearray, many: bytearray, label: str) -> None:
    """Twice more where it looks bad: a round of the collector may have been in it."""
    costs = []
    for _ in range(TRIES):
        few_s, many_s = broker.cost_s(few), broker.cost_s(many)
        costs.append(f"{few_s * 1000:.1f} ms for {FEW}, {many_s * 1000:.1f} ms for {MANY}")
        if many_s <= GROWTH_MAX * max(few_s, COST_S_MIN):
            return
    pytest.fail(f"{label}: {'; '.join(costs)}")
