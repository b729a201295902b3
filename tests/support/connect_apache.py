"""Apache Kafka's own Connect worker beside ours: ConnectDistributed with the file connectors, from Maven's jars.

`available()` says why it cannot be had, or None. The jars that the broker needs are shared with `support.java`; the
file connectors and what a worker needs besides come in a fetch of their own.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from riacho.cli.supervisor.readiness import is_healthy
from support import java
from support.ports import free_port

_ARTIFACTS = ("connect-runtime", "connect-file")
_TIMEOUT_S = 120.0


def _directory() -> Path:
    return java.cache_directory().with_name(f"apache-connect-{java.KAFKA_VERSION}")


@functools.cache
def available() -> str | None:
    reason = java.available()
    if reason is not None or _directory().is_dir():
        return reason
    if shutil.which("mvn") is None:
        return "no mvn on the PATH to fetch Kafka Connect with"
    wanted = "".join(
        f"<dependency><groupId>org.apache.kafka</groupId><artifactId>{name}</artifactId>"
        f"<version>{java.KAFKA_VERSION}</version></dependency>"
        for name in _ARTIFACTS
    )
    with tempfile.TemporaryDirectory(dir=_directory().parent, prefix=".fetch-") as scratch:
        (Path(scratch) / "pom.xml").write_text(
            '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
            "<groupId>local</groupId><artifactId>fetch</artifactId><version>1</version><packaging>pom</packaging>"
            f"<dependencies>{wanted}</dependencies></project>"
        )
        jars = Path(scratch) / "jars"
        command = ["mvn", "-q", "-B", "dependency:copy-dependencies", f"-DoutputDirectory={jars}"]
        done = subprocess.run(
            [*command, "-DincludeScope=runtime"], cwd=scratch, capture_output=True, timeout=600, check=False
        )
        if done.returncode != 0:
            return "mvn could not fetch Kafka Connect"
        os.rename(jars, _directory())
    return None


@contextmanager
def running_apache_connect(bootstrap: str, directory: Path) -> Iterator[str]:
    """Its URL."""
    port = free_port()
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "plugins").mkdir(exist_ok=True)
    settings = {
        "bootstrap.servers": bootstrap,
        "group.id": "apache",
        "listeners": f"http://127.0.0.1:{port}",
        "plugin.discovery": "service_load",
        "plugin.path": str(directory / "plugins"),
        "key.converter": "org.apache.kafka.connect.json.JsonConverter",
        "value.converter": "org.apache.kafka.connect.json.JsonConverter",
        "offset.flush.interval.ms": "500",
    }
    for what in ("config", "offset", "status"):
        settings[f"{what}.storage.topic"] = f"apache-{what}"
        settings[f"{what}.storage.replication.factor"] = "1"
    file = directory / "worker.properties"
    file.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
    flags = ["-Xmx300M", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
    # Its loggers can be asked and set only where Log4j is there, which Kafka's scripts bring along and its jars do not.
    logging = [str(each) for each in sorted(java.cache_directory().glob("log4j*.jar"))]
    config = f"-Dlog4j2.configurationFile={java.cache_directory() / 'log4j2-tools.properties'}"
    classes = os.pathsep.join([f"{_directory()}/*", *logging])
    main = "org.apache.kafka.connect.cli.ConnectDistributed"
    words = ["java", *flags, config, "-cp", classes, main, str(file)]
    with (directory / "worker.log").open("wb") as log, subprocess.Popen(words, stdout=log, stderr=log) as process:
        try:
            deadline = time.monotonic() + _TIMEOUT_S
            while not is_healthy("127.0.0.1", port):
                assert process.poll() is None, (directory / "worker.log").read_text()[-4000:]
                assert time.monotonic() < deadline, "Kafka Connect did not start in time"
                time.sleep(0.1)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(30)
