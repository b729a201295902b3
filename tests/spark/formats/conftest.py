"""One schema registry, a real process, for all tests of formats; and record frames made by hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from support.service_process import running_service
from support.spark_brokers import running_broker

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="package")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Its address."""
    directory: Path = tmp_path_factory.mktemp("registry")
    broker = running_broker(tmp_path_factory.mktemp("broker"))
    with broker as cluster, running_service("schema-registry", cluster.bootstrap_servers, directory) as service:
        yield service.url
