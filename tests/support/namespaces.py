"""A network that can be cut: every node in a network namespace of its own, joined by a bridge that the tests are on.

A cut from A to B is one false neighbour entry in A: its frames for B go to a hardware address that nobody has, so they
vanish without a word, in that direction only, for old connections and new ones alike. That needs no packet filter, only
root and the kernel's bridge and veth devices; `why_not()` says what is missing, and the proxy stands in then.
"""

from __future__ import annotations

import functools
import itertools
import os
import subprocess

from support.cluster_processes import CLIENTS

PREFIX = "rch"  # of every device and namespace: the kernel allows 15 characters
NOBODY = "02:00:00:00:00:fe"
_numbers = itertools.count()


@functools.cache
def why_not() -> str | None:
    """Why nodes cannot have namespaces here, or None when they can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    try:
        network = NamespaceNetwork()
        try:
            network.host(1)
        finally:
            network.close()
    except (OSError, subprocess.CalledProcessError) as error:
        return f"network namespaces cannot be made here: {error}"
    return None


class NamespaceNetwork:
    """A wiring (see `cluster_processes`): node n is 10.231.x.(10 + n modulo 200), the tests are 10.231.x.1."""

    def __init__(self) -> None:
        _remove_leftovers()
        self._tag = f"{os.getpid() % 100_000}{next(_numbers) % 100:02d}"
        self._subnet = f"10.231.{int(self._tag) % 250 + 1}"
        self._bridge = f"{PREFIX}b{self._tag}"
        self._nodes: list[int] = []
        self._is_open = True
        _ip("link", "add", self._bridge, "type", "bridge")
        _ip("link", "set", self._bridge, "address", self._hardware(CLIENTS))
        _ip("addr", "add", f"{self._subnet}.1/24", "dev", self._bridge)
        _ip("link", "set", self._bridge, "up")

    def host(self, node_id: int) -> str:
        if node_id not in self._nodes:
            self._plug_in(node_id)
        return self._address(node_id)

    def advertise(self, node_id: int, port: int) -> tuple[str, int]:
        return self._address(node_id), port

    def prefix(self, node_id: int) -> list[str]:
        return ["ip", "netns", "exec", self._namespace(node_id)]

    def started(self, node_id: int, pid: int) -> None:
        pass

    def close(self) -> None:
        if not self._is_open:
            return
        self._is_open = False
        for number, node_id in enumerate(self._nodes):
            _ip("link", "delete", self._port(number))  # takes its other end along; a namespace may outlive its name
            _ip("netns", "delete", self._namespace(node_id))
        _ip("link", "delete", self._bridge)

    def cut(self, source: int, target: int) -> None:
        """From now on nothing gets from `source` to `target`; either may be CLIENTS."""
        self._set_neighbour(source, target, NOBODY)

    def heal(self) -> None:
        for source, target in itertools.permutations([CLIENTS, *self._nodes], 2):
            self._set_neighbour(source, target, self._hardware(target))

    def _plug_in(self, node_id: int) -> None:
        namespace, inside, port = self._namespace(node_id), "eth0", self._port(len(self._nodes))
        _ip("netns", "add", namespace)
        self._nodes.append(node_id)
        _ip("link", "add", port, "type", "veth", "peer", "name", inside, "netns", namespace)
        _ip("link", "set", port, "master", self._bridge, "up")
        _ip("-n", namespace, "link", "set", inside, "address", self._hardware(node_id))
        _ip("-n", namespace, "addr", "add", f"{self._address(node_id)}/24", "dev", inside)
        _ip("-n", namespace, "link", "set", inside, "up")
        _ip("-n", namespace, "link", "set", "lo", "up")

    def _set_neighbour(self, source: int, target: int, hardware: str) -> None:
        where = ("-n", self._namespace(source)) if source != CLIENTS else ()
        device = "eth0" if source != CLIENTS else self._bridge
        neighbour = (self._address(target), "lladdr", hardware, "dev", device, "nud", "permanent")
        _ip(*where, "neigh", "replace", *neighbour)

    def _port(self, number: int) -> str:
        return f"{PREFIX}p{self._tag}{number}"

    def _namespace(self, node_id: int) -> str:
        return f"{PREFIX}-{self._tag}-{node_id}"

    def _address(self, node_id: int) -> str:
        return f"{self._subnet}.{10 + node_id % 200 if node_id != CLIENTS else 1}"

    def _hardware(self, node_id: int) -> str:
        return f"02:00:0a:e7:00:{10 + node_id % 200 if node_id != CLIENTS else 1:02x}"


def _ip(*args: str) -> str:
    done = subprocess.run(["ip", *args], capture_output=True, text=True, timeout=20, check=False)
    if done.returncode != 0:
        raise OSError(f"ip {' '.join(args)}: {done.stderr.strip()}")
    return done.stdout


def _remove_leftovers() -> None:
    """What a test process left behind that was killed: its id is in the names."""
    for line in _ip("netns", "list").splitlines():
        name = line.split()[0]
        if name.startswith(f"{PREFIX}-") and not _is_alive(name.split("-")[1][:-2]):
            _ip("netns", "delete", name)
    for line in _ip("-o", "link", "show", "type", "bridge").splitlines():
        name = line.split(": ")[1].split("@")[0]
        if name.startswith(f"{PREFIX}b") and not _is_alive(name[len(PREFIX) + 1 : -2]):
            _ip("link", "delete", name)


def _is_alive(pid: str) -> bool:
    return os.path.exists(f"/proc/{pid}")
