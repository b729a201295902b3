"""Guides as programs: the ```bash blocks of a page, run in order in one shell, with a home and ports of their own.

A ```python block whose first line is a comment with a file's name is that file, and is there before the shell starts.
Other ```python blocks are for an interpreter: `python_blocks`, which the guides of Spark are run by.

Pages write the default ports. Their commands get others: 9092 becomes the first of a run of free ports, 9093 the next,
and so on, so that what belongs together in a page still does; the services' ports come after those. A page that never
names a service's port gets brokers alone.
"""

from __future__ import annotations

import os
import re
import signal
import stat
import subprocess
import sys
import tomllib
from contextlib import suppress
from pathlib import Path

from support.guide_output import mark, missing_output
from support.ports import free_port_run

ROOT = Path(__file__).parents[2]
FIRST_PORT = 9092
PORTS = 20
SERVICE_PORTS = (8081, 8082, 8083, 8084, 8088, 9021)
# Guides that start Spark: run where its tests are.
SPARK_GUIDES = ("connect", "exactly-once", "ksql", "spark", "spark-clusters")
# Sections that start Spark in guides that do not otherwise: left out where it is not.
SPARK_SECTIONS = {"tour": "A connector"}
_BLOCK = re.compile(r"^```bash\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PROGRAM = re.compile(r"^```python\n# (\w+\.py)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PORT = re.compile(r"(?<![\d.])(?:9(?:021|09\d|10\d|11[01])|808[12348])(?![\d.])")


def bash_blocks(text: str) -> list[tuple[int, str]]:
    """(line of its first command, commands) of each block."""
    return [(text.count("\n", 0, found.start()) + 2, found[1]) for found in _BLOCK.finditer(text)]


def programs(text: str) -> dict[str, str]:
    """The programs of a page by their file names."""
    return {found[1]: found[2] for found in _PROGRAM.finditer(text)}


def python_blocks(text: str) -> list[tuple[int, str]]:
    """(line of its first statement, statements) of each block that is no program of its own."""
    named = set(programs(text).values())
    found = [(text.count("\n", 0, each.start()) + 2, each[1]) for each in _PYTHON.finditer(text)]
    return [(line, block) for line, block in found if block.partition("\n")[2] not in named]


def without_section(text: str, heading: str) -> str:
    """Its lines are blank, so that those after it keep their numbers."""
    section = re.compile(rf"^## {re.escape(heading)}\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
    assert section.search(text), heading
    return section.sub(lambda found: "\n" * found[0].count("\n"), text)


def with_ports(commands: str, first_port: int) -> str:
    """The default ports and those after them, moved to where there is room; 9090 and 9091 are for arithmetic."""

    def moved(found: re.Match[str]) -> str:
        port = int(found[0])
        place = PORTS + SERVICE_PORTS.index(port) if port in SERVICE_PORTS else port - FIRST_PORT
        return str(first_port + place)

    return _PORT.sub(moved, commands)


def names_services(text: str) -> bool:
    return any(str(port) in text for port in SERVICE_PORTS)


def make_commands(directory: Path) -> None:
    """The package's console scripts, as an installation would put them on the path."""
    directory.mkdir()
    # Not a link: a virtual environment is known by where its interpreter is called.
    python = directory / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(python.stat().st_mode | stat.S_IXUSR)
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    for name, target in scripts.items():
        module, _, function = target.partition(":")
        path = directory / name
        path.write_text(f"#!{sys.executable}\nfrom {module} import {function}\n{function}()\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)


class GuideShell:
    """Where a guide is run: nothing of this machine is seen or touched, and nothing is left running."""

    def __init__(self, home: Path) -> None:
        make_commands(home / "bin")
        (home / "tmp").mkdir()
        self.home = home
        self.first_port = free_port_run(PORTS + len(SERVICE_PORTS))
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("KAFKA_", "RIACHO_", "XDG_"))}
        self.environment = kept | {
            "HOME": str(home),
            "TMPDIR": str(home / "tmp"),
            "PATH": f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT / "src"),
            "RIACHO_PORT": str(self.first_port),
            "RIACHO_SCHEMA_REGISTRY_PORT": with_ports("8081", self.first_port),
            "RIACHO_REST_PROXY_PORT": with_ports("8082", self.first_port),
            "RIACHO_CONNECT_PORT": with_ports("8083", self.first_port),
            "RIACHO_KSQLDB_SERVER_PORT": with_ports("8088", self.first_port),
            "RIACHO_CONTROL_CENTER_PORT": with_ports("9021", self.first_port),
            "NO_COLOR": "1",
            # Spark, where a guide starts it: a JVM that is soon gone need not optimise, nor write down its classes.
            "JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "RIACHO_CLASS_ARCHIVE": "use",
        }

    def run(self, guide: Path, before: str = "", timeout_s: float = 170, *, left_out: str = "") -> tuple[int, str, str]:
        """(exit code, output, errors) of all blocks, each announced on both. Output that is not as said is an error."""
        text = without_section(guide.read_text(), left_out) if left_out else guide.read_text()
        services = "" if names_services(text) else "export RIACHO_ONLY=broker"
        script = ["set -euo pipefail", services, before]
        for name, program in programs(text).items():
            (self.home / name).write_text(with_ports(program, self.first_port))
        for line, commands in bash_blocks(text):
            announced = mark(guide.name, line)
            script += [f"echo '{announced}'; echo '{announced}' >&2", with_ports(commands, self.first_port)]
        with (
            (self.home / "out").open("w+") as out,
            (self.home / "err").open("w+") as err,
            subprocess.Popen(
                ["bash", "-c", "\n".join(script)],
                cwd=self.home,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            ) as shell,
        ):
            try:
                code = shell.wait(timeout_s)
            except subprocess.TimeoutExpired:
                code = -1
            finally:
                self._clean(shell)
        out, err = (self.home / "out").read_text(), (self.home / "err").read_text()
        missing = missing_output(guide.name, with_ports(text, self.first_port), out) if code == 0 else []
        return (1 if missing else code), out, "\n".join([err, *(f"not printed: {each}" for each in missing)])

    def _clean(self, shell: subprocess.Popen[bytes]) -> None:
        # The shell's own session: what it started in the background and did not wait for.
        with suppress(ProcessLookupError):
            os.killpg(shell.pid, signal.SIGKILL)
        shell.wait()
        for data in ((), ("--data-dir", str(self.home / "data"))):
            subprocess.run(
                ["riacho", "down", *data], env=self.environment, capture_output=True, timeout=60, check=False
            )
