"""The steps to leadership, and where each misfortune leads."""

from __future__ import annotations

import random

import pytest

from riacho.single_writer.election import Election, Misfortune, Step

WAY = [Step.VERIFYING, Step.FENCING, Step.CLAIMING, Step.MARKING, Step.LEADING]


def at(step: Step) -> Election:
    election = Election()
    election.assigned()
    while election.step is not step:
        election.done(election.term, election.step)
    return election


def test_the_steps_in_their_order() -> None:
    election = Election()
    assert election.step is Step.FOLLOWING
    election.assigned()
    seen = [election.step]
    while election.step is not Step.LEADING:
        election.done(election.term, election.step)
        seen.append(election.step)
    assert seen == WAY
    assert election.term == 1


@pytest.mark.parametrize("step", WAY)
def test_whoever_is_released_follows_at_once(step: Step) -> None:
    election = at(step)
    term = election.term
    election.released()
    assert (election.step, election.term) == (Step.FOLLOWING, term + 1)
    assert not election.must_rejoin


@pytest.mark.parametrize("step", WAY)
def test_a_lost_generation_is_sought_anew(step: Step) -> None:
    election = at(step)
    election.failed(election.term, Misfortune.GENERATION_LOST)
    assert (election.step, election.must_rejoin) == (Step.FOLLOWING, True)
    election.assigned()
    assert (election.step, election.must_rejoin) == (Step.VERIFYING, False)


@pytest.mark.parametrize("step", WAY)
@pytest.mark.parametrize(
    "misfortune",
    [Misfortune.FENCED, Misfortune.OUTCOME_UNKNOWN, Misfortune.STALLED, Misfortune.LOG_LOST, Misfortune.REFUSED],
)
def test_whoever_is_in_doubt_asks_the_group_before_it_fences_anyone(step: Step, misfortune: Misfortune) -> None:
    election = at(step)
    term = election.term
    election.failed(term, misfortune)
    assert (election.step, election.term) == (Step.VERIFYING, term + 1)


def test_a_claim_without_answer_is_repeated() -> None:
    election = at(Step.CLAIMING)
    term = election.term
    election.failed(term, Misfortune.NO_ANSWER)
    assert (election.step, election.term) == (Step.CLAIMING, term)


def test_results_of_an_earlier_term_count_for_nothing() -> None:
    election = at(Step.FENCING)
    term = election.term
    election.released()
    election.assigned()
    election.done(election.term, Step.VERIFYING)
    assert election.step is Step.FENCING
    election.done(term, Step.FENCING)
    election.failed(term, Misfortune.GENERATION_LOST)
    assert election.step is Step.FENCING


def test_the_result_of_another_step_counts_for_nothing() -> None:
    election = at(Step.CLAIMING)
    election.done(election.term, Step.FENCING)
    assert election.step is Step.CLAIMING


def test_rests_grow_with_failures_and_end_with_success() -> None:
    election = at(Step.FENCING)
    rests = []
    for _ in range(8):
        election.failed(election.term, Misfortune.REFUSED)
        rests.append(election.rest_ms)
    assert rests == [50, 100, 200, 400, 800, 1_000, 1_000, 1_000]
    while election.step is not Step.LEADING:
        election.done(election.term, election.step)
    assert election.rest_ms == 0


def test_a_second_assignment_changes_nothing() -> None:
    """A cooperative group tells of what is added; what is held already goes on."""
    election = at(Step.LEADING)
    term = election.term
    election.assigned()
    assert (election.step, election.term) == (Step.LEADING, term)


def test_nothing_begins_after_the_stop() -> None:
    election = at(Step.LEADING)
    election.stopped()
    election.assigned()
    election.released()
    election.done(election.term, Step.MARKING)
    election.failed(election.term, Misfortune.FENCED)
    assert election.step is Step.STOPPED
    assert not election.is_assigned


@pytest.mark.parametrize("seed", range(20))
def test_nobody_leads_without_having_fenced_and_marked_in_the_same_term(seed: int) -> None:
    rng = random.Random(seed)
    election = Election()
    done: set[tuple[int, Step]] = set()
    for _ in range(500):
        term, step = election.term, election.step
        event = rng.choice(["assigned", "released", "done", "done", "done", "done", "failed", "late"])
        if event == "assigned":
            election.assigned()
        elif event == "released":
            election.released()
        elif event == "done":
            done.add((term, step))
            election.done(term, step)
        elif event == "failed":
            election.failed(term, rng.choice(list(Misfortune)))
        else:
            election.done(term - 1, rng.choice(WAY))
        if election.step is Step.LEADING:
            assert all((election.term, passed) in done for passed in WAY[:-1])
