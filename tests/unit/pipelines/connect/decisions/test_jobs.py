"""What should run: the state machine, without processes or clocks."""

from __future__ import annotations

from riacho.pipelines.connect.decisions.jobs import (
    FIRST_PAUSE_MS,
    LIVED_MS,
    SHARED,
    STOP_TIMEOUT_MS,
    TRIES_MAX,
    Effect,
    Forget,
    Jobs,
    Kill,
    Need,
    Phase,
    Report,
    Start,
    State,
    Stop,
)
from riacho.pipelines.connect.records import TargetState

A = {"connector.class": "x"}
STARTED = Need(A, TargetState.STARTED)
PAUSED = Need(A, TargetState.PAUSED)
STOPPED = Need(A, TargetState.STOPPED)


def running(jobs: Jobs, name: str = "a", need: Need = STARTED, tasks: int = 2, now_ms: int = 0) -> int:
    jobs.want({name: need}, now_ms)
    generation = jobs.jobs[name].generation
    assert jobs.running(name, generation, tasks, now_ms) == [
        Report(name, generation, State.RUNNING, tasks, State.RUNNING)
    ]
    return generation


def commands(effects: list[Effect]) -> list[Effect]:
    return [effect for effect in effects if not isinstance(effect, Report)]


def states(effects: list[Effect]) -> list[State]:
    return [effect.state for effect in effects if isinstance(effect, Report)]


def test_a_new_connector_is_started_once() -> None:
    jobs = Jobs(generation=7)
    assert jobs.want({"a": STARTED}, 0) == [
        Report("a", 8, State.UNASSIGNED, None, State.UNASSIGNED),
        Start("a", 8, SHARED),
    ]
    assert jobs.want({"a": STARTED}, 1) == []


def test_a_connector_is_there_before_its_tasks_are() -> None:
    jobs = Jobs()
    jobs.want({"a": STARTED}, 0)
    assert jobs.prepared("a", 1, 2) == [Report("a", 1, State.RUNNING, 2, State.UNASSIGNED)]
    assert jobs.prepared("a", 0, 2) == []
    assert jobs.running("a", 1, 2, 5) == [Report("a", 1, State.RUNNING, 2, State.RUNNING)]
    assert jobs.prepared("a", 1, 2) == []
    fails = Jobs()
    fails.want({"a": STARTED}, 0)
    fails.prepared("a", 1, 2)
    assert fails.failed("a", 1, "No.", None, 5) == [Report("a", 1, State.FAILED, 2, State.UNASSIGNED, "No.")]


def test_another_config_stops_and_starts_again() -> None:
    jobs = Jobs()
    running(jobs)
    other = Need({**A, "k": "v"}, TargetState.STARTED)
    assert jobs.want({"a": other}, 1) == [Stop("a", 1, SHARED)]
    assert jobs.want({"a": other}, 2) == []
    assert commands(jobs.stopped("a", 1, 3)) == [Start("a", 2, SHARED)]


def test_pause_stop_and_resume() -> None:
    jobs = Jobs()
    running(jobs)
    assert jobs.want({"a": PAUSED}, 1) == [Stop("a", 1, SHARED)]
    assert jobs.stopped("a", 1, 2) == [Report("a", 1, State.PAUSED, 2, State.PAUSED)]
    assert jobs.want({"a": PAUSED}, 3) == []
    assert jobs.want({"a": STOPPED}, 4) == [Report("a", 1, State.STOPPED, 0, State.STOPPED)]
    assert commands(jobs.want({"a": STARTED}, 5)) == [Start("a", 2, SHARED)]


def test_events_of_an_earlier_generation_do_not_count() -> None:
    jobs = Jobs()
    running(jobs)
    jobs.restart("a", 1)
    jobs.stopped("a", 1, 2)
    assert jobs.failed("a", 1, "late", None, 3) == []
    assert jobs.running("a", 1, 2, 3) == []
    assert jobs.stopped("a", 1, 3) == []
    assert jobs.jobs["a"].phase is Phase.STARTING


def test_a_deleted_connector_is_stopped_and_forgotten() -> None:
    jobs = Jobs()
    running(jobs)
    assert jobs.want({}, 1) == [Stop("a", 1, SHARED)]
    assert jobs.stopped("a", 1, 2) == [Forget("a")]
    assert jobs.jobs == {}
    jobs.want({"b": PAUSED}, 3)
    assert jobs.want({}, 4) == [Forget("b")]


def test_a_failure_stays_until_somebody_restarts_it_or_changes_the_config() -> None:
    jobs = Jobs()
    jobs.want({"a": STARTED}, 0)
    assert jobs.failed("a", 1, "wrong", None, 1) == [Report("a", 1, State.FAILED, None, State.UNASSIGNED, "wrong")]
    assert jobs.want({"a": STARTED}, 2) == []
    assert jobs.expire(10**9) == []
    assert states(jobs.restart("a", 3)) == [State.RESTARTING]
    jobs.failed("a", 2, "wrong", None, 4)
    assert commands(jobs.want({"a": Need({**A, "k": "v"}, TargetState.STARTED)}, 5)) == [Start("a", 3, SHARED)]


def test_a_failed_task_leaves_the_connector_running() -> None:
    jobs = Jobs()
    running(jobs)
    told = Report("a", 1, State.RUNNING, 2, State.UNASSIGNED, "poison", 1)
    assert jobs.failed("a", 1, "poison", 1, 1) == [told]


def test_a_runner_that_ends_takes_its_own_jobs_along_only() -> None:
    jobs = Jobs()
    own = Need(A, TargetState.STARTED, "b")
    jobs.want({"a": STARTED, "b": own}, 0)
    jobs.running("a", 1, 1, 0)
    jobs.running("b", 2, 1, 0)
    assert states(jobs.runner_ended("b", "gone", 1)) == [State.RESTARTING]
    assert jobs.jobs["a"].phase is Phase.RUNNING
    assert jobs.next_due_ms() == 1 + FIRST_PAUSE_MS
    assert jobs.expire(FIRST_PAUSE_MS) == []
    assert commands(jobs.expire(1 + FIRST_PAUSE_MS)) == [Start("b", 3, "b")]


def test_too_many_ends_in_a_row_are_a_failure() -> None:
    jobs = Jobs()
    now_ms = 0
    jobs.want({"a": STARTED}, now_ms)
    for _ in range(TRIES_MAX - 1):
        assert states(jobs.runner_ended(SHARED, "gone", now_ms)) == [State.RESTARTING]
        due = jobs.next_due_ms()
        assert due is not None
        assert due > now_ms
        now_ms = due
        jobs.expire(now_ms)
        jobs.running("a", jobs.jobs["a"].generation, 1, now_ms)
    assert jobs.runner_ended(SHARED, "gone", now_ms)[0] == Report("a", TRIES_MAX, State.FAILED, 1, State.FAILED, "gone")
    assert jobs.next_due_ms() is None


def test_a_start_that_kafka_held_up_is_tried_again() -> None:
    jobs = Jobs()
    now_ms = 0
    jobs.want({"a": STARTED}, now_ms)
    for tried in range(1, TRIES_MAX):
        assert states(jobs.delayed("a", tried, "no answer", now_ms)) == [State.RESTARTING]
        now_ms = jobs.next_due_ms() or 0
        assert commands(jobs.expire(now_ms)) == [Start("a", tried + 1, SHARED)]
    assert states(jobs.delayed("a", TRIES_MAX, "no answer", now_ms)) == [State.FAILED]
    assert jobs.delayed("a", TRIES_MAX, "no answer", now_ms) == []


def test_a_start_that_was_held_up_may_be_stopped() -> None:
    jobs = Jobs()
    jobs.want({"a": STARTED}, 0)
    assert jobs.want({"a": STOPPED}, 0) == [Stop("a", 1, SHARED)]
    assert states(jobs.delayed("a", 1, "no answer", 0)) == [State.STOPPED]


def test_one_that_ran_long_counts_anew() -> None:
    jobs = Jobs()
    running(jobs)
    jobs.jobs["a"].tries = TRIES_MAX - 1
    assert states(jobs.runner_ended(SHARED, "gone", LIVED_MS)) == [State.RESTARTING]
    assert jobs.jobs["a"].tries == 1


def test_a_runner_that_does_not_stop_is_killed() -> None:
    jobs = Jobs()
    running(jobs)
    jobs.want({"a": STOPPED}, 5)
    assert jobs.expire(5 + STOP_TIMEOUT_MS - 1) == []
    assert jobs.expire(5 + STOP_TIMEOUT_MS) == [Kill(SHARED)]
    assert states(jobs.runner_ended(SHARED, "killed", 6 + STOP_TIMEOUT_MS)) == [State.STOPPED]


def test_a_connector_moves_to_a_session_of_its_own() -> None:
    jobs = Jobs()
    running(jobs)
    assert jobs.want({"a": Need(A, TargetState.STARTED, "a")}, 1) == [Stop("a", 1, SHARED)]
    assert [job.name for job in jobs.on_runner(SHARED)] == ["a"]
    assert commands(jobs.stopped("a", 1, 2)) == [Start("a", 2, "a")]
    assert jobs.on_runner(SHARED) == []


def test_a_pause_while_waiting_needs_no_runner() -> None:
    jobs = Jobs()
    running(jobs)
    jobs.runner_ended(SHARED, "gone", 1)
    assert states(jobs.want({"a": PAUSED}, 2)) == [State.PAUSED]
    assert jobs.expire(10**9) == []


def test_a_query_that_ends_by_itself_is_a_failure() -> None:
    jobs = Jobs()
    running(jobs)
    assert states(jobs.stopped("a", 1, 1)) == [State.FAILED]


def test_a_worker_that_leaves_says_what_it_leaves() -> None:
    jobs = Jobs()
    running(jobs)
    jobs.want({"a": STARTED, "b": PAUSED}, 1)
    assert jobs.leave() == [Report("a", 1, State.UNASSIGNED, 2, State.UNASSIGNED)]


def test_restart_of_what_is_not_to_run_does_nothing() -> None:
    jobs = Jobs()
    jobs.want({"a": PAUSED}, 0)
    assert jobs.restart("a", 1) == []
    assert jobs.restart("none", 1) == []
