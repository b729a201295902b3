"""KafkaJS, installed from npm at test time: its producer, consumer, codecs and admin client. Checks: node/checks.js."""

from __future__ import annotations

import uuid

import pytest

from conformance import checks_program
from conformance.kafkajs_program import SCRIPTS, program
from conformance.running_broker import RunningBroker

CHECKS = checks_program.names(SCRIPTS / "checks.js", r"^  (\w+): (?:async )?\(\) =>")


@pytest.fixture(scope="module")
def outcome(broker: RunningBroker) -> dict[str, str]:
    return checks_program.run(program("checks.js", broker.bootstrap, f"js-{uuid.uuid4().hex[:8]}"), timeout_s=110)


@pytest.mark.parametrize("check", CHECKS)
def test_kafkajs(outcome: dict[str, str], check: str) -> None:
    checks_program.verdict(outcome, check)
