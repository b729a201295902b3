"""A Spark session that reads and writes topics by the format `riacho`, on whatever master one setting names.

    spark = riacho.spark("orders", bootstrap="127.0.0.1:9092")
    spark.readStream.format("riacho").option("subscribe", "orders").load()

The master comes from the argument, else from RIACHO_SPARK_MASTER, else it is `local[*]`; `spark://`, `yarn`, `k8s://`
and `sc://` (Spark Connect) are said the same way. Where workers are other machines, riacho has to be installed there:
what is sent to them names its modules and does not carry them.

The defaults below are what costs least with Python workers on few cores; whatever the caller sets has precedence.
A session made with `newSession()` does not know the format: `register` it there.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from riacho.base.config import ConfigError
from riacho.base.packages import how_to_install
from riacho.pipelines.spark.worker_python import worker_python
from riacho.pipelines.spark.worker_sockets import DIRECTORY, ENABLED, socket_settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MASTER_VARIABLE = "RIACHO_SPARK_MASTER"
DEFAULT_MASTER = "local[*]"
JAVA_MIN = 17
_JAVA_OPTIONS = "spark.driver.extraJavaOptions"
CHECKPOINT_FILES = "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
_LOCAL = re.compile(r"local(?:\[\s*(\*|\d+)\s*(?:,\s*\d+\s*)?\])?")
_LOOPBACK_CLUSTER = re.compile(r"spark://(?:127\.0\.0\.1|localhost):\d+|local-cluster\[[^\]]*\]")

_EVERYWHERE = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}
_OWN_DRIVER = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.python.worker.reuse": "true",
    # A worker that has connected says its secret next; fifteen seconds can be short on a busy machine.
    "spark.python.authenticate.socketTimeout": "120s",
    # The default writes each checkpoint file through a forked shell where Hadoop's native library is absent.
    "spark.sql.streaming.checkpointFileManagerClass": CHECKPOINT_FILES,
    # Plans show the options of a read: Spark's own words for what is secret leave out a client's key and login.
    "spark.redaction.regex": "(?i)secret|password|token|access[.]?key|keystore[.]key|key[.]pem|jaas|user[.]info",
}
_LOOPBACK = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}


def spark(
    app_name: str,
    master: str | None = None,
    bootstrap: str | None = None,
    conf: Mapping[str, object] | None = None,
    **settings: object,
) -> SparkSession:
    """The session of this process, made now or before; `spark_sql_shuffle_partitions=4` is a setting as in `conf`.

    `bootstrap` is the `kafka.bootstrap.servers` of reads and writes that name none. ConfigError where there is no Java.
    """
    chosen = master or os.environ.get(MASTER_VARIABLE) or DEFAULT_MASTER
    if not chosen.startswith("sc://"):
        _check_java()
    try:
        from pyspark.sql import SparkSession
    except ModuleNotFoundError as error:
        problem = f"Spark cannot be used: the package {error.name} is not installed ({how_to_install('spark')})."
        raise ModuleNotFoundError(problem, name=error.name) from None

    given = {key: _text(value) for key, value in (conf or {}).items()}
    given |= {name.replace("_", "."): _text(value) for name, value in settings.items()}
    builder = SparkSession.builder.appName(app_name)
    builder = builder.remote(chosen) if chosen.startswith("sc://") else builder.master(chosen)
    for key, value in session_settings(chosen, given).items():
        builder = builder.config(key, value)
    if _is_on_this_machine(chosen):
        # Workers run `python3` unless set otherwise, which in a virtual environment is another Python. Set before the
        # JVM starts, as it also runs one by itself, to look for formats that are installed.
        os.environ.setdefault("PYSPARK_PYTHON", worker_python(sys.executable))
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    session = builder.getOrCreate()
    if _is_on_this_machine(chosen) and session.sparkContext.pythonExec == sys.executable:
        session.sparkContext.pythonExec = worker_python(sys.executable)
    register(session, bootstrap)
    return session


def register(session: SparkSession, bootstrap: str | None = None) -> None:
    """Make the format `riacho` known in `session`."""
    from riacho.pipelines.data_source import data_source

    session.dataSource.register(data_source({"kafka.bootstrap.servers": bootstrap} if bootstrap else {}))


def session_settings(master: str, given: Mapping[str, str]) -> dict[str, str]:
    """`given` over the defaults for such a master."""
    if master.startswith("sc://"):
        return {**_EVERYWHERE, **given}
    defaults = _EVERYWHERE | _OWN_DRIVER
    if _is_on_this_machine(master):
        defaults |= _LOOPBACK
    cores = local_cores(master)
    if cores is None:
        return {**defaults, **given}
    defaults["spark.sql.shuffle.partitions"] = str(cores)
    if DIRECTORY not in given and given.get(ENABLED, "true").lower() == "true":
        defaults |= socket_settings()
    from riacho.pipelines.spark.class_archive import java_options

    options = " ".join(filter(None, (given.get(_JAVA_OPTIONS), java_options())))
    return {**defaults, **given, **({_JAVA_OPTIONS: options} if options else {})}


def local_cores(master: str) -> int | None:
    """How many cores a local master takes; None for any other."""
    found = _LOCAL.fullmatch(master)
    if found is None:
        if master.startswith("local[") or master == "local":
            raise ConfigError(f"The Spark master '{master}' cannot be read; write local[*] or local[2].")
        return None
    if found[1] == "*":
        return os.cpu_count() or 1
    return int(found[1] or 1)


def _check_java() -> None:
    """ConfigError with what is there and what is needed. PySpark's own words are of a gateway that exited."""
    from riacho.pipelines.spark import class_archive

    java = class_archive.java_executable()
    release = 0 if java is None else class_archive.java_release(java)
    if java is None or 0 < release < JAVA_MIN:
        found = "there is none" if java is None else f"{java} is {release}"
        raise ConfigError(
            f"Spark needs Java {JAVA_MIN} or later, and {found}: install it, set JAVA_HOME or put java on the PATH."
        )


def _is_on_this_machine(master: str) -> bool:
    return _LOCAL.fullmatch(master) is not None or _LOOPBACK_CLUSTER.fullmatch(master) is not None


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
