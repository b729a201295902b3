"""The JVM's class archive of a Spark driver: it brings the start of a local session from nine seconds to under four.

Most of a driver's start is reading and checking some twenty thousand classes out of jars. A JVM can write down at its
end what it loaded (JEP 350) and map that file at its next start. The file is kept in the user's cache directory, one
for each version of PySpark and Java; a JVM that finds it unfit goes on without it.

    python -m riacho.pipelines.spark.class_archive

writes it, once, and sessions use it from then on; no session writes one by itself, since that would hold up its end by
half a minute. It is written to a name of its own, and given its final one only when the JVM has ended well, so that no
session ever maps half a file. RIACHO_CLASS_ARCHIVE=off does without.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

VARIABLE = "RIACHO_CLASS_ARCHIVE"
# Writing the archive takes the JVM some seconds at its end; a busy machine takes longer.
_WRITING_TIMEOUT_S = 120
_JAVA_VERSION_TIMEOUT_S = 60
# Archives of changed class paths are given up silently: a warning on each start would help nobody.
_QUIET = "-Xshare:auto -Xlog:cds=off -Xlog:cds+dynamic=off -Xlog:class+path=off"


def java_options(mode: str | None = None) -> str:
    """What to start a driver with; empty where there is no archive to use or to write."""
    mode = mode or os.environ.get(VARIABLE, "use")
    java = java_executable()
    if mode == "off" or java is None:
        return ""
    archive = archive_path(java)
    if archive is None:
        return ""
    if archive.exists():
        return f"-XX:SharedArchiveFile={archive} {_QUIET}"
    if mode != "write" or not _directory_is_ready(archive.parent):
        return ""
    part = archive.with_suffix(f".{os.getpid()}.part")
    atexit.register(_finish, part, archive)
    return f"-XX:ArchiveClassesAtExit={part} {_QUIET}"


def java_executable() -> str | None:
    """The Java that Spark's scripts start."""
    home = os.environ.get("JAVA_HOME")
    if home and (found := shutil.which(str(Path(home) / "bin" / "java"))):
        return found
    return shutil.which("java")


@functools.cache
def java_version(java: str) -> str:
    """All that it tells of itself: two builds of one release do not share archives."""
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=_JAVA_VERSION_TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stderr.strip()


def java_release(java: str) -> int:
    """17 for Java 17; 0 where it cannot be told."""
    found = re.search(r'version "(?:1\.)?(\d+)', java_version(java))
    return int(found[1]) if found else 0


def archive_path(java: str) -> Path | None:
    """Where the archive is or will be; None where no file name can be right, as with blanks in the path."""
    import pyspark

    home = Path(pyspark.__file__).resolve().parent
    key = hashlib.sha256(f"{pyspark.__version__}\n{home}\n{java_version(java)}".encode()).hexdigest()[:16]
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    path = Path(base) / "riacho" / "spark" / f"classes-{pyspark.__version__}-{key}.jsa"
    return None if re.search(r"\s", str(path)) or java_release(java) < 17 else path


def _directory_is_ready(directory: Path) -> bool:
    with contextlib.suppress(OSError):
        directory.mkdir(parents=True, exist_ok=True)
    return os.access(directory, os.W_OK)


def _finish(part: Path, archive: Path) -> None:
    """End the JVM, wait until it has written, and give the archive its name. Whatever fails leaves no archive."""
    from pyspark import SparkContext

    gateway = SparkContext._gateway
    process = getattr(gateway, "proc", None)
    if gateway is None or process is None:
        return
    try:
        with contextlib.suppress(Exception):
            if SparkContext._active_spark_context is not None:
                SparkContext._active_spark_context.stop()
        gateway.shutdown()
        process.stdin.close()
        if process.wait(_WRITING_TIMEOUT_S) == 0 and part.exists() and not archive.exists():
            part.rename(archive)
    except (OSError, subprocess.TimeoutExpired):
        pass
    finally:
        part.unlink(missing_ok=True)


def write_archive() -> None:
    """A session that does what most do, so that its classes are in the archive, and ends."""
    from riacho.pipelines.spark.session import spark

    os.environ[VARIABLE] = "write"
    if "-XX:ArchiveClassesAtExit" not in java_options():
        # It is there, or cannot be.
        return
    session = spark("class-archive", master="local[1]", conf={"spark.driver.memory": "1g"})
    numbers = session.range(1000).selectExpr("id % 10 AS key", "CAST(id AS STRING) AS value")
    numbers.groupBy("key").count().collect()
    stream = session.readStream.format("rate-micro-batch").option("rowsPerBatch", 10).load()
    query = stream.writeStream.foreachBatch(_count).trigger(availableNow=True).start()
    query.awaitTermination()
    session.stop()


def _count(batch: DataFrame, batch_id: int) -> None:
    batch.count()


if __name__ == "__main__":
    write_archive()
