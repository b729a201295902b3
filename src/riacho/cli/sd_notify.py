"""Tell systemd that a process serves, where it asked to be told (`Type=notify`): one datagram, see sd_notify(3).

Without this a unit would count as started with its process, and what is ordered after it would start too early.
"""

from __future__ import annotations

import os
import socket

# Of this process alone: what it starts is not the one that systemd waits for.
_VARIABLE = "NOTIFY_SOCKET"


def ready() -> None:
    address = os.environ.pop(_VARIABLE, "")
    if not address.startswith(("/", "@")):
        return
    # A leading @ stands for the zero byte of Linux's abstract names.
    name = "\0" + address[1:] if address.startswith("@") else address
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as notices:
            notices.settimeout(1)
            notices.sendto(b"READY=1", name)
    except OSError:
        # Whoever set the variable is not there. That is no reason not to serve.
        return
