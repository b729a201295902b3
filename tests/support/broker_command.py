"""The `riacho broker` command as an operator runs it: any arguments, any environment, its two streams kept apart."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from support.riacho_process import SOURCE, answers_api_versions

EXIT_TIMEOUT_S = 20.0
POLL_INTERVAL_S = 0.02


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment without settings of a broker that happen to be in it, and without metrics: another
    broker on this machine may have their port."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("KAFKA_")}
    return plain | {"PYTHONPATH": str(SOURCE), "KAFKA_RIACHO_METRICS_PORT": "-1"} | dict(extra or {})


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "riacho", "broker", *arguments]


def write_properties(path: Path, properties: Mapping[str, str]) -> Path:
    path.write_text("".join(f"{name}={value}\n" for name, value in properties.items()))
    return path


def run_to_its_end(
    *arguments: str, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """For commands that are to fail: what they said and how they ended."""
    return subprocess.run(
        command(*arguments), capture_output=True, text=True, timeout=EXIT_TIMEOUT_S, env=environment(env), cwd=cwd
    )


def assert_told_in_one_sentence(done: subprocess.CompletedProcess[str], *words: str) -> None:
    """Exit code 1, one line on standard error that has these words, no traceback, nothing on standard output."""
    said = done.stderr.strip()
    assert done.returncode == 1, (done.returncode, said)
    assert "Traceback" not in said, said
    assert len(said.splitlines()) == 1, said
    for word in words:
        assert word in said, said
    assert done.stdout == ""


class BrokerCommand:
    """A running broker with standard output and standard error in files of their own."""

    def __init__(self, directory: Path, *arguments: str, env: Mapping[str, str] | None = None) -> None:
        self.out_path, self.err_path = directory / "stdout", directory / "stderr"
        with self.out_path.open("ab") as out, self.err_path.open("ab") as err:
            self.process = subprocess.Popen(
                command(*arguments), stdout=out, stderr=err, env=environment(env), cwd=directory
            )

    def __enter__(self) -> BrokerCommand:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def wait_for(self, port: int, timeout_s: float = EXIT_TIMEOUT_S) -> None:
        deadline = time.monotonic() + timeout_s
        while not answers_api_versions(port):
            assert self.process.poll() is None, f"the broker ended: {self.stderr}"
            assert time.monotonic() < deadline, f"no answer within {timeout_s} s: {self.stderr}"
            time.sleep(POLL_INTERVAL_S)

    def stop(self) -> int:
        self.process.terminate()
        return self.process.wait(EXIT_TIMEOUT_S)

    @property
    def stdout(self) -> str:
        return self.out_path.read_text()

    @property
    def stderr(self) -> str:
        return self.err_path.read_text()
