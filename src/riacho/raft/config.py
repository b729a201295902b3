"""The settings of a quorum; the driver fills them from `controller.quorum.*`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RaftConfig:
    election_timeout_ms: int = 1_000
    election_backoff_ms_max: int = 1_000
    fetch_timeout_ms: int = 2_000
    request_timeout_ms: int = 2_000
    retry_backoff_ms: int = 20
    fetch_wait_ms_max: int = 500
    fetch_size_bytes_max: int = 1 << 20
    snapshot_fetch_size_bytes_max: int = 1 << 20
    # A voter that starts waits a random time between these before it asks for votes: a new cluster has a leader soon,
    # and a restarted voter still has time to find the one that leads.
    initial_election_ms: tuple[int, int] = (50, 300)
    # Which of a voter's endpoints this node connects to; empty: its first.
    listener_name: str = ""
    # A controller outside of the voter set asks to be added (controller.quorum.auto.join.enable).
    is_auto_joining: bool = False

    def __post_init__(self) -> None:
        low, high = self.initial_election_ms
        if not 0 <= low <= high:
            raise ValueError("initial_election_ms is not a range")
        for name in ("election_timeout_ms", "fetch_timeout_ms", "request_timeout_ms", "retry_backoff_ms"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} must be positive")

    @property
    def check_quorum_timeout_ms(self) -> int:
        """How long a leader goes on without being fetched by a majority (KIP-595)."""
        return self.fetch_timeout_ms * 3 // 2
