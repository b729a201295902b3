"""WINDOW clauses: sizes, grace and retention."""

from __future__ import annotations

from riacho.pipelines.sql.catalogue.sources import WindowInfo
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.syntax.statements import Window, WindowKind
from riacho.pipelines.tasks.spec import WindowSpec

DAY_MS = 86_400_000
WINDOW_MS_MAX = 2**62
WINDOWS_A_RECORD_MAX = 100_000


def window_spec(window: Window) -> WindowSpec:
    """Without GRACE PERIOD late records are taken for 24 hours, less the window's size; without RETENTION a window is
    kept for a day, or as long as it may still change."""
    size_ms = window.size.milliseconds
    _refuse_size(size_ms, "Window size" if window.kind is not WindowKind.SESSION else "Gap time")
    advance_ms = window.advance.milliseconds if window.advance is not None else size_ms
    if window.kind is WindowKind.HOPPING:
        _refuse_advance(advance_ms, size_ms)
    grace_ms = window.grace.milliseconds if window.grace is not None else max(DAY_MS - size_ms, 0)
    return WindowSpec(window.kind.value, size_ms, advance_ms, grace_ms, _retention(window, size_ms, grace_ms))


def _retention(window: Window, size_ms: int, grace_ms: int) -> int:
    if window.retention is None:
        return max(DAY_MS, size_ms + grace_ms)
    retention_ms = window.retention.milliseconds
    needed_ms = size_ms + (grace_ms if window.grace is not None else 0)
    if retention_ms < needed_ms:
        raise KsqlError(
            "The retention period of the window store must be no smaller than its window size plus the grace period. "
            f"Got size=[{size_ms}], grace=[{grace_ms}], retention=[{retention_ms}]"
        )
    return retention_ms


def _refuse_size(size_ms: int, what: str) -> None:
    if size_ms <= 0:
        raise KsqlError(f"{what} (sizeMs) must be larger than zero.")
    if size_ms > WINDOW_MS_MAX:
        raise KsqlError(f"{what} must be at most {WINDOW_MS_MAX} ms.")


def _refuse_advance(advance_ms: int, size_ms: int) -> None:
    if advance_ms <= 0 or advance_ms > size_ms:
        raise KsqlError(
            f"Window advancement interval should be more than zero and less than window duration which is {size_ms} "
            f"ms, but given advancement interval is: {advance_ms} ms"
        )
    if size_ms // advance_ms > WINDOWS_A_RECORD_MAX:
        raise KsqlError(f"A record can be in {WINDOWS_A_RECORD_MAX} hopping windows at most.")


def window_info(window: Window) -> WindowInfo:
    if window.kind is WindowKind.SESSION:
        return WindowInfo(window.kind)
    return WindowInfo(window.kind, window.size.milliseconds)
