"""Users who log in by SCRAM, changed: what is refused here, before a password is worked on for minutes."""

from __future__ import annotations

from typing import cast

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import Cluster
from riacho.client.scram_users import Password, alter_scram_user


@pytest.mark.parametrize("iterations", [16_385, 10**9, 10**11])
def test_too_many_iterations_are_not_counted_out(iterations: int) -> None:
    with pytest.raises(KafkaError, match="Too many iterations") as refused:
        alter_scram_user(cast("Cluster", None), "ana", {"SCRAM-SHA-512": Password("hers", iterations)}, ())
    assert refused.value.code is ErrorCode.UNACCEPTABLE_CREDENTIAL
