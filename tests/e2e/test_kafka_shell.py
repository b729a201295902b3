"""The PyPI package kafka-shell, with the configuration it ships, on top of our tools.

Installed as the notes say, into an environment of its own, with RIACHO_PROOFS=1; else as the lock has it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

from e2e.kafka_scripts import script_environment, write_scripts
from e2e.own_loopback import LocalBroker, broker_on_9092
from e2e.terminal import Terminal

pytestmark = pytest.mark.timeout(180)
_PROMPT = "> "
_CONTROL_D = "\x04"


def pip_installed(tmp_path: Path) -> Path:
    if not os.environ.get("RIACHO_PROOFS"):
        pytest.skip("asks the package index; RIACHO_PROOFS=1 does")
    venv.create(tmp_path / "venv", with_pip=True)
    environment = os.environ | {"PATH": f"{tmp_path / 'venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    environment.pop("PYTHONPATH", None)
    done = subprocess.run(
        ["bash", "-c", "pip3 install kafka-shell"],
        env=environment, capture_output=True, text=True, timeout=150, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return tmp_path / "venv" / "bin" / "kafka-shell"


@pytest.fixture(params=["as locked", "by pip3"])
def shell(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param == "by pip3":
        return pip_installed(tmp_path)
    beside = Path(sys.executable).parent / "kafka-shell"
    found = str(beside) if beside.exists() else shutil.which("kafka-shell")
    if found is None:
        pytest.skip("kafka-shell is not installed")
    return Path(found)


@pytest.fixture
def broker() -> Iterator[LocalBroker]:
    with broker_on_9092() as running:
        yield running


def test_create_list_and_produce(shell: Path, broker: LocalBroker, tmp_path: Path) -> None:
    environment = script_environment(write_scripts(tmp_path / "bin"))
    environment |= {"HOME": str(tmp_path), "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"}
    with Terminal([*broker.prefix, str(shell)], environment) as terminal:
        terminal.wait_for(_PROMPT)
        terminal.write("kafka-topics --create --topic from-the-shell --partitions 1 --replication-factor 1\r")
        told = terminal.wait_for(r"Created topic from-the-shell\.\r\n")
        assert "--zookeeper is ignored" in told

        terminal.write("kafka-topics --list\r")
        terminal.wait_for(r"\nfrom-the-shell\r\n")

        terminal.write("kafka-console-producer --topic from-the-shell\r")
        # The producer's own prompt, not one that the shell draws: it comes right after the notice.
        terminal.wait_for(r"--broker-list is an old name of --bootstrap-server\.\r\n>")
        terminal.write("typed by hand\r")
        terminal.wait_for(r"typed by hand\r\n>")
        terminal.write(_CONTROL_D)
        terminal.wait_for(_PROMPT)

        terminal.write("exit\r")
        assert terminal.wait_for_exit() == 0

    consume = ["kafka-console-consumer", "--topic", "from-the-shell", "--from-beginning", "--max-messages", "1"]
    done = subprocess.run(
        [*broker.prefix, *consume, "--timeout-ms", "20000"],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment,
        check=False,
    )
    assert done.stdout == "typed by hand\n", done.stderr
