"""The wheel without any extra: brokers and their tools work, and what needs an extra says which."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support.release_environment import ReleaseEnvironment

pytestmark = pytest.mark.timeout(900)
SECURITY, SERVICES, SPARK = (f"pip install '.[{extra}]'" for extra in ("security", "services", "spark"))
# In the directory of each test.
SECURE = "secure.properties"
SECURE_LINES = "security.protocol=SSL\nssl.truststore.type=PKCS12\nssl.truststore.location=trusted.p12\n"
NEEDED = {
    "riacho schema-registry": SERVICES,
    "riacho rest-proxy": SERVICES,
    "riacho connect": SERVICES,
    "riacho ksqldb-server": SERVICES,
    "riacho control-center": SERVICES,
    "riacho ksql": SERVICES,
    "ksql": SERVICES,
    "riacho shell -c version": SERVICES,
    "ksql-datagen quickstart=orders format=protobuf topic=t bootstrap-server=localhost:1": SERVICES,
    f"riacho topic list -b localhost:1 --command-config {SECURE}": SECURITY,
    "kafka-avro-console-consumer --topic t --bootstrap-server localhost:1": SERVICES,
    "kafka-protobuf-console-producer --topic t --bootstrap-server localhost:1": SERVICES,
    "ksql-test-runner -s statements.sql": SPARK,
    "python -c 'import riacho.ksql'": SERVICES,
    "python -c 'import riacho.functions'": SPARK,
    "python -c 'import riacho; riacho.spark(\"shop\")'": SPARK,
}


@pytest.fixture(scope="module")
def release(wheel: Path) -> ReleaseEnvironment:
    return ReleaseEnvironment("", wheel)


def _run(release: ReleaseEnvironment, command: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": f"{release.bin}:/usr/bin:/bin", "HOME": str(tmp_path), "NO_COLOR": "1"}
    return subprocess.run(
        ["/bin/sh", "-c", command],
        env=environment,
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("command", NEEDED)
def test_what_is_missing_is_named(release: ReleaseEnvironment, command: str, tmp_path: Path) -> None:
    (tmp_path / SECURE).write_text(SECURE_LINES)
    (tmp_path / "trusted.p12").touch()
    done = _run(release, command, tmp_path)
    assert done.returncode == 1
    assert NEEDED[command] in done.stderr
    if not command.startswith("python"):
        assert len(done.stderr.splitlines()) == 1, done.stderr


def test_a_broker_needs_nothing_more(release: ReleaseEnvironment, tmp_path: Path) -> None:
    """The small story of the demo: a broker, records, a crash, and all of them counted."""
    done = _run(release, "riacho demo --broker", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert not release.installed() & {"starlette", "lark", "prompt-toolkit", "pyspark", "pandas"}
