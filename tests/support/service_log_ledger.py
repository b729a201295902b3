"""A toy service on a log: it gives out the numbers 0, 1, 2, ... each once, each to one asker (a nonce)."""

from __future__ import annotations

from riacho.base.decision import Decision
from riacho.single_writer.config import ReplicatedLogConfig
from riacho.single_writer.record import Append, LogRecord


class Ledger:
    """The key holds the nonce too, so that compaction could not hide a number that was given twice."""

    def __init__(self) -> None:
        self.given: list[str] = []
        self.faults: list[str] = []
        self.clears = 0

    def apply(self, record: LogRecord) -> None:
        number, nonce = parse(record.key)
        if number != len(self.given):
            self.faults.append(f"offset {record.offset}: {nonce} was given {number}, not {len(self.given)}")
        self.given.append(nonce)

    def clear(self) -> None:
        self.given.clear()
        self.clears += 1

    def decide_give(self, nonce: str) -> Decision[Append, int]:
        number = len(self.given)
        return Decision(number, [Append(b"%d %s" % (number, nonce.encode()), b"given")])

    def decide_count(self) -> Decision[Append, int]:
        return Decision(len(self.given))


def parse(key: bytes | None) -> tuple[int, str]:
    number, nonce = (key or b"").decode().split(" ")
    return int(number), nonce


def ledger_config(
    bootstrap: str,
    url: str = "http://127.0.0.1:1",
    *,
    topic: str = "ledger",
    is_eligible: bool = True,
    session_timeout_ms: int = 6_000,
    write_timeout_ms: int = 30_000,
    start_timeout_ms: int = 60_000,
) -> ReplicatedLogConfig:
    return ReplicatedLogConfig(
        topic=topic,
        group_id=f"{topic}-group",
        url=url,
        client={"bootstrap.servers": bootstrap},
        is_eligible=is_eligible,
        session_timeout_ms=session_timeout_ms,
        heartbeat_interval_ms=500,
        write_timeout_ms=write_timeout_ms,
        start_timeout_ms=start_timeout_ms,
    )
