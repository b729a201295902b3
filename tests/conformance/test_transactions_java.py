"""The Java client's transactional producer (transaction version 2). Checks: java/TransactionChecks.java."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from conformance import checks_program
from conformance.java_program import program
from conformance.running_broker import RunningBroker

SOURCE = Path(__file__).with_name("java") / "TransactionChecks.java"
CHECKS = sorted(checks_program.names(SOURCE, r"public void (check\w+)\("))


@pytest.fixture(scope="module")
def outcome(broker: RunningBroker) -> dict[str, str]:
    prefix = f"java-txn-{uuid.uuid4().hex[:8]}"
    return checks_program.run(program("TransactionChecks", broker.bootstrap, prefix), timeout_s=110)


@pytest.mark.parametrize("check", CHECKS)
def test_java_transactions(outcome: dict[str, str], check: str) -> None:
    checks_program.verdict(outcome, check)
