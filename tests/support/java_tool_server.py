"""Kafka's command line tools in one JVM for the whole test process, since starting a JVM costs more than most tools do.

A tool's `main` runs in that JVM with its own standard streams; what would end the process ends only the call. A call
that takes too long costs the JVM its life, and the next one gets a new one. Tools that do their work in shutdown hooks,
or that take settings from the environment, run as processes of their own: `support.java.java_tool` decides.
"""

from __future__ import annotations

import atexit
import contextlib
import signal
import struct
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from support.java import java_command, log4j_config
from support.java_archive import archive_flags
from support.java_sources import compiled

SOURCES = [Path(__file__).with_name("java_tools") / "ToolServer.java"]
# Standard output is for results: what the JVM itself has to say goes elsewhere.
JVM_FLAGS = (
    "-Xmx384M",
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-XX:+DisplayVMOutputToStderr",
    "-Xshare:auto",
)
_LAST_WORDS_S = 3.0


class ToolServer:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._scratch = tempfile.TemporaryDirectory(prefix="riacho-java-tools-")
        self._process: subprocess.Popen[bytes] | None = None
        atexit.register(self.stop)

    def run(
        self, main_class: str, args: Sequence[str], input: str | None, timeout_s: float
    ) -> subprocess.CompletedProcess[str]:
        with self._lock:
            process = self._running()
            assert process.stdin is not None
            assert process.stdout is not None
            # A JVM that is killed closes its side: the read below ends.
            clock = threading.Timer(timeout_s, _give_up, (process,))
            clock.start()
            try:
                words = [main_class.encode(), struct.pack(">i", len(args)), *(word.encode() for word in args)]
                process.stdin.write(_sized(words[0]) + words[1] + b"".join(_sized(word) for word in words[2:]))
                process.stdin.write(_sized((input or "").encode()))
                process.stdin.flush()
                (code,) = struct.unpack(">i", _exactly(process.stdout, 4))
                out, err = _text(process.stdout), _text(process.stdout)
            except (EOFError, OSError):
                process.kill()
                process.wait()
                self._process = None
                raise subprocess.TimeoutExpired([main_class, *args], timeout_s) from None
            finally:
                clock.cancel()
                # An answer that comes while the JVM is being killed: the next call must find that out.
                clock.join()
        return subprocess.CompletedProcess([main_class, *args], code, out, err)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            config = Path(self._scratch.name) / "log4j2.properties"
            # Logs go where a tool's standard error goes, call by call.
            config.write_text(log4j_config(target="SYSTEM_ERR", level="WARN") + "appender.out.follow=true\n")
            command = java_command("ToolServer", jvm_flags=(*JVM_FLAGS, *archive_flags()), log4j=str(config))
            at = command.index("-cp") + 1
            command[at] = f"{command[at]}:{compiled('java-tools', SOURCES)}"
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return self._process


def _give_up(process: subprocess.Popen[bytes]) -> None:
    """What every thread was doing goes to standard error, where a test that fails shows it."""
    process.send_signal(signal.SIGQUIT)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_LAST_WORDS_S)
    process.kill()


def _sized(value: bytes) -> bytes:
    return struct.pack(">i", len(value)) + value


def _text(stream: IO[bytes]) -> str:
    (size,) = struct.unpack(">i", _exactly(stream, 4))
    return _exactly(stream, size).decode(errors="replace")


def _exactly(stream: IO[bytes], size: int) -> bytes:
    value = stream.read(size)
    if len(value) != size:
        raise EOFError
    return value
