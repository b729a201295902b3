"""Pods of deploy/kubernetes as processes of this machine, without a cluster.

They get the manifests' own arguments, variables, files and probes, in network and mount namespaces that end with the
test; each pod has an address of loopback and its name. What only a cluster has is not tried by it: volumes, users,
policies, scheduling.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from e2e.kafka_scripts import SOURCES, write_scripts

KUBERNETES = Path(__file__).parents[2] / "deploy" / "kubernetes"
BASE = KUBERNETES / "base"
PIPELINES = KUBERNETES / "pipelines"
NAMESPACE = "riacho"
CLUSTER_ID = "c2VydmljZXMgb2YgcGVkcg"
READY_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 30.0
_HOST = "ip link set lo up && mount --make-rprivate / && mount --bind {hosts} /etc/hosts && echo ready && exec cat"
# A probe without an interpreter: ADDRESS PORT PATH HOST
_PROBE = (
    'exec 3<>"/dev/tcp/$0/$1" || exit 1; printf "GET %s HTTP/1.1\\r\\nHost: %s\\r\\nConnection: close\\r\\n\\r\\n" '
    '"$2" "$3" >&3; read -r -t 3 _ status _ <&3; echo "$status"'
)
_REFERENCE = re.compile(r"\$\((\w+)\)")


def manifests(file: str, directory: Path = BASE) -> dict[tuple[str, str], dict[str, Any]]:
    """By kind and name."""
    documents = yaml.safe_load_all((directory / file).read_text())
    return {(each["kind"], each["metadata"]["name"]): each for each in documents}


@dataclass
class Pod:
    """`places` are the directories that stand for those of its volumes."""

    machine: Machine
    name: str
    address: str
    spec: dict[str, Any]
    fields: Mapping[str, str]
    places: Mapping[str, Path]
    process: subprocess.Popen[bytes] | None = None

    @property
    def container(self) -> dict[str, Any]:
        container: dict[str, Any] = self.spec["containers"][0]
        return container

    @property
    def log(self) -> str:
        return (self.machine.directory / f"{self.name}.log").read_text(errors="replace")

    def variables(self) -> dict[str, str]:
        """As the kubelet makes them: `$(NAME)` of those before, fields of the pod, keys of ConfigMaps."""
        found: dict[str, str] = {}
        for each in self.container.get("env", []):
            source = each.get("valueFrom", {})
            if "fieldRef" in source:
                found[each["name"]] = self.fields[source["fieldRef"]["fieldPath"]]
            elif "configMapKeyRef" in source:
                assert source["configMapKeyRef"] == {"name": "cluster", "key": "id"}
                found[each["name"]] = CLUSTER_ID
            else:
                found[each["name"]] = _REFERENCE.sub(lambda name: found[name[1]], each["value"])
        return found

    def here(self, text: str) -> str:
        """Paths of its volumes and its address, as they are on this machine."""
        for path in sorted(self.places, key=len, reverse=True):
            text = text.replace(path, str(self.places[path]))
        return text.replace("0.0.0.0", self.address)

    def start(self) -> None:
        words = [self.here(word) for word in [*self.container.get("command", ["riacho"]), *self.container["args"]]]
        with (self.machine.directory / f"{self.name}.log").open("ab") as log:
            self.process = subprocess.Popen(
                self.machine.words(words, self.variables()), stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def wait_for(self, probe: str) -> None:
        asked = self.container[probe]["httpGet"]
        port = next(each["containerPort"] for each in self.container["ports"] if each["name"] == asked["port"])
        host = next((each["value"] for each in asked.get("httpHeaders", [])), self.address)
        deadline = time.monotonic() + READY_TIMEOUT_S
        while (status := self.asked(port, asked["path"], host)) != "200":
            assert self.process is not None
            assert self.process.poll() is None, f"{self.name} ended: {self.log[-2000:]}"
            assert time.monotonic() < deadline, f"{self.name} answers {status}: {self.log[-2000:]}"
            time.sleep(0.1)

    def asked(self, port: int, path: str, host: str) -> str:
        words = ["bash", "-c", _PROBE, self.address, str(port), path, host]
        done = subprocess.run(self.machine.words(words, {}), capture_output=True, text=True, check=False, timeout=10)
        return done.stdout.strip()

    def stop(self) -> None:
        """SIGTERM, as the kubelet does; it ends in order."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(STOP_TIMEOUT_S) == 0, self.log[-2000:]


@dataclass
class Machine:
    directory: Path
    # The process whose namespaces the pods are in.
    host: int
    pods: list[Pod] = field(default_factory=list)

    def words(self, command: list[str], variables: Mapping[str, str]) -> list[str]:
        own = {
            "PATH": f"{self.directory / 'bin'}:/usr/local/bin:/usr/bin:/bin",
            "PYTHONPATH": str(SOURCES),
            "HOME": str(self.directory),
        }
        inside = ["nsenter", "--target", str(self.host), "--net", "--mount", "--"]
        pairs = [f"{name}={value}" for name, value in (own | dict(variables)).items()]
        return [*inside, "env", "-i", f"--chdir={self.directory}", *pairs, *command]

    def run(self, command: list[str], **variables: str) -> str:
        done = subprocess.run(self.words(command, variables), capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@contextlib.contextmanager
def machine(directory: Path, names: Mapping[str, list[str]]) -> Iterator[Machine]:
    """`names` are what addresses are called."""
    scripts = write_scripts(directory / "bin")
    (scripts / "riacho").write_text(f'#!/bin/sh\nexec {sys.executable} -m riacho "$@"\n')
    (scripts / "riacho").chmod(0o755)
    hosts = directory / "hosts"
    lines = [f"{address} {' '.join(words)}\n" for address, words in {"127.0.0.1": ["localhost"], **names}.items()]
    hosts.write_text("".join(lines))
    with subprocess.Popen(
        ["unshare", "--net", "--mount", "sh", "-c", _HOST.format(hosts=hosts)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as host:  # fmt: skip
        assert host.stdin is not None
        assert host.stdout is not None
        assert host.stderr is not None
        if host.stdout.readline() != "ready\n":
            pytest.skip(f"no network namespace can be made here: {host.stderr.read().strip()}")
        made = Machine(directory, host.pid)
        try:
            yield made
        finally:
            for pod in made.pods:
                if pod.process is not None and pod.process.poll() is None:
                    os.kill(pod.process.pid, signal.SIGKILL)
                    pod.process.wait()
            host.stdin.close()
