"""Would `test_produce_fast_path.py` notice? Mistakes are put into the fast path of produce on purpose, and some case
must find each. `make proofs` looks also whether chance alone finds them."""

from __future__ import annotations

import os
from unittest import mock

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from support.planted_produce_bugs import PLANTED, PlantedBug
from support.produce_cases import Case, cases
from support.produce_conversations import DifferenceError, TwoBrokers, settings_for

each_bug = pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.bug.__name__)


@each_bug
def test_a_planted_bug_is_found(planted: PlantedBug) -> None:
    with mock.patch.object(planted.where, planted.name, planted.bug):
        assert any(_is_noticed(case) for _, case in cases()), planted.bug.__doc__


@pytest.mark.skipif(
    not os.environ.get("RIACHO_PROOFS"), reason="takes minutes: make proofs, or RIACHO_PROOFS=1, runs it"
)
@each_bug
def test_chance_finds_a_planted_bug(planted: PlantedBug) -> None:
    # What is found need not be made small.
    found = settings(settings_for(examples=1_000), phases=[Phase.generate], report_multiple_bugs=False)
    with mock.patch.object(planted.where, planted.name, planted.bug):
        assert _is_noticed(lambda: run_state_machine_as_test(TwoBrokers, settings=found)), planted.bug.__doc__


def _is_noticed(play: Case) -> bool:
    try:
        play()
    except DifferenceError:
        return True
    return False
