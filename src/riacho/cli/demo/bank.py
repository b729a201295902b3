"""The demo's whole script: a bank's transfers through every part of the platform, counted at the end.

    REST proxy -> topic transfers -> Connect (transforms) -> Parquet, by kind; poison to transfers-dlq
                                  -> Spark program (windowed sums) -> topic transfer-totals
                                  -> KSQL (balances by account) -> table balances, pulled

Transfers go on while the tour is on the screen, until Ctrl-C or until the time is up. Then they stop, the pipelines
catch up, and what arrived is compared with what the brokers acknowledged.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import click

from riacho.base.errors import KafkaError
from riacho.cli.demo.balances import PULL, STATEMENTS, failed_because, keep_balances, read_balances
from riacho.cli.demo.bank_tour import CONNECTOR, DLQ, TOTALS, archive_config, show_tour
from riacho.cli.demo.demo_context import DemoError, expect, say, wait_for
from riacho.cli.demo.platform import Platform
from riacho.cli.demo.topics import read_topic, read_totals
from riacho.cli.demo.transfers import TOPIC, Sent, Transfers
from riacho.cli.failures import sentence
from riacho.cli.http_json import HttpFailure, call
from riacho.cli.output import styled
from riacho.cli.supervisor.parent_watch import ending_with_parent
from riacho.cli.supervisor.run_state import RunState
from riacho.cli.supervisor.services import CONNECT, KSQL, REST_PROXY, SCHEMA_REGISTRY
from riacho.cli.target import Target
from riacho.client.topic_changes import create_topic

_PARTITIONS = 3
# A first Spark job on two busy cores takes its time.
_SPARK_TIMEOUT_S = 240.0
_PROGRAM = "riacho.pipelines.examples.transfer_totals"
_PROGRAM_STOP_S = 30.0
_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def run_bank_demo(*, keep: bool, seconds: float | None) -> None:
    path = Path(tempfile.mkdtemp(prefix="riacho-demo-"))
    try:
        with _until_told() as told:
            _Bank(path, told).run(seconds)
    except (DemoError, HttpFailure) as error:
        raise click.ClickException(f"The demo failed: {error}.") from None
    except KafkaError as error:
        raise click.ClickException(f"The demo failed: {sentence(error)}") from None
    finally:
        if not keep:
            shutil.rmtree(path, ignore_errors=True)
    if keep:
        click.echo(f"The data is in {path}.")


class _Ended(Exception):
    """Somebody said stop before the tour."""


@contextmanager
def _until_told() -> Iterator[threading.Event]:
    """An event that SIGINT and SIGTERM set. No KeyboardInterrupt: it would leave processes behind."""
    told = threading.Event()

    def tell(number: int, frame: FrameType | None) -> None:
        told.set()

    before = {number: signal.signal(number, tell) for number in _STOP_SIGNALS}
    try:
        yield told
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Bank:
    def __init__(self, path: Path, told: threading.Event) -> None:
        self._path = path
        self._told = told
        self._platform = Platform(path / "data")
        self._archive = path / "archive"
        self._program: subprocess.Popen[bytes] | None = None
        self._transfers: Transfers | None = None
        self._step_number = 0

    def run(self, seconds: float | None) -> None:
        started_s = time.monotonic()
        try:
            self._step("Start three brokers, the schema registry, the REST proxy, Connect, KSQL and the control center")
            state = self._start_platform()
            transfers = self._send_transfers(state)
            self._archive_by_connect(state)
            self._total_by_spark(state)
            self._poison(state, transfers)
            self._wait_for_figures(state)
            self._balance_by_sql(state)
            show_tour(state, self._archive, transfers.sent, time.monotonic() - started_s)
            self._told.wait(seconds)
            self._count(state, transfers)
        except _Ended:
            click.echo("Stopped before the tour.")
        finally:
            self._stop()

    def _step(self, title: str) -> None:
        if self._told.is_set():
            raise _Ended
        self._step_number += 1
        click.echo(f"{styled(f'{self._step_number:2}', 'cyan')} {styled(title, 'bold')}")

    def _wait(self, is_so: Callable[[], bool], otherwise: str) -> None:
        def is_so_or_over() -> bool:
            if self._told.is_set():
                raise _Ended
            if self._transfers is not None and self._transfers.failure is not None:
                raise DemoError(self._transfers.failure)
            if self._program is not None and self._program.poll() is not None:
                raise DemoError(f"the Spark program ended: {self._program_words()}")
            return is_so()

        wait_for(is_so_or_over, otherwise, _SPARK_TIMEOUT_S)

    def _start_platform(self) -> RunState:
        started_s = time.monotonic()
        self._platform.directory.path.mkdir(parents=True)
        state = self._platform.start()
        say(f"brokers {state.bootstrap}; everything answers after {time.monotonic() - started_s:.1f} s")
        return state

    def _send_transfers(self, state: RunState) -> Transfers:
        self._step("Send transfers and reversals, keyed by account, as Avro through the REST proxy")
        with Target(state.bootstrap).open() as cluster:
            for topic in (TOPIC, TOTALS):
                create_topic(cluster, topic, partitions=_PARTITIONS)
        self._transfers = transfers = Transfers(_url(state, REST_PROXY.name))
        transfers.start()
        self._wait(lambda: transfers.sent.good > 0, "no transfer was taken")
        versions = call("GET", f"{_url(state, SCHEMA_REGISTRY.name)}/subjects/{TOPIC}-value/versions")
        expect(versions == [1], f"the registry has versions {versions} of {TOPIC}-value")
        say(f"{transfers.sent.good} taken so far; the registry has their schema")
        return transfers

    def _archive_by_connect(self, state: RunState) -> None:
        self._step("Tell Connect to archive them as Parquet, names masked, by kind; Spark starts now")
        connect = _url(state, CONNECT.name)
        config = archive_config(self._archive, _url(state, SCHEMA_REGISTRY.name))
        call("PUT", f"{connect}/connectors/{CONNECTOR}/config", config)

        def is_running() -> bool:
            try:
                status = call("GET", f"{connect}/connectors/{CONNECTOR}/status")
            except HttpFailure:
                return False
            tasks = [task["state"] for task in status["tasks"]]
            if status["connector"]["state"] == "FAILED" or "FAILED" in tasks:
                traces = [status["connector"].get("trace"), *(task.get("trace") for task in status["tasks"])]
                reason = next(filter(None, traces), "no reason given").splitlines()[0]
                raise DemoError(f"the connector failed: {reason}")
            return bool(tasks) and all(task == "RUNNING" for task in tasks)

        self._wait(is_running, "the connector does not run")
        say(f"{CONNECTOR} is RUNNING")

    def _total_by_spark(self, state: RunState) -> None:
        self._step("Start a Spark program that keeps totals by account and ten seconds in a topic")
        arguments = [state.bootstrap, _url(state, SCHEMA_REGISTRY.name), str(self._path / "totals-checkpoint")]
        with (self._path / "totals.log").open("wb") as log:
            self._program = subprocess.Popen(
                ending_with_parent(_PROGRAM, *arguments),
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        say(f"python -m {_PROGRAM}, pid {self._program.pid}")

    def _poison(self, state: RunState, transfers: Transfers) -> None:
        self._step("Send records that nobody can read; they end in the dead letter topic")
        transfers.poison()
        self._wait(
            lambda: len(read_topic(state.bootstrap, DLQ)) >= transfers.sent.poison,
            "not all poison is in the dead letters",
        )
        letter = read_topic(state.bootstrap, DLQ)[0]
        headers = {name: (value or b"").decode(errors="replace") for name, value in letter.headers}
        reason = headers.get("__connect.errors.exception.message", "no reason given").splitlines()[0]
        say(f"{transfers.sent.poison} in {DLQ}; the first one: {reason}")

    def _wait_for_figures(self, state: RunState) -> None:
        from riacho.pipelines.examples.archive import row_count

        self._step("See archive and totals grow")
        self._wait(lambda: row_count(self._archive) > 0, "nothing is in the archive")
        self._wait(lambda: read_totals(state.bootstrap, TOTALS)[0] > 0, "there are no totals")
        say(f"{row_count(self._archive)} rows in Parquet, {read_totals(state.bootstrap, TOTALS)[0]} totals in {TOTALS}")

    def _balance_by_sql(self, state: RunState) -> None:
        """Last, and not waited for: another Spark starts for it, while the tour is on the screen."""
        self._step("Tell KSQL, in SQL, to keep the balance of every account; its Spark starts beside")
        keep_balances(_url(state, KSQL.name))
        say(STATEMENTS[-1].partition(" AS ")[2])

    def _count(self, state: RunState, transfers: Transfers) -> None:
        from riacho.pipelines.examples.archive import read_archive, row_count

        # Told to stop once; a second time is not heard, as the counting has its own end.
        self._told.clear()
        self._step("Stop the transfers, let the pipelines catch up, count")
        transfers.stop()
        sent = transfers.sent
        self._wait(lambda: row_count(self._archive) >= sent.good, "transfers are missing in the archive")
        self._wait(
            lambda: read_totals(state.bootstrap, TOTALS)[1] == sent.cents_by_account, "the totals are not the sums sent"
        )
        ksql = _url(state, KSQL.name)
        self._wait(lambda: self._is_balanced(ksql, sent), "the balances by KSQL are not the sums sent")
        archive = read_archive(self._archive)
        letters = len(read_topic(state.bootstrap, DLQ))
        expect(archive.rows == sent.good, f"{sent.good} transfers were sent, {archive.rows} are in the archive")
        expect(archive.reversals == sent.reversals, f"{archive.reversals} reversals of {sent.reversals}")
        expect(
            not archive.before_their_transfer, f"{archive.before_their_transfer} reversals stand before their transfer"
        )
        expect(letters == sent.poison, f"{letters} dead letters of {sent.poison} bad records")
        say(f"sent {sent.good}, in Parquet {archive.rows}; reversals {archive.reversals}, none before its transfer")
        say(f"totals equal for {len(sent.cents_by_account)} accounts; dead letters {letters} of {sent.poison}")
        say(f"balances by KSQL equal for {len(sent.cents_by_account)} accounts: {PULL}")
        click.echo(styled("Nothing lost, nothing twice.", "green"))

    def _is_balanced(self, ksql: str, sent: Sent) -> bool:
        reason = failed_because(ksql)
        if reason is not None:
            raise DemoError(f"the query of KSQL failed: {reason}")
        return read_balances(ksql) == sent.cents_by_account

    def _program_words(self) -> str:
        lines = (self._path / "totals.log").read_text(errors="replace").strip().splitlines()
        return lines[-1] if lines else "it said nothing"

    def _stop(self) -> None:
        if self._transfers is not None:
            self._transfers.stop()
        if self._program is not None and self._program.poll() is None:
            self._program.terminate()
            try:
                self._program.wait(_PROGRAM_STOP_S)
            except subprocess.TimeoutExpired:
                self._program.kill()
                self._program.wait()
        self._platform.stop()


def _url(state: RunState, name: str) -> str:
    service = state.service(name)
    assert service is not None, f"{name} runs, as the platform is up"
    return service.url
