"""The README as a user follows it: its ```bash and ```python blocks, in order, with the release's own environment.

`riacho up` stays in the foreground of another terminal until the next one: so it is started beside, waited for, and
ended by Ctrl-C. Every other command runs to its end, in one empty directory. Ports and /tmp are moved out of the way.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

from support.guides import FIRST_PORT, PORTS, SERVICE_PORTS, with_ports
from support.ports import free_port_run

_BLOCK = re.compile(r"^```(bash|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_UP = re.compile(r"^riacho up\b[^#\n]*", re.MULTILINE)
_UP_TIMEOUT_S = 60.0
_BLOCK_TIMEOUT_S = 240.0
# A JVM that is soon gone need not optimise.
QUICK_JAVA = {"JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}


class Block(NamedTuple):
    language: str
    text: str

    @property
    def is_install(self) -> bool:
        return self.text.startswith("pip install")

    @property
    def last_command(self) -> str:
        return self.text.rstrip().splitlines()[-1]

    @property
    def is_tests(self) -> bool:
        return "\ndef test_" in self.text

    @property
    def bare(self) -> str:
        """Without its remarks, and without what they are aligned with."""
        lines = (re.sub(r"\s*#.*", "", line).rstrip() for line in self.text.splitlines())
        return "\n".join(lines)


def blocks(path: Path) -> list[Block]:
    return [Block(found[1], found[2]) for found in _BLOCK.finditer(path.read_text())]


def extras(block: Block) -> str:
    """Those of its `pip install '.[services,spark]'`."""
    found = re.search(r"pip install '\.\[([a-z,]+)\]'", block.text)
    assert found is not None, block.text
    return found[1]


class Installed(Protocol):
    """Where the commands are, and a pytest beside them."""

    @property
    def bin(self) -> Path: ...

    @property
    def pytest(self) -> Path: ...


class Reader:
    """Somebody who has just installed it, in a home that is a temporary directory."""

    def __init__(self, environment: Installed, home: Path, variables: Mapping[str, str] = QUICK_JAVA) -> None:
        self._release = environment
        self.directory = home / "empty"
        self.tmp = home / "tmp"
        for each in (self.directory, self.tmp):
            each.mkdir()
        self.first_port = free_port_run(PORTS + len(SERVICE_PORTS))
        self._up: subprocess.Popen[bytes] | None = None
        kept = {name: os.environ[name] for name in ("LANG", "JAVA_HOME") if name in os.environ}
        self._variables = kept | {
            "HOME": str(home),
            "TMPDIR": str(self.tmp),
            "PATH": os.pathsep.join([str(environment.bin), "/usr/local/bin", "/usr/bin", "/bin"]),
            "NO_COLOR": "1",
            "RIACHO_PORT": self.ports(str(FIRST_PORT)),
            "RIACHO_SCHEMA_REGISTRY_PORT": self.ports("8081"),
            "RIACHO_REST_PROXY_PORT": self.ports("8082"),
            "RIACHO_CONNECT_PORT": self.ports("8083"),
            "RIACHO_KSQLDB_SERVER_PORT": self.ports("8088"),
            "RIACHO_CONTROL_CENTER_PORT": self.ports("9021"),
            **variables,
        }

    def ports(self, text: str) -> str:
        return with_ports(text, self.first_port)

    def run(self, block: Block) -> str:
        """What a block prints. It has to succeed."""
        text = self.ports(block.text.replace("/tmp/", f"{self.tmp}/"))
        if block.is_install:
            text = text.partition("\n")[2]
        if block.language == "python":
            return self._python(text, block.is_tests)
        started = _UP.search(text)
        if started is not None:
            self._start(started[0])
            text = _UP.sub("", text)
        return self._finish(["bash", "-euo", "pipefail", "-c", text])

    def close(self) -> None:
        """Ctrl-C in the terminal of `riacho up`."""
        if self._up is not None:
            self._up.send_signal(signal.SIGINT)
            self._up.wait(_UP_TIMEOUT_S)
            self._up = None

    def _start(self, command: str) -> None:
        self.close()
        told = self.tmp / "up.txt"
        with told.open("wb") as out:
            words = ["bash", "-c", f"exec {command}"]
            self._up = subprocess.Popen(
                words, cwd=self.directory, env=self._variables, stdin=subprocess.DEVNULL, stdout=out, stderr=out
            )
        deadline = time.monotonic() + _UP_TIMEOUT_S
        while b"Stop it with Ctrl-C" not in told.read_bytes():
            assert self._up.poll() is None, told.read_text()
            assert time.monotonic() < deadline, told.read_text()
            time.sleep(0.1)
        assert b"Only the brokers" not in told.read_bytes()

    def _python(self, text: str, is_tests: bool) -> str:
        file = self.directory / ("test_readme.py" if is_tests else "shop.py")
        file.write_text(text)
        if not is_tests:
            return self._finish(["python", file.name])
        return self._finish(
            ["python", "-m", "pytest", "-q", "--strict-markers", file.name], PYTHONPATH=str(self._release.pytest)
        )

    def _finish(self, command: list[str], **variables: str) -> str:
        done = subprocess.run(
            command,
            cwd=self.directory,
            env=self._variables | variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_BLOCK_TIMEOUT_S,
            check=False,
        )
        assert done.returncode == 0, f"{command[-1]}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        return done.stdout
