"""The Java client: our own program, compiled against Apache's kafka-clients at test time. Checks: java/*Checks.java."""

from __future__ import annotations

import uuid
from pathlib import Path

import pytest

from conformance import checks_program
from conformance.java_program import program
from conformance.running_broker import RunningBroker

SOURCES = Path(__file__).with_name("java")
CHECKS = [
    name
    for suite in ("ProducerChecks", "ConsumerChecks", "AdminChecks")
    for name in sorted(checks_program.names(SOURCES / f"{suite}.java", r"public void (check\w+)\("))
]


@pytest.fixture(scope="module")
def outcome(broker: RunningBroker) -> dict[str, str]:
    return checks_program.run(program("Checks", broker.bootstrap, f"java-{uuid.uuid4().hex[:8]}"), timeout_s=110)


@pytest.mark.parametrize("check", CHECKS)
def test_java_client(outcome: dict[str, str], check: str) -> None:
    checks_program.verdict(outcome, check)
