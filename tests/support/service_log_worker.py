"""An instance of the toy service that asks itself for numbers whenever it leads, and says what it was told.

    BOOTSTRAP NAME      (it ends by SIGKILL)

One line for each change: `ack START END NUMBER NONCE`, `count START END COUNT`, `unknown NONCE`, `refused NONCE`. Times
are the system's monotonic clock, the same for all processes. What is said is on disk before the next change begins.
"""

from __future__ import annotations

import asyncio
import sys
import time

from riacho.single_writer.errors import NotLeader, OutcomeUnknown, ReplicatedLogError
from riacho.single_writer.replicated_log import ReplicatedLog
from support.service_log_ledger import Ledger, ledger_config

SESSION_TIMEOUT_MS = 3_000
WRITE_TIMEOUT_MS = 5_000
PACE_S = 0.005


async def main(bootstrap: str, name: str) -> None:
    ledger = Ledger()
    config = ledger_config(
        bootstrap,
        f"http://{name}:1",
        session_timeout_ms=SESSION_TIMEOUT_MS,
        write_timeout_ms=WRITE_TIMEOUT_MS,
        start_timeout_ms=120_000,
    )
    replicated_log = ReplicatedLog(config, ledger)
    await replicated_log.start()
    asked = 0
    while True:
        await asyncio.sleep(PACE_S)
        if not replicated_log.is_leader:
            continue
        asked += 1
        await give(replicated_log, ledger, f"{name}.{asked}")
        if asked % 3 == 0:
            await count(replicated_log, ledger)
        if ledger.faults:
            say("fault", ledger.faults[0])


async def give(replicated_log: ReplicatedLog, ledger: Ledger, nonce: str) -> None:
    start_s = time.monotonic()
    try:
        number = await replicated_log.change(lambda: ledger.decide_give(nonce))
        say("ack", start_s, time.monotonic(), number, nonce)
    except OutcomeUnknown:
        say("unknown", nonce)
    except ReplicatedLogError as error:
        say("refused", nonce, "not leader" if isinstance(error, NotLeader) else error)


async def count(replicated_log: ReplicatedLog, ledger: Ledger) -> None:
    start_s = time.monotonic()
    try:
        number = await replicated_log.change(ledger.decide_count)
        say("count", start_s, time.monotonic(), number)
    except ReplicatedLogError as error:
        say("uncounted", error)


def say(*words: object) -> None:
    print(*words, flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
