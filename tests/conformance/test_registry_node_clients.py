"""Two clients in JavaScript, installed from npm at test time. Their checks: node_registry/*_checks.js."""

from __future__ import annotations

import base64
import uuid
from pathlib import Path

import pytest

from conformance import checks_program, node_packages
from conformance.registry_messages import Order, Place
from conformance.running_broker import RunningBroker
from support.service_process import ServiceProcess

SCRIPTS = Path(__file__).with_name("node_registry")
PATTERN = r"^  (\w+): async \(\) =>"
RUN_S = 110.0
# Time for npm's registry comes on top of the time for the checks.
pytestmark = pytest.mark.timeout(node_packages.INSTALL_S + RUN_S + 60)


def outcome_of(script: str, broker: RunningBroker, registry: ServiceProcess, *more: str) -> dict[str, str]:
    arguments = (broker.bootstrap, registry.url, f"js-{uuid.uuid4().hex[:8]}", *more)
    return checks_program.run(node_packages.program(SCRIPTS, "registry-clients", script, *arguments), timeout_s=RUN_S)


@pytest.fixture(scope="module")
def kafkajs_outcome(broker: RunningBroker, registry: ServiceProcess) -> dict[str, str]:
    return outcome_of("kafkajs_checks.js", broker, registry)


@pytest.fixture(scope="module")
def confluent_outcome(broker: RunningBroker, registry: ServiceProcess) -> dict[str, str]:
    files = [kind.DESCRIPTOR.file.serialized_pb for kind in (Place, Order)]
    return outcome_of("confluent_checks.js", broker, registry, *(base64.b64encode(file).decode() for file in files))


@pytest.mark.parametrize("check", checks_program.names(SCRIPTS / "kafkajs_checks.js", PATTERN))
def test_kafkajs_schema_registry(kafkajs_outcome: dict[str, str], check: str):
    checks_program.verdict(kafkajs_outcome, check)


@pytest.mark.parametrize("check", checks_program.names(SCRIPTS / "confluent_checks.js", PATTERN))
def test_confluent_schema_registry(confluent_outcome: dict[str, str], check: str):
    checks_program.verdict(confluent_outcome, check)
