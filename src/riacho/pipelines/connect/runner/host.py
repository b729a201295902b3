"""The runner itself: commands in, connectors started and stopped, one Spark session for all of them.

The session is made when the first connector starts.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING

from riacho.pipelines.connect.protocol import Failed, Settings, Start, Stop, Stopped, command_from
from riacho.pipelines.connect.runner.hosted import Hosted
from riacho.pipelines.spark_child.events import Events
from riacho.pipelines.spark_child.messages import Ready
from riacho.pipelines.spark_child.one_session import OneSession
from riacho.pipelines.spark_child.query_thread import END_S, QueryThreads
from riacho.pipelines.spark_child.runner_process import commands

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

APP_NAME = "riacho-connect"
_SPARK = {
    # Connectors take turns (see hosted.py), and each keeps only its latest figures.
    "spark.scheduler.mode": "FAIR",
    "spark.sql.streaming.numRecentProgressUpdates": "20",
    # Idle queries need no empty batch to move a watermark.
    "spark.sql.streaming.noDataProgressEventInterval": "10000",
    "spark.sql.streaming.stopTimeout": "30000",
    # Steps are planned anew for every batch: telling the JVM which line of ours made each column doubles the calls.
    "spark.python.sql.dataFrameDebugging.enabled": "false",
}


class Host:
    def __init__(self, settings: Settings, events: Events) -> None:
        self._settings = settings
        self._events = events
        self._running: QueryThreads[Hosted] = QueryThreads()
        self._starting = threading.Lock()
        self._session = OneSession(self._made)

    def run(self, lines: Iterable[str]) -> None:
        """Runs until the command to quit, or until the worker is gone."""
        for command in commands(lines, command_from, self._events):
            match command:
                case Start():
                    self._start(command)
                case Stop():
                    self._stop(command)
        self._quit()

    def _start(self, start: Start) -> None:
        if not self._running.has_ended(start.name):
            trace = f"An earlier run of {start.name} did not end within {END_S:g} seconds."
            self._events.send(Failed(start.name, start.generation, None, trace))
            return
        hosted = Hosted(start, self._settings, self.session, self._starting, self._events)
        self._running.begin(start.name, hosted)

    def _stop(self, stop: Stop) -> None:
        hosted = self._running.get(stop.name)
        if hosted is None or hosted.start.generation != stop.generation:
            # Nothing of it is here (any more): which is what was asked for.
            self._events.send(Stopped(stop.name, stop.generation))
            return
        hosted.stop()

    def session(self) -> SparkSession:
        return self._session.get()

    def _made(self) -> SparkSession:
        from riacho.pipelines.spark.session import MASTER_VARIABLE, spark
        from riacho.pipelines.spark.web_ui import CHILD_DEFAULTS, open_web_ui

        master = self._settings.spark.get("spark.master") or os.environ.get(MASTER_VARIABLE)
        # A Spark Connect server has settings of its own, which a client cannot change.
        own = {} if (master or "").startswith("sc://") else _SPARK | CHILD_DEFAULTS
        conf = own | self._settings.spark
        conf.pop("spark.master", None)
        session = spark(APP_NAME, master=master, bootstrap=self._settings.bootstrap_servers, conf=conf)
        known_master = master or session.conf.get("spark.master", "") or ""
        self._events.send(Ready(session.version, known_master, open_web_ui(session, known_master)))
        return session

    def _quit(self) -> None:
        self._running.quit()
        self._session.stop()
