"""A process that ends with whoever started it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

from riacho.cli.supervisor.parent_watch import ending_with_parent, watch

SOURCE = Path(__file__).parents[4] / "src"
TIMEOUT_S = 60.0


def test_the_end_of_the_other_side_is_told_first_politely() -> None:
    reader, writer = os.pipe()
    told: list[int] = []
    watching = threading.Thread(target=watch, args=(reader, told.append, 0.0))
    watching.start()
    os.write(writer, b"of no interest")
    assert told == []
    os.close(writer)
    watching.join(TIMEOUT_S)
    os.close(reader)
    assert told == [signal.SIGTERM, signal.SIGKILL]


def test_a_module_runs_as_by_itself_until_the_pipe_closes(tmp_path: Path) -> None:
    (tmp_path / "patient.py").write_text(
        "import signal, sys, threading\n"
        "over = threading.Event()\n"
        "signal.signal(signal.SIGTERM, lambda number, frame: over.set())\n"
        "print(__name__, sys.argv[1:], flush=True)\n"
        "while not over.wait(0.1): pass\n"
        "print('in good order', flush=True)\n"
        "sys.exit(7)\n"
    )
    process = subprocess.Popen(
        ending_with_parent("patient", "a", "b"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(SOURCE)},
    )
    assert process.stdout is not None
    assert process.stdin is not None
    assert process.stdout.readline() == "__main__ ['a', 'b']\n"
    process.stdin.close()
    assert process.stdout.read() == "in good order\n"
    assert process.wait(TIMEOUT_S) == 7
    assert ending_with_parent("m")[0] == sys.executable
