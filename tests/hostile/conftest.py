"""One broker for the attacks of a module."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hostile.hostile_broker import HostileBroker, hostile_broker


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostileBroker]:
    with hostile_broker(Path(tmp_path_factory.mktemp("hostile"))) as made:
        yield made
