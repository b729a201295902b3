"""The runner itself: commands in, queries started and stopped, one Spark session for all of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from riacho.pipelines.spark.failures import failure
from riacho.pipelines.spark_child.events import Events
from riacho.pipelines.spark_child.messages import Ready
from riacho.pipelines.spark_child.one_session import OneSession
from riacho.pipelines.spark_child.query_thread import END_S, QueryThreads
from riacho.pipelines.spark_child.runner_process import commands
from riacho.pipelines.sql.runner.evaluation import evaluated
from riacho.pipelines.sql.runner.hosted_query import HostedQuery, PersistentQuery, PushQuery
from riacho.pipelines.sql.runner.protocol import (
    CheckpointsDeleted,
    DeleteCheckpoints,
    Evaluate,
    Evaluated,
    Failed,
    Settings,
    StartPush,
    StartQuery,
    Stopped,
    StopQuery,
    command_from,
)
from riacho.pipelines.sql.runner.remote_checkpoints import delete_checkpoints

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_EVALUATIONS_MAX = 2


class Host:
    def __init__(self, settings: Settings, events: Events) -> None:
        self._settings = settings
        self._events = events
        self._running: QueryThreads[HostedQuery] = QueryThreads()
        self._starting = threading.Lock()
        self._session = OneSession(self._made)
        self._evaluating = ThreadPoolExecutor(_EVALUATIONS_MAX, thread_name_prefix="evaluate")

    def run(self, lines: Iterable[str]) -> None:
        """Runs until the command to quit, or until the server is gone."""
        for command in commands(lines, command_from, self._events):
            match command:
                case StartQuery():
                    self._start(PersistentQuery(command, *self._means()))
                case StartPush():
                    self._start(PushQuery(command, *self._means()))
                case StopQuery():
                    self._stop(command)
                case Evaluate():
                    self._evaluating.submit(self._evaluate, command)
                case DeleteCheckpoints():
                    self._evaluating.submit(self._delete, command)
        self._quit()

    def _means(self) -> tuple[Settings, Callable[[], SparkSession], threading.Lock, Events]:
        return self._settings, self.session, self._starting, self._events

    def _start(self, query: HostedQuery) -> None:
        if not self._running.has_ended(query.start.query_id):
            sentence = f"An earlier run of {query.start.query_id} did not end within {END_S:g} seconds."
            self._events.send(Failed(*query.whose, sentence, sentence, False))
            return
        self._running.begin(query.start.query_id, query)

    def _stop(self, stop: StopQuery) -> None:
        query = self._running.get(stop.query_id)
        if query is None or query.start.generation != stop.generation:
            self._events.send(Stopped(stop.query_id, stop.generation))
            return
        query.stop(stop.forget)

    def _evaluate(self, command: Evaluate) -> None:
        try:
            session = self.session()
            if command.functions:
                from riacho.pipelines.sql.functions.python_functions import register_python_functions

                register_python_functions(session, command.functions, self._settings.modules)
            rows = evaluated(session, command)
            self._events.send(Evaluated(command.request_id, rows))
        except Exception as error:
            self._events.send(Evaluated(command.request_id, (), failure(error).sentence))

    def _delete(self, command: DeleteCheckpoints) -> None:
        try:
            delete_checkpoints(
                self.session(), command.location, command.names, lambda text: self._events.log("WARNING", [text])
            )
        except Exception as error:
            self._events.log("WARNING", [f"checkpoints not deleted reason={failure(error).sentence}"])
        self._events.send(CheckpointsDeleted())

    def session(self) -> SparkSession:
        return self._session.get()

    def _made(self) -> SparkSession:
        from riacho.pipelines.spark.web_ui import open_web_ui
        from riacho.pipelines.sql.runner.session import ksql_session

        session, master = ksql_session(self._settings.bootstrap_servers, self._settings.spark)
        self._events.send(Ready(session.version, master, open_web_ui(session, master)))
        return session

    def _quit(self) -> None:
        self._evaluating.shutdown(wait=False, cancel_futures=True)
        self._running.quit()
        self._session.stop()
