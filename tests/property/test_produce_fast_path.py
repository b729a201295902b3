"""Whatever producers send and whatever changes in between: a broker with fast paths answers, stores and counts to the
byte what one without them does. Whether this would be noticed: `test_finds_produce_bugs.py`."""

from __future__ import annotations

import pytest

from support.produce_cases import Case, cases
from support.produce_conversations import TwoBrokers, settings_for

CASES = dict(cases())


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_both_ways_do_the_same_in_each_case(case: Case) -> None:
    case()


TwoBrokers.TestCase.settings = settings_for(examples=150)
test_both_ways_do_the_same = TwoBrokers.TestCase
