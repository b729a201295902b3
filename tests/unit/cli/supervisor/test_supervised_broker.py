"""A broker under supervision, step by step: a fake process, a clock that stands still until told."""

from __future__ import annotations

import itertools

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.cli.supervisor import supervised_broker as supervised
from riacho.cli.supervisor.child_process import START_TIMEOUT_S, STOP_TIMEOUT_S
from riacho.cli.supervisor.process_mark import ProcessMark
from riacho.cli.supervisor.run_state import Phase
from riacho.cli.supervisor.supervised_broker import SupervisedBroker
from riacho.cli.supervisor.supervision import FIRST_PAUSE_S, LIVED_S
from riacho.cli.supervisor.supervisor_requests import Orders


class FakeProcess:
    """Runs from `spawn` until it dies; asks the world nothing."""

    node_id = 2
    label = "broker 2"
    port = 1
    bootstrap = "127.0.0.1:1"
    metrics = None

    def __init__(self) -> None:
        self.is_running = False
        self.spawned = 0
        self.terminated = 0
        self.killed = 0
        self.obeys = True
        self._pids = itertools.count(100)
        self.process = ProcessMark(0)

    exit_text = "killed by SIGKILL"

    def spawn(self) -> None:
        assert not self.is_running
        self.is_running = True
        self.spawned += 1
        self.process = ProcessMark(next(self._pids), 1)

    def spawn_again(self) -> bool:
        return False

    def terminate(self) -> None:
        self.terminated += 1
        self.is_running = self.is_running and not self.obeys

    def kill(self) -> None:
        self.killed += 1
        self.is_running = False

    def not_started(self) -> KafkaError:
        return KafkaError(ErrorCode.BROKER_NOT_AVAILABLE, "Broker 2 did not start: a reason")

    def not_ready(self, timeout_s: float) -> KafkaError:
        return KafkaError(ErrorCode.BROKER_NOT_AVAILABLE, f"Broker 2 was not ready within {timeout_s:g} s")


class World:
    def __init__(self, monkeypatch: pytest.MonkeyPatch, members: list[int]) -> None:
        self.now_s = 1000.0
        self.answers = False
        self.seen: set[int] = set()
        self.said: list[str] = []
        self.process = FakeProcess()
        monkeypatch.setattr(supervised, "answers", lambda host, port: self.answers)
        monkeypatch.setattr(supervised, "sees", lambda host, port, node_ids: self.seen >= set(node_ids))
        self.broker = SupervisedBroker(
            self.process,  # type: ignore[arg-type]
            is_controller=True,
            members=members,
            say=self.said.append,
            clock=lambda: self.now_s,
        )

    def after(self, seconds: float) -> Phase:
        self.now_s += seconds
        self.broker.step()
        return self.broker.phase

    def run(self) -> None:
        self.answers, self.seen = True, {1, 2, 3}
        self.broker.start()
        assert self.after(0) is Phase.RUNNING


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    return World(monkeypatch, [1, 2, 3])


def test_it_runs_once_it_answers_and_knows_all_members(world: World) -> None:
    world.broker.start()
    assert world.after(0) is Phase.STARTING
    world.answers = True
    world.seen = {1, 2}
    assert world.after(0.1) is Phase.STARTING
    world.seen = {1, 2, 3}
    assert world.after(0.1) is Phase.RUNNING
    assert world.said == []


def test_one_alone_need_only_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(monkeypatch, [])
    world.broker.start()
    world.answers = True
    assert world.after(0) is Phase.RUNNING


def test_a_first_start_that_fails_is_not_tried_again(world: World) -> None:
    world.broker.start()
    world.process.is_running = False
    with pytest.raises(KafkaError, match="did not start: a reason"):
        world.broker.step()


def test_a_first_start_has_a_limit(world: World) -> None:
    world.broker.start()
    world.now_s += START_TIMEOUT_S + 1
    with pytest.raises(KafkaError, match="was not ready within 30 s"):
        world.broker.step()


def test_a_crash_is_answered_by_a_start_after_a_growing_pause(world: World) -> None:
    world.run()
    world.process.is_running = False
    assert world.after(1) is Phase.WAITING
    assert world.said == [f"broker 2 ended (killed by SIGKILL); starting it again in {FIRST_PAUSE_S} s"]
    assert world.after(FIRST_PAUSE_S / 2) is Phase.WAITING
    assert world.after(FIRST_PAUSE_S / 2) is Phase.STARTING
    assert world.process.spawned == 2
    # Itself is enough when it comes back: others may be away.
    world.seen = {2}
    assert world.after(0.1) is Phase.RUNNING
    assert world.said[-1] == "broker 2 is back, pid 101"
    assert world.broker.state.restarts == 1
    world.process.is_running = False
    world.after(0)
    assert world.said[-1].endswith(f"in {FIRST_PAUSE_S * 2} s")


def test_pauses_grow_and_start_anew_after_a_life(world: World) -> None:
    world.run()
    pauses_s = [_crash(world, lived_s=0.1) for _ in range(12)]
    assert pauses_s[:3] == [FIRST_PAUSE_S, FIRST_PAUSE_S * 2, FIRST_PAUSE_S * 4]
    assert pauses_s[-2:] == [30.0, 30.0]
    assert _crash(world, lived_s=LIVED_S) == FIRST_PAUSE_S


def _crash(world: World, lived_s: float) -> float:
    """The pause before it was started again; it runs then."""
    world.now_s += lived_s
    world.process.is_running = False
    pause_s = world.broker.step()
    assert world.after(pause_s) is Phase.STARTING
    assert world.after(0) is Phase.RUNNING
    return pause_s


def test_one_that_comes_back_and_waits_for_others_is_left_alone(world: World) -> None:
    world.run()
    world.process.is_running = False
    world.after(0)
    world.answers = False
    world.after(FIRST_PAUSE_S)
    assert world.after(START_TIMEOUT_S + 1) is Phase.STARTING
    assert world.said[-1].startswith("broker 2 is not back: ")
    assert world.process.killed == 0


def test_it_stops_in_good_order(world: World) -> None:
    world.run()
    world.broker.stop()
    assert (world.broker.phase, world.process.terminated) == (Phase.STOPPING, 1)
    assert world.after(0.1) is Phase.STOPPED
    assert (world.process.killed, world.said) == (0, [])


def test_what_does_not_stop_in_time_is_killed_with_a_word(world: World) -> None:
    world.run()
    world.process.obeys = False
    world.broker.stop()
    assert world.after(STOP_TIMEOUT_S - 1) is Phase.STOPPING
    assert world.after(2) is Phase.STOPPED
    assert world.process.killed == 1
    assert world.said == ["broker 2 did not stop in time and was killed"]


def _follow(world: World, orders: Orders) -> None:
    world.broker.follow(orders.generations.get(2, 0), is_down=2 in orders.down)


def test_orders_take_it_down_and_bring_it_back(world: World) -> None:
    world.run()
    down = Orders().take_down(2)
    _follow(world, down)
    _follow(world, down)
    assert world.process.terminated == 1
    assert world.after(0.1) is Phase.STOPPED
    assert world.after(60) is Phase.STOPPED
    _follow(world, down.bring_back(2))
    assert world.after(0.1) is Phase.RUNNING
    assert world.process.spawned == 2
    assert world.broker.restarts == 0, "a start that was asked for is no crash"


def test_orders_restart_it_once_each(world: World) -> None:
    world.run()
    orders = Orders().restart(2)
    _follow(world, orders)
    assert world.broker.phase is Phase.STOPPING
    # A knock meant for another broker brings the same orders again.
    _follow(world, orders)
    assert world.after(0.1) is Phase.STARTING
    assert world.after(0.1) is Phase.RUNNING
    _follow(world, orders)
    assert world.broker.phase is Phase.RUNNING
    assert (world.process.spawned, world.broker.state.generation) == (2, 1)
    assert world.said.count("broker 2 restarts as told") == 1


def test_a_restart_brings_back_one_that_is_down(world: World) -> None:
    world.run()
    orders = Orders().take_down(2)
    _follow(world, orders)
    world.after(0.1)
    _follow(world, orders.restart(2))
    assert world.after(0.1) is Phase.RUNNING
    assert orders.restart(2).down == ()


def test_an_order_taken_back_in_the_middle_of_a_stop(world: World) -> None:
    world.run()
    world.process.obeys = False
    orders = Orders().take_down(2)
    _follow(world, orders)
    assert world.broker.phase is Phase.STOPPING
    _follow(world, orders.bring_back(2))
    world.process.is_running = False
    assert world.after(0.1) is Phase.STARTING
    assert world.after(0.1) is Phase.RUNNING


def test_one_that_waits_after_a_crash_can_be_taken_down(world: World) -> None:
    world.run()
    world.process.is_running = False
    assert world.after(0) is Phase.WAITING
    _follow(world, Orders().take_down(2))
    assert world.after(0.1) is Phase.STOPPED
    assert world.after(60) is Phase.STOPPED
    assert world.process.spawned == 1
