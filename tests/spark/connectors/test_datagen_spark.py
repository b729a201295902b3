"""Datagen in a streaming query: the records that were asked for, the same ones each time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from riacho.pipelines.connectors.datagen.source import DatagenConnector
from riacho.pipelines.plugin import SourceOffset


def test_orders_are_made_once_and_the_same_again(
    make_connector: Callable[..., Any], run_source: Callable[..., Any]
) -> None:
    configs = {"kafka.topic": "orders", "quickstart": "orders", "iterations": "30", "random.seed": "7"}
    connector = make_connector(DatagenConnector, configs, tasks_max=2)
    rows = [row for batch in run_source(connector) for row in batch]
    assert sorted(row.key for row in rows) == sorted([*range(30), *range(30)])
    assert all(row.topic == "orders" and row.value.orderid == row.key for row in rows)
    assert all(row.value.address.city.startswith("City_") and 0.1 <= row.value.orderunits <= 10 for row in rows)
    start = [SourceOffset({"task.id": task}, {"current.iteration": 20}) for task in (0, 1)]
    again = [row for batch in run_source(connector, start, checkpoint="again") for row in batch]
    assert sorted(map(str, again)) == sorted(str(row) for row in rows if row.key >= 20)
