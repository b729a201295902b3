"""A broker with a listener of each security protocol, for Spark and for Connect; Apache's where that is asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from conformance.secure_broker import SecureBroker, run


@pytest.fixture(scope="module")
def secure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureBroker]:
    kind = "apache" if os.environ.get("RIACHO_CONFORMANCE_PEER") == "only" else "riacho"
    with run(kind, tmp_path_factory.mktemp("secure")) as broker:
        yield broker
