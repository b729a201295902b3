"""The JVM's class archive of a Spark driver: it halves the processor time of a local session's start.

Most of a driver's start is reading and checking some twenty thousand classes out of jars. A JVM can write down at its
end what it loaded (JEP 350) and map that file at its next start. The file is kept in the user's cache directory, one
for each version of PySpark, Java and of what `class_training` does; a JVM that finds it unfit goes on without it.

    python -m riacho.pipelines.spark.class_archive

writes it, once, and sessions use it from then on; no session writes one by itself, since that would hold up its end by
half a minute, but `riacho up` has it written beside (`archive_later`). It is written to a name of its own, and given
its final one only when the JVM has ended well, so that no session ever maps half a file. RIACHO_CLASS_ARCHIVE=off does
without.
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
from typing import IO

VARIABLE = "RIACHO_CLASS_ARCHIVE"
# Writing the archive takes the JVM some seconds at its end; a busy machine takes longer.
_WRITING_TIMEOUT_S = 120
_JAVA_VERSION_TIMEOUT_S = 60
_TRAINING = Path(__file__).with_name("class_training.py")
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
    # What is compiled is not written down: the quick compiler will do.
    return f"-XX:ArchiveClassesAtExit={part} -XX:TieredStopAtLevel=1 {_QUIET}"


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
    """17 for Java 17; 0 where it is not known."""
    found = re.search(r'version "(?:1\.)?(\d+)', java_version(java))
    return int(found[1]) if found else 0


def archive_path(java: str) -> Path | None:
    """Where the archive is or will be; None where no file name can be right, as with blanks in the path."""
    import pyspark

    home = Path(pyspark.__file__).resolve().parent
    key = _digest(f"{pyspark.__version__}\n{home}\n{java_version(java)}")
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    path = Path(base) / "riacho" / "spark" / f"classes-{pyspark.__version__}-{key}-{_digest(_TRAINING.read_text())}.jsa"
    return None if re.search(r"\s", str(path)) or java_release(java) < 17 else path


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


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
            _remove_older(archive)
    except (OSError, subprocess.TimeoutExpired):
        pass
    finally:
        part.unlink(missing_ok=True)


def _remove_older(archive: Path) -> None:
    """Those of the same PySpark and Java, of another training; a JVM that has one mapped keeps it."""
    for older in archive.parent.glob(f"{archive.stem.rpartition('-')[0]}-*.jsa"):
        if older != archive:
            older.unlink(missing_ok=True)


def write_archive() -> None:
    """A session that does what most do, so that its classes are in the archive, and ends."""
    java = java_executable()
    archive = None if java is None else archive_path(java)
    if archive is None or archive.exists() or not _directory_is_ready(archive.parent):
        return
    lock = _locked(archive.with_suffix(".lock"))
    if lock is None:
        return
    for left in archive.parent.glob(f"{archive.stem}.*.part"):
        left.unlink(missing_ok=True)
    # Held while the JVM writes, which is after everything else here.
    atexit.register(lock.close)
    os.environ[VARIABLE] = "write"
    from riacho.pipelines.spark.class_training import train
    from riacho.pipelines.spark.session import spark

    print("Writing down which classes Spark's JVM needs: once, for quicker starts from then on.", flush=True)
    session = spark("class-archive", master="local[2]", conf={"spark.scheduler.mode": "FAIR"})
    session.sparkContext.setLogLevel("ERROR")
    train(session)
    session.stop()


def _locked(path: Path) -> IO[str] | None:
    """None while another process writes the archive."""
    import fcntl

    file = path.open("w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return None
    return file


if __name__ == "__main__":
    write_archive()
