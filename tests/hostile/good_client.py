"""A client that means well, in a process of its own: writes a record, reads it back, asks for metadata, and again.

Run as `good_client.py PORT BROKER_PID TOPIC`. For each line on its standard input it prints what it saw since the last:
rounds, the slowest answer, and how long that took without the time in which the broker or the client had work and no
core to do it on. That is what the broker is answerable for.
"""

from __future__ import annotations

import json
import select
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_PAUSE_S = 0.003


@dataclass
class Seen:
    rounds: int = 0
    slowest_s: float = 0.0
    # Of the slowest, by its own count: a wait without what the machine took from either side.
    slowest_own_s: float = 0.0


class GoodClient:
    """The test's side of it."""

    def __init__(self, port: int, broker_pid: int, topic: str) -> None:
        words = [sys.executable, __file__, str(port), str(broker_pid), topic]
        paths = {"PYTHONPATH": ":".join(sys.path)}
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=paths)
        self.seen()

    def seen(self) -> Seen:
        """What it saw since this was last asked."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the good client failed: what it says is above"
        return Seen(**json.loads(line))

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30)


def _waited_s(task: str) -> float:
    """How long it had work and no core."""
    return int(Path(f"/proc/{task}/schedstat").read_text().split()[1]) / 1e9


def _run(port: int, broker_pid: int, topic: str) -> None:
    from conformance.raw import RawConnection, batch

    task = f"{broker_pid}/task/{broker_pid}"
    data = {"name": topic, "partition_data": [{"index": 0, "records": b""}]}
    seen = Seen()
    with RawConnection(("127.0.0.1", port), client_id="good") as connection:

        def timed(name: str, version: int, **fields: Any) -> Any:
            started_s, stolen_s = time.monotonic(), _waited_s(task) + _waited_s("self")
            answer = connection.ask(name, version, **fields)
            elapsed_s = time.monotonic() - started_s
            own_s = elapsed_s - (_waited_s(task) + _waited_s("self") - stolen_s)
            seen.slowest_s = max(seen.slowest_s, elapsed_s)
            seen.slowest_own_s = max(seen.slowest_own_s, own_s)
            return answer

        while True:
            if select.select([sys.stdin], [], [], _PAUSE_S)[0]:
                if not sys.stdin.readline():
                    return
                print(json.dumps(vars(seen)), flush=True)
                seen = Seen()
            data["partition_data"][0]["records"] = batch(b"%d" % seen.rounds)  # type: ignore[index]
            [stored] = timed("Produce", 9, acks=-1, timeout_ms=5_000, topic_data=[data]).responses
            assert stored.partition_responses[0].error_code == 0
            asked = {"partition": 0, "fetch_offset": stored.partition_responses[0].base_offset}
            topics = [{"topic": topic, "partitions": [asked | {"partition_max_bytes": 1_000}]}]
            answer = timed("Fetch", 11, max_wait_ms=500, min_bytes=1, max_bytes=1_000, session_epoch=-1,
                           replica_id=-1, topics=topics)  # fmt: skip
            assert len(answer.responses[0].partitions[0].records) > 60
            assert timed("Metadata", 12, topics=[{"name": topic}]).topics[0].error_code == 0
            seen.rounds += 1


if __name__ == "__main__":
    _run(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
