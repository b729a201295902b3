"""A Spark session in a process of its own: `python -m bench.spark_session '<json>'`, and the bench's end of it.

One JSON object a line: jobs come in on stdin, figures go out on stdout; the session ends when stdin does. What Spark
itself prints goes to stderr, which is a file.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from bench import ROOT
from bench.peers import environment
from bench.process_tree import tree

START_TIMEOUT_S = 180
JOB_TIMEOUT_S = 400
_LAST_WORDS_CHARS = 2_000


class Session:
    def __init__(self, connector: str, cores: int, jars: list[Path], directory: Path) -> None:
        self.name = f"{connector}-local{cores}"
        self._format = "riacho" if not jars else "kafka"
        self._directory = directory / self.name
        self._directory.mkdir(parents=True)
        self._log = self._directory / "session.log"
        wanted = {"master": f"local[{cores}]", "jars": [str(jar) for jar in jars]}
        started = time.perf_counter()
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "bench.spark_session", json.dumps(wanted)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=ROOT,
                # The archive would make the start of the JVM faster and its end slower; neither is measured.
                env=environment() | {"RIACHO_CLASS_ARCHIVE": "off"},
            )
        try:
            self._read(START_TIMEOUT_S)
        except RuntimeError:
            self.stop()
            raise
        self.ready_s = time.perf_counter() - started

    @property
    def pid(self) -> int:
        return self._process.pid

    def run(self, kind: str, wanted: dict[str, Any]) -> dict[str, float]:
        assert self._process.stdin is not None
        if self._process.poll() is not None:
            raise RuntimeError(f"the Spark session {self.name} has ended before")
        job = {"kind": kind, "format": self._format, "directory": str(self._directory), **wanted}
        self._process.stdin.write(json.dumps(job).encode() + b"\n")
        self._process.stdin.flush()
        return self._read(JOB_TIMEOUT_S)

    def _read(self, timeout_s: float) -> dict[str, float]:
        assert self._process.stdout is not None
        if not select.select([self._process.stdout], [], [], timeout_s)[0]:
            self.stop(timeout_s=0)  # an answer that comes later would be taken for that of the next job
            raise RuntimeError(f"the Spark session {self.name} gave no answer within {timeout_s:.0f} s")
        line = self._process.stdout.readline()
        if not line:
            words = self._log.read_text(errors="replace")[-_LAST_WORDS_CHARS:]
            raise RuntimeError(f"the Spark session {self.name} ended; its last words:\n{words}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def stop(self, timeout_s: float = 60) -> None:
        assert self._process.stdin is not None
        started = [process.pid for process in tree(self.pid)]
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            for pid in started:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            self._process.wait()


def main() -> None:
    wanted = json.loads(sys.argv[1])
    # The JVM has our stdout, too; answers get one that it does not know.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.set_inheritable(answers.fileno(), False)
    os.dup2(2, 1)

    import riacho
    from bench.spark_jobs import JOBS

    settings = {"spark.log.level": "ERROR", "spark.sql.streaming.numRecentProgressUpdates": "500"}
    if wanted["jars"]:
        settings["spark.jars"] = ",".join(wanted["jars"])
    spark = riacho.spark("bench", wanted["master"], conf=settings)
    print(json.dumps({"ready": 1}), file=answers)
    for line in sys.stdin:
        job = json.loads(line)
        try:
            answer: dict[str, Any] = JOBS[job["kind"]](spark, job)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {str(error)[:_LAST_WORDS_CHARS]}"}
        print(json.dumps(answer), file=answers)
    spark.stop()


if __name__ == "__main__":
    main()
