"""The settings of a test's brokers, and whom an injected fault may meet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from riacho.base.errors import ErrorCode
from riacho.broker.config import BrokerConfig
from riacho.broker.handlers.table import TABLE
from riacho.broker.serving.connection import Connection
from riacho.testing.faults import FaultControls
from riacho.testing.nodes import node_properties
from riacho.wire.messages.fetch_request import FetchRequest, ReplicaState
from support.broker_fakes import FakeBroker, connect
from support.metrics_node import CONTROLLER


def test_one_broker_alone(tmp_path: Path) -> None:
    (own,) = node_properties(1, tmp_path, {"num.partitions": "6"}).values()
    config = BrokerConfig(own)
    assert config.is_alone
    assert config.log_dirs == [str(tmp_path)]
    assert config.get("num.partitions") == 6
    assert config.controller_listeners == []


@pytest.mark.parametrize(("brokers", "controllers"), [(2, {1}), (3, {1, 2, 3}), (5, {1, 2, 3})])
def test_several(tmp_path: Path, brokers: int, controllers: set[int]) -> None:
    configs = [BrokerConfig(own) for own in node_properties(brokers, tmp_path, {}).values()]
    assert {config.node_id for config in configs if config.is_controller} == controllers
    assert len({config.get("cluster.id") for config in configs}) == 1
    assert len({tuple(config.log_dirs) for config in configs}) == brokers
    ports = [listener.port for config in configs for listener in config.listeners]
    assert len(set(ports)) == len(ports) == brokers + len(controllers)
    assert all(config.warnings() == [] for config in configs)


# Faults

FETCH = next(api for api in TABLE if api.name == "Fetch")


def _connection(*, is_for_controllers: bool = False, client_id: str = "mine") -> Connection:
    broker = FakeBroker(BrokerConfig(CONTROLLER)) if is_for_controllers else FakeBroker()
    connection, _ = connect(broker.listener("CONTROLLER" if is_for_controllers else "PLAINTEXT"))
    assert connection.listener.is_for_controllers is is_for_controllers
    connection.context.client_id, connection.context.version = client_id, 17
    return connection


def _meet(controls: FaultControls, broker: int, request: FetchRequest | None = None, **options: Any) -> bool:
    outcome = controls._faults[broker].intercept(_connection(**options), FETCH, request or FetchRequest())
    return outcome is not None


def test_a_fault_of_all_brokers_is_met_as_often_as_asked_in_all() -> None:
    controls = FaultControls([1, 2, 3])
    fault = controls.fail("Fetch", ErrorCode.NOT_LEADER_OR_FOLLOWER, times=2)
    assert [_meet(controls, broker) for broker in (1, 2, 3)] == [True, True, False]
    assert (fault.met, fault.is_spent) == (2, True)


def test_a_fault_of_one_broker_is_met_there_alone() -> None:
    controls = FaultControls([1, 2])
    fault = controls.drop("Fetch", times=None, broker=2)
    assert [_meet(controls, broker) for broker in (1, 2, 2)] == [False, True, True]
    assert (fault.met, fault.is_spent) == (2, False)
    controls.clear_faults()
    assert not _meet(controls, 2)


def test_brokers_among_themselves_meet_no_fault() -> None:
    controls = FaultControls([1])
    controls.fail("Fetch", ErrorCode.NOT_LEADER_OR_FOLLOWER, times=None)
    assert not _meet(controls, 1, FetchRequest(replica_id=2))
    assert not _meet(controls, 1, FetchRequest(replica_state=ReplicaState(replica_id=2)))
    assert not _meet(controls, 1, is_for_controllers=True)
    assert _meet(controls, 1)


def test_a_broker_that_is_not_there_has_no_faults() -> None:
    with pytest.raises(ValueError, match="there is no broker 9; choose from 1, 2"):
        FaultControls([1, 2]).fail("Fetch", ErrorCode.NOT_LEADER_OR_FOLLOWER, broker=9)
