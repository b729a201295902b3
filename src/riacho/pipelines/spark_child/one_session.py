"""The one Spark session of a child process, made when the first asks for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from riacho.base.config import ConfigError
from riacho.base.packages import how_to_install
from riacho.pipelines.plugin import ConnectError
from riacho.pipelines.spark.archive_later import write_later

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class OneSession:
    """`make` is called once, by whichever thread is first; the others wait. ConnectError in one sentence where there
    can be none."""

    def __init__(self, make: Callable[[], SparkSession]) -> None:
        self._make = make
        self._making = threading.Lock()
        self._session: SparkSession | None = None

    def get(self) -> SparkSession:
        with self._making:
            if self._session is None:
                try:
                    self._session = self._make()
                except ConfigError as error:
                    raise ConnectError(str(error)) from None
                except ImportError as error:
                    text = f"Spark cannot be used: the package {error.name or error} is not installed"
                    raise ConnectError(f"{text} ({how_to_install('spark')}).") from None
                write_later()
            return self._session

    def stop(self) -> None:
        if self._session is not None:
            self._session.stop()
