"""A real service process: `python -m riacho schema-registry` or `rest-proxy` with settings of its own, on its own port.

The port belongs to the object, not to one run of it, so a service that was stopped or killed comes back at the same
address. Ready means that it says it is well.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from riacho.cli.supervisor.readiness import is_healthy
from riacho.cli.supervisor.services import SERVICES
from support.ports import free_port

HOST = "127.0.0.1"
SOURCE = Path(__file__).parents[2] / "src"
START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 30.0
_POLL_S = 0.02


class ServiceProcess:
    def __init__(self, name: str, bootstrap: str, directory: Path, properties: Mapping[str, str] | None = None) -> None:
        self.name = name
        self.port = free_port()
        self.url = f"http://{HOST}:{self.port}"
        own = {SERVICES[name].bootstrap_key: bootstrap, "listeners": self.url}
        self.properties = own | dict(properties or {})
        directory.mkdir(parents=True, exist_ok=True)
        self._file = directory / f"{name}-{self.port}.properties"
        self._output = directory / f"{name}-{self.port}.out"
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    @property
    def pid(self) -> int:
        assert self.process is not None, f"{self.name} is not running"
        return self.process.pid

    def start(self) -> ServiceProcess:
        self.spawn()
        self.wait_until_ready()
        return self

    def spawn(self) -> None:
        assert not self.is_running, f"{self.name} is already running"
        self._file.write_text("".join(f"{key}={value}\n" for key, value in self.properties.items()))
        left_out = tuple(service.variables for service in SERVICES.values())
        kept = {key: value for key, value in os.environ.items() if not key.startswith(left_out)}
        with self._output.open("ab") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "riacho", self.name, str(self._file)],
                stdout=output,
                stderr=subprocess.STDOUT,
                env=kept | {"PYTHONPATH": str(SOURCE)},
            )

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_TIMEOUT_S
        while not is_healthy(HOST, self.port):
            if not self.is_running:
                raise RuntimeError(f"{self.name} ended while starting:\n{self.output()}")
            if time.monotonic() > deadline:
                self.kill()
                raise TimeoutError(f"{self.name} was not well within {START_TIMEOUT_S:g} s:\n{self.output()}")
            time.sleep(_POLL_S)

    def stop(self) -> int:
        """SIGTERM, the clean way; returns the exit code. Killed after the timeout, which is an error."""
        assert self.process is not None, f"{self.name} was never started"
        if self.is_running:
            self.process.terminate()
        try:
            return self.process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    def kill(self) -> None:
        """kill -9: no goodbye."""
        assert self.process is not None, f"{self.name} was never started"
        if self.is_running:
            self.process.kill()
        self.process.wait()

    def pause(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def output(self) -> str:
        return self._output.read_text(errors="replace") if self._output.exists() else ""

    def resident_bytes(self) -> int:
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def running_service(
    name: str, bootstrap: str, directory: Path, properties: Mapping[str, str] | None = None
) -> Iterator[ServiceProcess]:
    service = ServiceProcess(name, bootstrap, directory, properties)
    try:
        yield service.start()
    finally:
        if service.process is not None and service.is_running:
            service.resume()
            service.stop()
