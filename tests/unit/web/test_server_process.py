"""A service as a process: ready, told to stop, its exit code; a taken port; what it weighs."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import psutil

from support.web_service import TIMEOUT_S, connected, exchange, read_all

SERVICE = """
import asyncio, logging, signal, sys
from riacho.web.answers import json_answer
from riacho.web.app import App
from riacho.web.config import load_settings, service_keys
from riacho.web.endpoint import Endpoint
from riacho.web.options import app_options
from riacho.web.server import serve

async def slow(call):
    print("call", flush=True)
    await release.wait()
    return json_answer("done")

release = asyncio.Event()
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(message)s")
settings = load_settings(service_keys(0), dict(word.split("=", 1) for word in sys.argv[1:]))
endpoints = [Endpoint("GET", "/slow", slow, "Slow.")]
if settings.text("host.name") == "starts-slowly":
    async def start(addresses):
        print("starting", flush=True)
        await asyncio.Event().wait()
else:
    async def start(addresses):
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, release.set)
app = App("demo", endpoints, on_start=start, **app_options(settings, "demo"))
sys.exit(serve(app, settings, lambda addresses: print("ready", addresses[0], flush=True)))
"""


@contextmanager
def service(*words: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", SERVICE, *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate(timeout=TIMEOUT_S)


def line_with(process: subprocess.Popen[str], word: str) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        if word in line:
            return line
    raise AssertionError(f"it ended without {word}: {process.stderr.read() if process.stderr else ''}")


def test_sigterm_lets_calls_finish_and_ends_with_0():
    with service("listeners=http://127.0.0.1:0", "shutdown.graceful.ms=60000") as process:
        started = line_with(process, "service started")
        port = int(line_with(process, "ready").rpartition(":")[2])
        assert started == f"service started name=demo listeners=http://127.0.0.1:{port}\n"
        assert b'{"status":"UP"}' in exchange(port, b"GET /health HTTP/1.1\r\nConnection: close\r\n\r\n")
        # Well under what a service may weigh: its own state comes on top.
        assert psutil.Process(process.pid).memory_info().rss < 60 * 1024 * 1024
        with connected(port) as sock:
            sock.sendall(b"GET /slow HTTP/1.1\r\n\r\n")
            line_with(process, "call")
            process.send_signal(signal.SIGTERM)
            os.kill(process.pid, signal.SIGUSR1)
            assert read_all(sock).endswith(b'"done"')
        assert process.wait(TIMEOUT_S) == 0
        assert line_with(process, "service stopped") == f"service stopped name=demo listeners=http://127.0.0.1:{port}\n"
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_a_service_that_is_still_starting_can_be_stopped():
    with service("listeners=http://127.0.0.1:0", "host.name=starts-slowly") as process:
        line_with(process, "starting")
        process.send_signal(signal.SIGINT)
        assert process.wait(TIMEOUT_S) == 0


def test_a_taken_port_is_one_sentence_and_exit_code_1():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with service(f"listeners={address}") as process:
            out, error = process.communicate(timeout=TIMEOUT_S)
            assert process.returncode == 1
            assert (out, error) == ("", f"Error: {address} cannot be opened: Address already in use.\n")
