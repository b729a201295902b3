"""systemd is told once, by the process that it started."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from riacho.cli import sd_notify


@pytest.fixture
def notices() -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as bound:
        bound.settimeout(5)
        yield bound


def test_it_is_told_once_at_a_path(notices: socket.socket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "n"
    notices.bind(str(path))
    monkeypatch.setenv("NOTIFY_SOCKET", str(path))
    sd_notify.ready()
    assert notices.recv(64) == b"READY=1"
    # Whatever this process starts does not speak for it.
    assert "NOTIFY_SOCKET" not in os.environ
    sd_notify.ready()
    notices.setblocking(False)
    with pytest.raises(BlockingIOError):
        notices.recv(64)


def test_it_is_told_at_an_abstract_name(notices: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"riacho-sd-notify-{os.getpid()}"
    notices.bind(f"\0{name}")
    monkeypatch.setenv("NOTIFY_SOCKET", f"@{name}")
    sd_notify.ready()
    assert notices.recv(64) == b"READY=1"


@pytest.mark.parametrize("address", ["", "vsock:2:1234", "relative", "/nobody/is/here"])
def test_nobody_to_tell_is_no_reason_to_fail(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", address)
    sd_notify.ready()
