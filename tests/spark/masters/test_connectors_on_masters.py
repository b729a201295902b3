"""The same connectors on a local session, on a standalone cluster of two workers, and on Spark Connect: what comes out
is the same, exactly."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from spark.masters.order_files import ORDERS, Orders
from support.connect_runner import ConnectRunner

if TYPE_CHECKING:
    from riacho.testing import KafkaCluster

LIMIT_S = 600


@pytest.mark.timeout(LIMIT_S)
def test_connectors(master: tuple[str, dict[str, str]], masters_broker: KafkaCluster, tmp_path: Path) -> None:
    name, settings = master
    bootstrap = masters_broker.bootstrap_servers
    runner = ConnectRunner(bootstrap, tmp_path, spark=settings).start()
    try:
        orders = Orders(runner, bootstrap, tmp_path, f"orders-{name}")
        orders.append(0, ORDERS // 2)
        orders.start()
        orders.wait(ORDERS // 2)
        ready = next(event for event in runner.events if event["event"] == "ready")
        assert ready["master"] == settings["spark.master"]
        orders.check(ORDERS // 2)

        # Again, from the checkpoints: nothing twice.
        orders.stop()
        orders.append(ORDERS // 2, ORDERS)
        orders.start()
        orders.wait(ORDERS)
        orders.check(ORDERS)
        (errors,) = runner.of(orders.writing, "errors")
        assert (errors["total"], errors["dead_letters"], errors["skipped"]) == (1, 1, 0)
        orders.stop()

        strict = {k: v for k, v in orders.configs["orders-out"].items() if not k.startswith("errors.")}
        strict["directory"] = str(tmp_path / "strict")
        running = runner.run("strict", strict, kind="sink")
        failed = runner.wait_for(lambda event: event["event"] == "failed" and event["generation"] == running)
        assert failed["trace"].startswith(f"The record at {orders.topic}-0 offset 7 failed in VALUE_CONVERTER with ")
        assert not list((tmp_path / "strict").rglob("*.parquet"))
    finally:
        runner.close()
