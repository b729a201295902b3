"""Tools that go on until they are stopped: the first lines of each, then SIGINT."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Sequence

from conformance.tool_cluster import ToolCluster
from e2e.kafka_scripts import script_environment
from support.child_process import child_process
from support.java import TOOLS, java_command


def first_lines(tools: ToolCluster, line: str, count: int) -> tuple[list[str], list[str]]:
    """(ours, theirs); the test's own timeout ends a tool that stays silent."""
    name, *words = line.split()
    ours = _lines([str(tools.scripts / name), *words], count, script_environment(tools.scripts))
    return ours, _lines(java_command(TOOLS[name], *words), count, None)


def _lines(argv: Sequence[str], count: int, environment: dict[str, str] | None) -> list[str]:
    with child_process(
        argv,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
        # Tests that were started in the background are deaf to SIGINT, and so would be what they start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as tool:
        assert tool.stdout is not None
        lines = [tool.stdout.readline().rstrip("\n") for _ in range(count)]
        tool.send_signal(signal.SIGINT)
        assert tool.wait(30) == 130
    return lines
