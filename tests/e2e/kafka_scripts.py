"""Kafka's tools as programs on a PATH, whether or not the package is installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from riacho.cli.kafka import retired
from riacho.cli.kafka.flags.tools import TOOLS, module_of
from riacho.cli.kafka.retired import RETIRED

SOURCES = Path(__file__).parents[2] / "src"
_SCRIPT = """#!{python}
import sys

sys.path.insert(0, {sources!r})
from {module} import main

main()
"""


def write_scripts(directory: Path) -> Path:
    """Every tool under its name with and without `.sh`."""
    directory.mkdir(parents=True, exist_ok=True)
    modules = {tool: module_of(tool) for tool in TOOLS} | dict.fromkeys(RETIRED, retired.__name__)
    for tool, module in modules.items():
        for name in (tool, f"{tool}.sh"):
            path = directory / name
            path.write_text(_SCRIPT.format(python=sys.executable, sources=str(SOURCES), module=module))
            path.chmod(0o755)
    return directory


def script_environment(scripts: Path, bootstrap: str | None = None) -> dict[str, str]:
    environment = {key: value for key, value in os.environ.items() if key != "KAFKA_BOOTSTRAP_SERVERS"}
    environment["PATH"] = f"{scripts}{os.pathsep}{environment.get('PATH', '')}"
    environment["PYTHONPATH"] = str(SOURCES)
    if bootstrap is not None:
        environment["KAFKA_BOOTSTRAP_SERVERS"] = bootstrap
    return environment


def run_script(
    scripts: Path, words: list[str], *, bootstrap: str | None = None, text: str | None = None, timeout: float = 60
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words,
        input=text,
        stdin=subprocess.DEVNULL if text is None else None,
        capture_output=True,
        text=True,
        timeout=timeout,
        env=script_environment(scripts, bootstrap),
        check=False,
    )
