"""A node's start, given up at each of its steps: nothing of it goes on, and its ports and directories are free."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from riacho.broker.config import BrokerConfig
from riacho.broker.environment import real_environment
from riacho.broker.logs import Logs
from riacho.broker.membership.broker_lifecycle import BrokerLifecycle
from riacho.broker.node import Node, open_node
from riacho.broker.server import ControllerServer, start
from support.broker_fakes import recorded_logs

# The others never come.
VOTERS = "1@127.0.0.1:1,2@127.0.0.1:2,3@127.0.0.1:3"


def config(path: Path, **properties: str) -> BrokerConfig:
    named = {name.replace("_", "."): value for name, value in properties.items()}
    return BrokerConfig(
        {"log.dirs": str(path), "listeners": "PLAINTEXT://127.0.0.1:0", "riacho.metrics.port": "0", **named}
    )


def waiting(path: Path) -> BrokerConfig:
    return config(
        path,
        process_roles="broker,controller",
        listeners="PLAINTEXT://127.0.0.1:0,CONTROLLER://127.0.0.1:0",
        controller_listener_names="CONTROLLER",
        controller_quorum_voters=VOTERS,
        cluster_id="AAAAAAAAAAAAAAAAAAAAAA",
    )


def opened(settings: BrokerConfig, logs: Logs | None = None) -> Node:
    return open_node(settings, real_environment(), logs or recorded_logs()[0])


def in_loop(main: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(20):
            await main()

    asyncio.run(bounded())


def is_free(port: int) -> bool:
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        return sock.connect_ex(("127.0.0.1", port)) != 0


async def check_gone(node: Node, settings: BrokerConfig) -> None:
    """Its tasks have ended, its ports refuse, and another node may have its directories."""
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert all(is_free(listener.port) for listener in node.listeners)
    await opened(settings).give_up()


def test_a_node_that_is_only_open(tmp_path: Path) -> None:
    async def main() -> None:
        node = opened(settings := config(tmp_path))
        await node.give_up()
        await check_gone(node, settings)

    in_loop(main)


async def cancelled(work: Coroutine[Any, Any, Any], after_s: float = 0.2) -> None:
    task = asyncio.ensure_future(work)
    await asyncio.wait({task}, timeout=after_s)
    assert not task.done()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def test_while_it_waits_for_a_quorum(tmp_path: Path) -> None:
    async def main() -> None:
        node = opened(settings := waiting(tmp_path))
        await cancelled(start(node))
        await check_gone(node, settings)

    in_loop(main)


def test_while_it_waits_to_be_let_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(lifecycle: BrokerLifecycle) -> None:
        await asyncio.Event().wait()

    async def main() -> None:
        node = opened(settings := config(tmp_path))
        await cancelled(start(node))
        # It had opened everything and answered clients, so the next start need not recover.
        assert (tmp_path / ".kafka_cleanshutdown").exists()
        await check_gone(node, settings)

    monkeypatch.setattr(BrokerLifecycle, "unfenced", never)
    in_loop(main)


def test_what_cannot_be_opened_holds_nothing(tmp_path: Path) -> None:
    async def main() -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port, other = taken.getsockname()[1], _free_port()
            listeners = f"PLAINTEXT://127.0.0.1:{other},INSIDE://127.0.0.1:{port}"
            protocols = "PLAINTEXT:PLAINTEXT,INSIDE:PLAINTEXT"
            settings = config(tmp_path, listeners=listeners, listener_security_protocol_map=protocols)
            with pytest.raises(OSError, match="INSIDE"):
                opened(settings)
            assert is_free(other)
        await opened(config(tmp_path)).give_up()

    in_loop(main)


def test_a_whole_life(tmp_path: Path) -> None:
    async def main() -> None:
        logs, _, lines = recorded_logs()
        node = opened(settings := config(tmp_path), logs)
        server = await start(node)
        assert not all(is_free(listener.port) for listener in node.listeners)
        await server.stop()
        await check_gone(node, settings)
        assert [line.split()[1:3] for line in lines if " started " in line or " stopped " in line] == [
            ["broker", "started"],
            ["broker", "stopped"],
        ]

    in_loop(main)


def test_a_controller_alone(tmp_path: Path) -> None:
    async def main() -> None:
        settings = config(
            tmp_path,
            process_roles="controller",
            listeners="CONTROLLER://127.0.0.1:0",
            controller_listener_names="CONTROLLER",
        )
        node = opened(settings)
        server = await start(node)
        assert isinstance(server, ControllerServer)
        await server.stop()
        await check_gone(node, settings)

    in_loop(main)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as sock:
        port: int = sock.getsockname()[1]
        return port
