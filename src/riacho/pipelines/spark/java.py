"""Whether there is a Java that Spark can run on. PySpark's own words are of a gateway that exited."""

from __future__ import annotations

from riacho.base.config import ConfigError
from riacho.pipelines.spark import class_archive

JAVA_MIN = 17


def check_java() -> None:
    """ConfigError with what is there and what is needed."""
    java = class_archive.java_executable()
    release = 0 if java is None else class_archive.java_release(java)
    if java is None or 0 < release < JAVA_MIN:
        found = "there is none" if java is None else f"{java} is {release}"
        raise ConfigError(
            f"Spark needs Java {JAVA_MIN} or later, and {found}: install it, set JAVA_HOME or put java on the PATH."
        )
