"""A real PostgreSQL of its own for tests: a fresh cluster in a directory, on a free loopback port, stopped by its id.

PostgreSQL refuses to run as root, so there it runs as an unprivileged user that the machine has. Its directory is none
of pytest's: those are closed to other users, and every pytest that starts closes them again.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from support.ports import free_port

USER = "riacho"
PASSWORD = "s3cret-pass"
START_TIMEOUT_S = 120.0
STOP_TIMEOUT_S = 60.0
_POLL_S = 0.05
_UNPRIVILEGED = ("postgres", "nobody")
# Speed over safety: nothing here outlives its test.
_SETTINGS = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=30", "shared_buffers=16MB")


def why_no_postgresql() -> str | None:
    if shutil.which("postgres") is None or shutil.which("initdb") is None:
        return "PostgreSQL cannot start: there is no postgres or initdb on the PATH"
    if os.geteuid() == 0 and (_user() is None or shutil.which("setpriv") is None):
        return "PostgreSQL cannot start: it does not run as root, and no other user is to be had"
    return None


class PostgreSQL:
    def __init__(self) -> None:
        self.port = free_port()
        self.directory = Path(tempfile.mkdtemp(prefix="riacho-postgresql-"))
        self.process: subprocess.Popen[bytes] | None = None
        self._output = self.directory / "output"
        self._data = self.directory / "data"

    @property
    def jdbc_url(self) -> str:
        return f"jdbc:postgresql://127.0.0.1:{self.port}/postgres"

    def connect(self) -> Any:
        import psycopg

        return psycopg.connect(
            host="127.0.0.1", port=self.port, dbname="postgres", user=USER, password=PASSWORD, autocommit=True
        )

    def execute(self, *statements: str) -> list[tuple[Any, ...]]:
        """The rows of the last one, where it has rows."""
        with self.connect() as connection:
            for statement in statements:
                cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def initialize(self) -> None:
        secret = self.directory / "password"
        secret.write_text(PASSWORD)
        if os.geteuid() == 0:
            owner = pwd.getpwnam(str(_user()))
            for path in (self.directory, secret):
                os.chown(path, owner.pw_uid, owner.pw_gid)
        self._run_to_end("initdb", "-D", str(self._data), "-U", USER, "-A", "scram-sha-256", f"--pwfile={secret}", "-N")

    def start(self) -> None:
        options = [part for setting in _SETTINGS for part in ("-c", setting)]
        sockets = ("-c", "unix_socket_directories=", "-c", "listen_addresses=127.0.0.1")
        with self._output.open("ab") as output:
            self.process = subprocess.Popen(
                [*_prefix(), "postgres", "-D", str(self._data), "-p", str(self.port), *sockets, *options],
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd="/",
            )
        self._wait_until_ready()

    def stop(self) -> None:
        """The fast way of PostgreSQL: connections are cut, everything is written."""
        if self.process is None:
            return
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None

    def _wait_until_ready(self) -> None:
        import psycopg

        assert self.process is not None
        deadline = time.monotonic() + START_TIMEOUT_S
        while True:
            try:
                self.connect().close()
                return
            except psycopg.OperationalError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    text = self._output.read_text(errors="replace")
                    raise RuntimeError(f"PostgreSQL did not start:\n{text}") from None
                time.sleep(_POLL_S)

    def _run_to_end(self, *command: str) -> None:
        done = subprocess.run([*_prefix(), *command], capture_output=True, text=True, cwd="/")
        if done.returncode != 0:
            raise RuntimeError(f"{command[0]} failed:\n{done.stdout}{done.stderr}")


@contextmanager
def running_postgresql() -> Iterator[PostgreSQL]:
    server = PostgreSQL()
    try:
        server.initialize()
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(server.directory)


def _user() -> str | None:
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next((name for name in _UNPRIVILEGED if name in known), None)


def _prefix() -> list[str]:
    if os.geteuid() != 0:
        return []
    owner = pwd.getpwnam(str(_user()))
    # setpriv becomes the command, so the process that is waited for is PostgreSQL itself.
    return ["setpriv", f"--reuid={owner.pw_uid}", f"--regid={owner.pw_gid}", "--clear-groups"]
