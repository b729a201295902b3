"""The tests' own tools: nodes that are forked end, and are ended, as started ones; a connection's owner is found."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from support.cluster_view import settled
from support.frame_proxy import inode_of, looked_up, owns
from support.riacho_nursery import SOURCE, NurseryNode, nursery
from support.riacho_process import RiachoProcess


def forked(directory: Path, *words: str) -> NurseryNode:
    environment = os.environ | {"PYTHONPATH": str(SOURCE)}
    return nursery().start(words, environment, directory, directory / "said")


def test_words_output_and_exit_code_are_its_own(tmp_path: Path) -> None:
    fine, wrong = forked(tmp_path, "--version"), forked(tmp_path, "broker", "no-such-file")
    assert (fine.wait(60), wrong.wait(60)) == (0, 2)
    assert (fine.poll(), wrong.poll()) == (0, 2)
    said = (tmp_path / "said").read_text()
    assert "speaks Kafka" in said
    assert "no-such-file" in said


def test_it_is_paused_resumed_and_killed(tmp_path: Path) -> None:
    broker = RiachoProcess(tmp_path)
    broker.start()
    assert broker.process is not None
    broker.process.send_signal(signal.SIGSTOP)
    with pytest.raises(subprocess.TimeoutExpired):
        broker.process.wait(0.1)
    broker.process.send_signal(signal.SIGCONT)
    broker.kill()
    assert broker.process.wait() == -signal.SIGKILL
    broker.start()
    assert broker.stop() == 0


@pytest.mark.parametrize(("family", "host"), [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::ffff:127.0.0.1")])
def test_who_has_a_connection(family: socket.AddressFamily, host: str) -> None:
    """A JVM's sockets are IPv6 ones, whomever they connect to."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(family) as client:
        client.connect((host, server.getsockname()[1]))
        accepted, peer = server.accept()
        with accepted:
            inode = os.fstat(client.fileno()).st_ino
            assert inode_of(peer, accepted.getsockname()) == inode
            assert looked_up(peer[1], accepted.getsockname()[1]) == inode
            assert owns(os.getpid(), inode)
            assert not owns(os.getppid(), inode)
            client.close()
            settled(lambda: not owns(os.getpid(), inode))
