"""What `riacho status` makes of what the brokers tell, and how orders reach a supervisor."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from riacho.cli.data_dir import DataDir
from riacho.cli.health import Answer, health_of
from riacho.cli.main import cli
from riacho.cli.supervisor.process_mark import ProcessMark, mark
from riacho.cli.supervisor.run_state import BrokerState, Phase, RunState, write_state
from riacho.cli.supervisor.running import add_running
from riacho.cli.supervisor.signals import SignalQueue
from riacho.cli.supervisor.supervisor_requests import (
    KNOCK,
    Orders,
    check_known,
    give_order,
    read_orders,
    wait_for_broker,
)
from riacho.cli.views.cluster_view import Share, some_of, view_metadata
from riacho.wire.messages.metadata_response import (
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)

GONE = ProcessMark(2**22 + 1, 1)


def _metadata(live: list[int], *partitions: tuple[int, list[int], list[int]]) -> MetadataResponse:
    """Partitions of one topic: (leader, replicas, in-sync replicas)."""
    return MetadataResponse(
        brokers=[MetadataResponseBroker(node_id=node_id) for node_id in live],
        topics=[
            MetadataResponseTopic(
                name="orders",
                partitions=[
                    MetadataResponsePartition(
                        partition_index=i, leader_id=leader, replica_nodes=replicas, isr_nodes=isr
                    )
                    for i, (leader, replicas, isr) in enumerate(partitions)
                ],
            )
        ],
    )


def test_a_view_counts_leaders_and_replicas() -> None:
    view = view_metadata(_metadata([1, 2], (1, [1, 2, 3], [1, 2]), (2, [2, 3, 1], [2, 1]), (-1, [3], [])), 2)
    assert view.live == {1, 2}
    assert (view.topics, view.partitions, view.controller_id) == (1, 3, 2)
    assert view.shares == {1: Share(1, 2, 2), 2: Share(1, 2, 2), 3: Share(0, 3, 0)}
    assert view.leaderless == ["orders-2"]
    assert view.out_of_sync == ["orders-0", "orders-1", "orders-2"]
    assert view.share(9) == Share(0, 0, 0)
    assert view.is_in_sync_on(1)
    assert not view.is_in_sync_on(3)
    assert (view.behind_besides(3), view.behind_besides(1)) == (0, 3)


def test_long_lists_are_cut_short() -> None:
    assert some_of(["a", "b"]) == "a, b"
    assert some_of(list("abcde")) == "a, b, c and 2 more"


def _state(node_id: int = 1, phase: Phase = Phase.RUNNING, process: ProcessMark | None = None) -> BrokerState:
    return BrokerState(node_id, process or mark(os.getpid()), f"127.0.0.1:{9090 + 2 * node_id}", None, phase=phase)


WELL = view_metadata(_metadata([1, 2, 3], (1, [1, 2, 3], [1, 2, 3])), 1)
BEHIND = view_metadata(_metadata([1, 2, 3], (1, [1, 2, 3], [1, 3])), 1)
WITHOUT_2 = view_metadata(_metadata([1, 3], (1, [1, 2, 3], [1, 3])), 1)
ANSWERED = Answer(1.5, WELL, None)


@pytest.mark.parametrize(
    ("broker", "answer", "view", "trouble"),
    [
        (_state(1), ANSWERED, WELL, None),
        (_state(2), ANSWERED, BEHIND, "1 replicas are behind"),
        (_state(2), ANSWERED, WITHOUT_2, "fenced: the controller does not count on it"),
        (_state(2, Phase.STARTING), ANSWERED, WELL, "starting"),
        (_state(2), Answer(None, None, "connection refused"), WELL, "connection refused"),
        (_state(2, process=GONE), Answer(None, None, "connection refused"), WELL, "the process is gone"),
        (_state(2, Phase.WAITING, GONE), Answer(None, None, "x"), WELL, "crashed; it is started again"),
        (_state(2, Phase.STOPPED, GONE), Answer(None, None, None), WELL, "stopped by `riacho down`"),
    ],
)
def test_what_is_wrong_with_a_broker(broker: BrokerState, answer: Answer, view: object, trouble: str | None) -> None:
    health = health_of(broker, answer, view)  # type: ignore[arg-type]
    assert health.trouble == trouble
    assert health.is_well == (trouble is None)


def test_the_active_controller_is_known() -> None:
    assert health_of(_state(1), ANSWERED, WELL).is_active_controller
    assert not health_of(_state(2), ANSWERED, WELL).is_active_controller
    assert not health_of(_state(1), ANSWERED, None).is_active_controller


# Orders


@pytest.fixture
def running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunState:
    """A state file of three brokers whose supervisor is this very process."""
    monkeypatch.delenv("RIACHO_DATA_DIR", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    directory = DataDir(tmp_path / "data")
    directory.create()
    state = RunState(str(directory.path), mark(os.getpid()), 1, tuple(_state(n) for n in (1, 2, 3)))
    write_state(directory, state)
    add_running(directory)
    return state


def test_orders_are_written_and_the_supervisor_is_woken(running: RunState) -> None:
    directory = DataDir(Path(running.data_dir))
    with SignalQueue([KNOCK]) as signals:
        give_order(running, directory, lambda orders: orders.take_down(2))
        assert signals.wait(5) == [KNOCK]
        give_order(running, directory, lambda orders: orders.restart(3))
        give_order(running, directory, lambda orders: orders.restart(3))
    assert read_orders(directory) == Orders((2,), {3: 2})
    with SignalQueue([KNOCK]):
        give_order(running, directory, lambda orders: orders.restart_service("connect"))
    assert read_orders(directory) == Orders((2,), {3: 2}, {"connect": 1})
    directory.orders_file.write_text("half a fi")
    assert read_orders(directory) == Orders()


def test_without_a_supervisor_there_is_nobody_to_take_orders(running: RunState) -> None:
    lost = RunState(running.data_dir, GONE, 1, running.brokers)
    with pytest.raises(click.ClickException, match="The supervisor is gone"):
        give_order(lost, DataDir(Path(lost.data_dir)), lambda orders: orders.take_down(1))


def test_waiting_for_a_broker_ends_with_where_it_is(running: RunState) -> None:
    directory = DataDir(Path(running.data_dir))
    assert wait_for_broker(directory, 2, lambda broker: broker.phase is Phase.RUNNING, 5).node_id == 2
    with pytest.raises(click.ClickException, match=r"Broker 2 is still running after 0 s; see .*error-2\.log"):
        wait_for_broker(directory, 2, lambda broker: broker.phase is Phase.STOPPED, 0)
    directory.state_file.unlink()
    with pytest.raises(click.ClickException, match="went down meanwhile"):
        wait_for_broker(directory, 2, lambda broker: True, 5)


@pytest.mark.parametrize("words", [["down", "--broker", "7"], ["restart", "--broker", "7"]])
def test_a_broker_that_is_not_there_is_told(running: RunState, words: list[str]) -> None:
    result = CliRunner().invoke(cli, words)
    assert (result.exit_code, result.stderr) == (1, "Error: There is no broker 7 here; there is: 1, 2, 3.\n")
    with pytest.raises(click.ClickException):
        check_known(running, 4)


def test_no_second_broker_is_restarted_away_from_one_that_is_down(running: RunState) -> None:
    brokers = (_state(1), _state(2), _state(3, Phase.STOPPED, GONE))
    state = RunState(running.data_dir, running.supervisor, 1, brokers)
    write_state(DataDir(Path(running.data_dir)), state)
    result = CliRunner().invoke(cli, ["restart", "--broker", "2"])
    assert result.exit_code == 1
    assert "Broker 3 is down" in result.stderr
    assert state.stopped == [3]


def test_rolling_is_for_all(running: RunState) -> None:
    result = CliRunner().invoke(cli, ["restart", "--rolling", "--broker", "1"])
    assert result.exit_code == 2
    assert "not both" in result.stderr


def test_the_knock_is_not_a_signal_to_stop() -> None:
    assert KNOCK not in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)
