"""Apache Kafka's jars and command line tools, fetched once by Maven coordinates into the user's cache directory.

`available()` says why the Java side cannot be had (no java, no mvn, no registry), or None when it can. The first caller
pays for the download; others wait on a file lock. The jars appear by one rename, so a cut download is never used.
"""

from __future__ import annotations

import fcntl
import functools
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from support.java_tool_server import ToolServer

KAFKA_VERSION = "4.3.1"
JAVA_VERSION_MIN = 17  # the broker's own floor since 4.0
FETCH_TIMEOUT_S = 600

ARTIFACTS = (
    ("org.apache.kafka", "kafka_2.13", KAFKA_VERSION),
    ("org.apache.kafka", "kafka-tools", KAFKA_VERSION),
    ("org.apache.kafka", "kafka-shell", KAFKA_VERSION),
    ("org.apache.logging.log4j", "log4j-slf4j-impl", "2.25.4"),
)

TOOLS: Mapping[str, str] = {
    "kafka-acls": "org.apache.kafka.tools.AclCommand",
    "kafka-broker-api-versions": "org.apache.kafka.tools.BrokerApiVersionsCommand",
    "kafka-client-metrics": "org.apache.kafka.tools.ClientMetricsCommand",
    "kafka-cluster": "org.apache.kafka.tools.ClusterTool",
    "kafka-configs": "kafka.admin.ConfigCommand",
    "kafka-console-consumer": "org.apache.kafka.tools.consumer.ConsoleConsumer",
    "kafka-console-producer": "org.apache.kafka.tools.ConsoleProducer",
    "kafka-console-share-consumer": "org.apache.kafka.tools.consumer.ConsoleShareConsumer",
    "kafka-consumer-groups": "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand",
    "kafka-consumer-perf-test": "org.apache.kafka.tools.ConsumerPerformance",
    "kafka-delegation-tokens": "org.apache.kafka.tools.DelegationTokenCommand",
    "kafka-delete-records": "org.apache.kafka.tools.DeleteRecordsCommand",
    "kafka-dump-log": "org.apache.kafka.tools.DumpLogSegments",
    "kafka-e2e-latency": "org.apache.kafka.tools.EndToEndLatency",
    "kafka-features": "org.apache.kafka.tools.FeatureCommand",
    "kafka-get-offsets": "org.apache.kafka.tools.GetOffsetShell",
    "kafka-groups": "org.apache.kafka.tools.GroupsCommand",
    "kafka-leader-election": "org.apache.kafka.tools.LeaderElectionCommand",
    "kafka-log-dirs": "org.apache.kafka.tools.LogDirsCommand",
    "kafka-metadata-quorum": "org.apache.kafka.tools.MetadataQuorumCommand",
    "kafka-metadata-shell": "org.apache.kafka.shell.MetadataShell",
    "kafka-producer-perf-test": "org.apache.kafka.tools.ProducerPerformance",
    "kafka-reassign-partitions": "org.apache.kafka.tools.reassign.ReassignPartitionsCommand",
    "kafka-replica-verification": "org.apache.kafka.tools.ReplicaVerificationTool",
    "kafka-share-consumer-perf-test": "org.apache.kafka.tools.ShareConsumerPerformance",
    "kafka-share-groups": "org.apache.kafka.tools.consumer.group.ShareGroupCommand",
    "kafka-storage": "kafka.tools.StorageTool",
    "kafka-streams-application-reset": "org.apache.kafka.tools.StreamsResetter",
    "kafka-streams-groups": "org.apache.kafka.tools.streams.StreamsGroupCommand",
    "kafka-topics": "org.apache.kafka.tools.TopicCommand",
    "kafka-transactions": "org.apache.kafka.tools.TransactionsCommand",
    "kafka-verifiable-consumer": "org.apache.kafka.tools.VerifiableConsumer",
    "kafka-verifiable-producer": "org.apache.kafka.tools.VerifiableProducer",
}

# These end in shutdown hooks, change what the whole JVM logs in with, or end the JVM themselves.
OWN_PROCESS = frozenset(
    TOOLS[name]
    for name in (
        "kafka-e2e-latency",
        "kafka-metadata-shell",
        "kafka-replica-verification",
        "kafka-verifiable-consumer",
        "kafka-verifiable-producer",
    )
)

# A tool lives for a second: the first compiler tier and the serial collector start soonest and spare the cores.
TOOL_JVM_FLAGS = ("-Xmx256M", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto")


def cache_directory() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "riacho" / f"apache-kafka-{KAFKA_VERSION}"


@functools.cache
def available() -> str | None:
    """Why Apache Kafka cannot be run here, or None when it can. May fetch; remembered for the life of the process."""
    if shutil.which("java") is None:
        return "no java on the PATH"
    version = java_version()
    if version < JAVA_VERSION_MIN:
        return f"java {version} is too old, Apache Kafka {KAFKA_VERSION} needs {JAVA_VERSION_MIN}"
    if cache_directory().is_dir():
        return None
    if shutil.which("mvn") is None:
        return "no mvn on the PATH to fetch Apache Kafka with"
    return _fetch_once()


def java_version() -> int:
    told = subprocess.run(["java", "-version"], capture_output=True, text=True, timeout=60, check=False).stderr
    match = re.search(r'version "(?:1\.)?(\d+)', told)
    return int(match.group(1)) if match else 0


def java_classpath() -> str:
    reason = available()
    if reason is not None:
        raise RuntimeError(f"Apache Kafka {KAFKA_VERSION} is not available: {reason}")
    return f"{cache_directory()}/*"


def java_command(main_class: str, *args: str, jvm_flags: Sequence[str] = TOOL_JVM_FLAGS, log4j: str = "") -> list[str]:
    """The argv that runs a class of Kafka's. Logs go to stderr at WARN unless `log4j` names another config file."""
    config = log4j or str(cache_directory() / "log4j2-tools.properties")
    flags = ["-Djava.awt.headless=true", f"-Dlog4j2.configurationFile={config}"]
    return ["java", *jvm_flags, *flags, "-cp", java_classpath(), main_class, *args]


def java_tool(
    name: str,
    args: Sequence[str],
    input: str | None = None,
    timeout: float = 60,
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run one of Kafka's tools by the name of its script (`kafka-topics`, `.sh` allowed) or by its class name.

    In the JVM that this process keeps for them, unless the tool needs a process of its own.
    """
    main_class = TOOLS.get(name.removesuffix(".sh"), name)
    if main_class in OWN_PROCESS or env or shutil.which("javac") is None:
        return _tool_process(main_class, args, input, timeout, env)
    return _tool_server().run(main_class, args, input, timeout)


@functools.cache
def _tool_server() -> ToolServer:
    from support.java_tool_server import ToolServer

    return ToolServer()


def _tool_process(
    main_class: str, args: Sequence[str], input: str | None, timeout: float, env: Mapping[str, str] | None
) -> subprocess.CompletedProcess[str]:
    from support.java_archive import archive_flags

    return subprocess.run(
        java_command(main_class, *args, jvm_flags=(*TOOL_JVM_FLAGS, *archive_flags())),
        input=input,
        stdin=subprocess.DEVNULL if input is None else None,
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, **(env or {})},
        check=False,
    )


def _fetch_once() -> str | None:
    target = cache_directory()
    target.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{target}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if target.is_dir():
            return None
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".fetch-") as scratch:
            return _fetch(Path(scratch), target)


def _fetch(scratch: Path, target: Path) -> str | None:
    jars = scratch / "jars"
    (scratch / "pom.xml").write_text(_pom())
    command = ["mvn", "-q", "-B", "dependency:copy-dependencies", f"-DoutputDirectory={jars}", "-DincludeScope=runtime"]
    try:
        done = subprocess.run(
            command, cwd=scratch, capture_output=True, text=True, timeout=FETCH_TIMEOUT_S, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        return f"mvn did not fetch Apache Kafka {KAFKA_VERSION} within {FETCH_TIMEOUT_S} s"
    if done.returncode != 0:
        errors = re.findall(r"\[ERROR\] (.+)", done.stdout) or ["no error was told"]
        return f"mvn could not fetch Apache Kafka {KAFKA_VERSION}: {errors[0]}"
    (jars / "log4j2-tools.properties").write_text(log4j_config(target="SYSTEM_ERR", level="WARN"))
    os.chmod(jars, 0o755)
    os.rename(jars, target)
    return None


def log4j_config(target: str, level: str) -> str:
    return (
        "status=off\n"
        "appender.out.type=Console\nappender.out.name=out\n"
        f"appender.out.target={target}\n"
        "appender.out.layout.type=PatternLayout\nappender.out.layout.pattern=[%d] %p %m (%c)%n\n"
        f"rootLogger.level={level}\nrootLogger.appenderRef.out.ref=out\n"
    )


def _pom() -> str:
    wanted = "".join(
        f"<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId><version>{version}</version></dependency>"
        for group, name, version in ARTIFACTS
    )
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>local</groupId><artifactId>fetch</artifactId><version>1</version><packaging>pom</packaging>"
        f"<dependencies>{wanted}</dependencies></project>"
    )
