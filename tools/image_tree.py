"""Builds the images of the Dockerfile without an engine or a registry, measures and runs them: `make image-tree`.

Needs root, buildah and mmdebstrap (Debian packages). The base is Debian's, made from its packages as slim images are.
What is built runs without any engine either: its file tree read-only, its own user without a capability, its entry
point and variables, /tmp and /var/lib/riacho as the only places that are written to. `image_tree.py services` leaves
the image with Spark out. RIACHO_IMAGE_CA names certificates to believe in while packages are fetched.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "build" / "image"
TARGETS = ("services", "pipelines")
NEEDED = ("buildah", "mmdebstrap", "unshare", "nsenter", "chroot", "tar", "gzip")
DEBIAN = "bookworm"
# What Debian's slim images leave out.
LEFT_OUT = ("doc", "man", "locale", "groff", "info", "lintian")
HEALTHY_TIMEOUT_S = 90.0
MIB = 1 << 20
# The namespaces that the image runs in: read-only but for two places, as compose and Kubernetes run it. The names of
# hosts are mounted, as engines do.
_INSIDE = """
ip link set lo up
mount --make-rprivate /
touch {tree}/etc/hosts
mount --bind {tree} {root}
mount -o remount,bind,ro {root}
mount -t tmpfs -o mode=1777 tmpfs {root}/tmp
mount -t tmpfs -o mode=0700,uid=10001,gid=10001 tmpfs {root}/var/lib/riacho
mount -t proc proc {root}/proc
mount -t tmpfs tmpfs {root}/dev
echo 127.0.0.1 localhost "$(uname -n)" > {root}/tmp/hosts
mount --bind {root}/tmp/hosts {root}/etc/hosts
for name in null zero random urandom; do touch {root}/dev/$name; mount --bind /dev/$name {root}/dev/$name; done
ln -s /proc/self/fd {root}/dev/fd
mkdir -m 1777 {root}/dev/shm
echo ready
exec cat
"""
_TOLD = "seq 100 | kafka-console-producer --bootstrap-server localhost:9092 --topic orders"
_READ = "kafka-console-consumer --bootstrap-server localhost:9092 --topic orders --from-beginning --max-messages 100"
# Of both images: each asked for what it has to ask the broker for.
_SERVICES = (
    ("schema-registry", "8081", "/subjects", "SCHEMA_REGISTRY_KAFKASTORE"),
    ("rest-proxy", "8082", "/topics", "KAFKA_REST"),
    ("control-center", "9021", "/api/v1/clusters/default/topics", "CONTROL_CENTER"),
)
_SPARK = (
    "from pyspark.sql import SparkSession; "
    "s = SparkSession.builder.master('local[1]').config('spark.ui.enabled', 'false').getOrCreate(); "
    "assert s.range(5).count() == 5; s.stop()"
)


class NotBuiltError(Exception):
    """One sentence."""


def main() -> int:
    targets = sys.argv[1:] or list(TARGETS)
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing or os.geteuid() != 0 or not set(targets) <= set(TARGETS):
        print(f"image_tree.py [{'|'.join(TARGETS)}] needs root and {', '.join(missing or NEEDED)}")
        return 1
    WORK.mkdir(parents=True, exist_ok=True)
    try:
        # Once: somebody may commit while it is built.
        commit = _run(["git", "rev-parse", "--short=12", "HEAD"])
        base = _base()
        for target in targets:
            image = _built(target, base, commit)
            with _mounted(image) as tree:
                _try(target, tree, image, commit)
                whole, packed = _sizes(tree)
            print(f"{target}: {whole / MIB:.0f} MiB, {packed / MIB:.0f} MiB as gzip packs it", flush=True)
    except NotBuiltError as error:
        print(f"Error: {error}.")
        return 1
    return 0


def _buildah(*words: str) -> str:
    place = ["--root", str(WORK / "storage"), "--runroot", str(WORK / "run")]
    return _run(["buildah", *place, *words])


def _run(command: list[str], text: str | None = None) -> str:
    """What it says; its last lines where it fails."""
    done = subprocess.run(command, input=text, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        last = "\n".join((done.stdout + done.stderr).splitlines()[-20:])
        raise NotBuiltError(f"{shlex.join(command)} ended with {done.returncode}:\n{last}")
    return done.stdout.strip()


def _base() -> str:
    """Debian as its slim images have it."""
    name = f"localhost/riacho-base:{DEBIAN}"
    if f"localhost/riacho-base:{DEBIAN}" in _buildah("images", "--format", "{{.Name}}:{{.Tag}}").splitlines():
        return name
    archive = WORK / "base.tar"
    excluded = [f"--dpkgopt=path-exclude=/usr/share/{each}/*" for each in LEFT_OUT]
    _run(["mmdebstrap", "--variant=minbase", *excluded, DEBIAN, str(archive)])
    container = _buildah("from", "scratch")
    _buildah("add", container, str(archive), "/")
    _buildah("commit", "--rm", container, name)
    archive.unlink()
    return name


def _built(target: str, base: str, commit: str) -> str:
    image = f"localhost/riacho:{target}"
    # --force-rm: a build that fails leaves nothing mounted, and `rm -r build` works.
    words = ["--isolation", "chroot", "--format", "docker", "--layers", "--force-rm", "--build-arg", f"BASE={base}"]
    words += ["--build-arg", f"COMMIT={commit}"]
    if ca := os.environ.get("RIACHO_IMAGE_CA"):
        # Mounted while it is built, and no part of the image.
        settings = WORK / "pip.conf"
        settings.write_text("[global]\ncert=/run/build-ca.crt\n")
        words += ["--volume", f"{ca}:/run/build-ca.crt:ro", "--volume", f"{settings}:/etc/pip.conf:ro"]
    started_s = time.monotonic()
    _buildah("bud", *words, "--target", target, "-t", image, str(ROOT))
    print(f"{target}: built in {time.monotonic() - started_s:.0f} s", flush=True)
    return image


@contextmanager
def _mounted(image: str) -> Iterator[Path]:
    container = _buildah("from", image)
    try:
        yield Path(_buildah("mount", container))
    finally:
        _buildah("rm", container)


def _sizes(tree: Path) -> tuple[int, int]:
    """Bytes of all files, and of one archive of them as a registry would keep it."""
    whole = int(_run(["du", "--summarize", "--bytes", "--one-file-system", str(tree)]).split()[0])
    with subprocess.Popen(["tar", "-C", str(tree), "-c", "."], stdout=subprocess.PIPE) as archive:
        packed = subprocess.run(["gzip", "-6"], stdin=archive.stdout, capture_output=True, check=True).stdout
    return whole, len(packed)


class Running:
    """An image's tree in namespaces of its own; its commands are the image's user's."""

    def __init__(self, root: Path, host: int, config: dict[str, object], log: Path) -> None:
        self._root, self._host, self._log = root, host, log
        environment, user = config["Env"], config["User"]
        assert isinstance(environment, list)
        assert isinstance(user, str)
        assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", user), f"the image runs as {user!r}"
        self._environment = list(environment)
        self._user, self._group = user.split(":")
        self._started: list[subprocess.Popen[bytes]] = []

    def words(self, command: list[str], variables: dict[str, str]) -> list[str]:
        pairs = [*self._environment, *(f"{name}={value}" for name, value in variables.items())]
        as_user = ["setpriv", "--reuid", self._user, "--regid", self._group, "--clear-groups", "--no-new-privs",
                   "--bounding-set=-all", "--inh-caps=-all"]  # fmt: skip
        inside = ["nsenter", "--target", str(self._host), "--net", "--mount", "--"]
        return [
            *inside,
            "env",
            "-i",
            *pairs,
            "HOME=/var/lib/riacho",
            shutil.which("chroot") or "chroot",
            str(self._root),
            *as_user,
            *command,
        ]

    def say(self, *command: str, **variables: str) -> str:
        return _run(self.words(list(command), variables))

    def start(self, command: list[str], check: list[str], **variables: str) -> None:
        with self._log.open("ab") as log:
            process = subprocess.Popen(self.words(command, variables), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self._started.append(process)
        deadline = time.monotonic() + HEALTHY_TIMEOUT_S
        while subprocess.run(self.words(check, {}), capture_output=True, check=False).returncode:
            if process.poll() is not None or time.monotonic() > deadline:
                last = "\n".join(self._log.read_text(errors="replace").splitlines()[-15:])
                raise NotBuiltError(f"{command} does not become healthy:\n{last}")
            time.sleep(0.1)

    def stop(self) -> None:
        """In order, the last first; SIGTERM is enough."""
        for process in reversed(self._started):
            process.terminate()
            if code := process.wait(60):
                raise NotBuiltError(f"{process.args} ended with {code} when it was told to stop")


def _try(target: str, tree: Path, image: str, commit: str) -> None:
    """A broker with the image's own entry point, records through it, the services; Spark and its own where it is."""
    config = json.loads(_buildah("inspect", "--type", "image", image))["Docker"]["config"]
    log = WORK / f"{target}.log"
    log.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as root:
        script = _INSIDE.format(tree=tree, root=root)
        with subprocess.Popen(
            ["unshare", "--net", "--mount", "sh", "-euc", script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as host:
            assert host.stdin is not None
            assert host.stdout is not None
            if host.stdout.readline() != "ready\n":
                raise NotBuiltError("no namespaces can be made here")
            running = Running(Path(root), host.pid, config, log)
            try:
                _exercise(target, running, config, commit)
            finally:
                running.stop()
                host.stdin.close()


def _exercise(target: str, running: Running, config: dict[str, Any], commit: str) -> None:
    # Whoever could write there could change what runs next.
    for place in ("/opt/riacho", "/etc", "/usr/local/bin"):
        running.say("sh", "-c", f"! touch {place}/written 2> /tmp/refused && grep -q 'Read-only' /tmp/refused")
    running.start([*config["Entrypoint"], *config["Cmd"]], config["Healthcheck"]["Test"][1:])
    running.say("kafka-topics", "--bootstrap-server", "localhost:9092", "--create", "--topic", "orders")
    running.say("sh", "-c", _TOLD)
    if running.say("sh", "-c", _READ).splitlines() != [str(number) for number in range(1, 101)]:
        raise NotBuiltError("not what was written is read")
    version = running.say("riacho", "--version")
    if commit not in version or "compiled" not in version:
        raise NotBuiltError(f"it says of itself: {version}")
    print(f"{target}: a broker is healthy on a read-only root, {version}", flush=True)
    for name, port, path, variable in _SERVICES:
        running.start(["riacho", name], ["healthy", port, path], **{f"{variable}_BOOTSTRAP_SERVERS": "localhost:9092"})
    print(f"{target}: {', '.join(service[0] for service in _SERVICES)} answer", flush=True)
    if target == "pipelines":
        running.say("/opt/riacho/bin/python", "-c", _SPARK)
        for name, port, prefix in ("connect", "8083", "CONNECT"), ("ksqldb-server", "8088", "KSQL"):
            running.start(["riacho", name], ["healthy", port], **{f"{prefix}_BOOTSTRAP_SERVERS": "localhost:9092"})
        print("pipelines: Spark counts, Connect and KSQL are healthy", flush=True)


if __name__ == "__main__":
    sys.exit(main())
