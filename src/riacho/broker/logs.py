"""Five streams: the access log says who asked what, the error log what the broker did and what went wrong, the agent
log by which software it is asked, the referrer log from where and as whom (`visitor_log.py`), the audit log who was
denied what and who changed what (`audit.py`).

The error log has one line per transition. The access log has one line per request that changes or describes something;
the requests of the data path (produce, fetch, heartbeat and their like) appear only at DEBUG, so that a busy broker
does not spend its time writing about itself. Each stream may go to its own file; they are standard output (access)
and standard error (error) otherwise, and the others are where the access log is.
"""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from riacho.base.log_fields import field_value
from riacho.broker.log_file import BACKUPS, MAX_BYTES, LogFile
from riacho.broker.log_levels import LogLevels
from riacho.wire.apis import APIS

if TYPE_CHECKING:
    from riacho.broker.requests.api import Api
    from riacho.broker.requests.request_context import RequestContext

_FORMAT = "%(asctime)s %(levelname)s %(message)s"
# Produce, Fetch, ListOffsets, Metadata, OffsetCommit, OffsetFetch, FindCoordinator, Heartbeat, ApiVersions.
DATA_PATH = frozenset({0, 1, 2, 3, 8, 9, 10, 12, 18})
# A flood of bad peers must not become a flood of lines.
_REFUSED_LINES_MAX = 10


class Logs:
    def __init__(
        self,
        access: logging.Logger,
        error: logging.Logger,
        audit: logging.Logger | None = None,
        *,
        agent: logging.Logger | None = None,
        referrer: logging.Logger | None = None,
    ) -> None:
        self.access = access
        self.error = error
        self.audit = access if audit is None else audit
        # Loggers of their own, as each has its level: with another's, a change of the one would be a change of both.
        self.agent = _unwritten("agent") if agent is None else agent
        self.referrer = _unwritten("referrer") if referrer is None else referrer
        self.levels_changed()
        self._levels: LogLevels | None = None
        self._refused_lines_left = _REFUSED_LINES_MAX
        self._refused_unsaid = 0

    @property
    def levels(self) -> LogLevels:
        if self._levels is None:
            self._levels = LogLevels(self)
        return self._levels

    def levels_changed(self) -> None:
        """Worked out once, since the question comes with every request: who leaves a line."""
        # API keys.
        self.unlogged = _unlogged(self.access)
        self.logs_data_path = self.access.isEnabledFor(logging.DEBUG)

    def access_request(
        self, ctx: RequestContext, api: Api, elapsed_ns: int, request_bytes: int, response_bytes: int
    ) -> None:
        """One that is not among the `unlogged`."""
        self.access.log(
            logging.DEBUG if api.key in DATA_PATH else logging.INFO,
            "%s %s %s api=%s version=%d request_bytes=%d response_bytes=%d elapsed_us=%d listener=%s agent=%s",
            ctx.client_host,
            field_value(ctx.principal),
            field_value(ctx.client_id),
            api.name,
            ctx.version,
            request_bytes,
            response_bytes,
            elapsed_ns // 1_000,
            ctx.listener_name,
            ctx.agent,
        )

    def refused(self, host: str, listener: str, reason: str) -> None:
        if self._refused_lines_left <= 0:
            self._refused_unsaid += 1
            return
        self._refused_lines_left -= 1
        self.error.warning("connection refused host=%s listener=%s reason=%s", host, listener, _printable(reason))

    def markers_refused(self, reason: str) -> None:
        if self._refused_lines_left > 0:
            self._refused_lines_left -= 1
            self.error.warning("transaction markers refused reason=%s", reason)

    def authentication_failed(self, host: str, listener: str, mechanism: str, user: str, reason: str) -> None:
        if self._refused_lines_left <= 0:
            self._refused_unsaid += 1
            return
        self._refused_lines_left -= 1
        self.error.warning(
            "authentication failed host=%s listener=%s mechanism=%s user=%s reason=%s",
            host,
            listener,
            _printable(mechanism),
            _printable(user),
            _printable(reason),
        )

    def tick(self) -> None:
        """Called now and then: sums up what was left unsaid and lets new lines through."""
        if self._refused_unsaid:
            self.error.warning("connections refused and not listed count=%d", self._refused_unsaid)
        self._refused_lines_left = _REFUSED_LINES_MAX
        self._refused_unsaid = 0


def _unlogged(access: logging.Logger) -> frozenset[int]:
    """The API keys that leave no line."""
    if access.isEnabledFor(logging.DEBUG):
        return frozenset()
    return DATA_PATH if access.isEnabledFor(logging.INFO) else frozenset(APIS)


def _printable(text: str) -> str:
    """Peers choose these strings: no line breaks or control characters of theirs reach the log."""
    return "".join(c if c.isprintable() else "?" for c in text[:200]) or "-"


def open_logs(
    node_id: int,
    *,
    access_path: Path | None = None,
    error_path: Path | None = None,
    audit_path: Path | None = None,
    agent_path: Path | None = None,
    referrer_path: Path | None = None,
    level: str = "INFO",
    max_bytes: int = MAX_BYTES,
    backups: int = BACKUPS,
) -> Logs:
    opened: dict[Path | None, logging.Handler] = {}

    def logger(name: str, path: Path | None, stream: TextIO = sys.stdout, level: str = level) -> logging.Logger:
        """Logs of one file share what writes it: two would each begin it anew."""
        handler = opened.get(path) if path is not None else None
        if handler is None:
            handler = logging.StreamHandler(stream) if path is None else LogFile(path, max_bytes, backups)
            handler.setFormatter(logging.Formatter(_FORMAT))
            opened[path] = handler
        return _logger(f"riacho.{name}.{node_id}", handler, level)

    return Logs(
        logger("access", access_path),
        logger("error", error_path, sys.stderr),
        # What was denied and what was changed is on record however little else is.
        logger("audit", audit_path or access_path, level="INFO"),
        agent=logger("agent", agent_path or access_path),
        referrer=logger("referrer", referrer_path or access_path),
    )


def _unwritten(name: str) -> logging.Logger:
    logger = logging.Logger(f"riacho.{name}", logging.CRITICAL)
    logger.addHandler(logging.NullHandler())
    return logger


def _logger(name: str, handler: logging.Handler, level: str) -> logging.Logger:
    logger = logging.getLogger(name)
    logger.propagate = False
    logger.setLevel(level)
    for old in list(logger.handlers):
        logger.removeHandler(old)
        old.close()
    logger.addHandler(handler)
    return logger


def silent_logs(node_id: int) -> Logs:
    """For brokers inside another program, such as a test: errors still surface through logging's own root."""
    quiet = {name: logging.getLogger(f"riacho.{name}.{node_id}") for name in ("access", "audit", "agent", "referrer")}
    for logger in quiet.values():
        logger.setLevel(logging.CRITICAL)
    return Logs(error=logging.getLogger(f"riacho.error.{node_id}"), **quiet)
