"""Decisions about transactions whose records were never written: nothing stored changes, and all of them end."""

from __future__ import annotations

import pytest

from support.abandoning_transactions import AbandoningTransactions

SEEDS = 100


@pytest.mark.parametrize("seed", range(SEEDS))
def test_transactions_end_though_every_second_decision_is_abandoned(seed: int) -> None:
    transactions = AbandoningTransactions(seed)
    transactions.run()
    assert transactions.world.abandoned > 0
