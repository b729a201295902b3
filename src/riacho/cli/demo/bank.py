"""The demo's whole script: a bank's transfers through every part of the platform, counted at the end.

    REST proxy -> topic transfers -> Connect (transforms) -> Parquet, by kind; poison to transfers-dlq
                                  -> Spark program (windowed sums) -> topic transfer-totals
                                  -> KSQL (balances by account) -> table balances, pulled

Everybody is told first and waited for afterwards: the three Sparks start beside each other.

Transfers go on while the tour is on the screen, until Ctrl-C or until the time is up. Then they stop, the pipelines
catch up, and what arrived is compared with what the brokers acknowledged.
"""

from __future__ import annotations

import shutil
import signal
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TypeVar

import click

from riacho.base.errors import KafkaError
from riacho.cli.demo.archive_connector import CONNECTOR, DLQ, archive_config, is_running
from riacho.cli.demo.balances import PULL, STATEMENTS, failed_because, keep_balances, read_balances
from riacho.cli.demo.bank_tour import TOTALS, show_tour
from riacho.cli.demo.demo_context import DemoError, expect, say, wait_for
from riacho.cli.demo.platform import Platform
from riacho.cli.demo.topics import read_topic, read_totals
from riacho.cli.demo.totals_program import MODULE, TotalsProgram
from riacho.cli.demo.transfers import TOPIC, Transfers
from riacho.cli.failures import sentence
from riacho.cli.http_json import HttpFailure, call
from riacho.cli.output import styled
from riacho.cli.record_text import TextRecord
from riacho.cli.supervisor.run_state import RunState
from riacho.cli.supervisor.services import CONNECT, KSQL, REST_PROXY, SCHEMA_REGISTRY
from riacho.cli.target import Target
from riacho.client.topic_changes import create_topic

T = TypeVar("T")
_PARTITIONS = 3
# A first Spark job on two busy cores takes its time.
_SPARK_TIMEOUT_S = 240.0
# A look costs processor time that the starting Sparks want.
_LOOK_EVERY_S = 0.25
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
        self._program = TotalsProgram(path)
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
            self._balance_by_sql(state)
            self._poison(transfers)
            self._see_what_arrives(state, transfers)
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

    def _wait(self, look: Callable[[], T], otherwise: str) -> T:
        """What is seen, when there is something to see."""
        seen: list[T] = []

        def is_so_or_over() -> bool:
            if self._told.is_set():
                raise _Ended
            if self._transfers is not None and self._transfers.failure is not None:
                raise DemoError(self._transfers.failure)
            if self._program.failure is not None:
                raise DemoError(self._program.failure)
            seen[:] = [look()]
            return bool(seen[0])

        wait_for(is_so_or_over, otherwise, _SPARK_TIMEOUT_S, _LOOK_EVERY_S)
        return seen[0]

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
        self._step("Tell Connect to archive them as Parquet, names masked, by kind; its Spark starts now")
        config = archive_config(self._archive, _url(state, SCHEMA_REGISTRY.name))
        call("PUT", f"{_url(state, CONNECT.name)}/connectors/{CONNECTOR}/config", config)
        say(f"{CONNECTOR}: {config['connector.class']} of {TOPIC}, dead letters to {DLQ}")

    def _total_by_spark(self, state: RunState) -> None:
        self._step("Start a Spark program that keeps totals by account and ten seconds in a topic")
        pid = self._program.start(state.bootstrap, _url(state, SCHEMA_REGISTRY.name))
        say(f"python -m {MODULE}, pid {pid}")

    def _balance_by_sql(self, state: RunState) -> None:
        self._step("Tell KSQL, in SQL, to keep the balance of every account")
        keep_balances(_url(state, KSQL.name))
        say(STATEMENTS[-1].partition(" AS ")[2])

    def _poison(self, transfers: Transfers) -> None:
        self._step("Send records that nobody can read; they are to end in the dead letter topic")
        transfers.poison()
        say(f"{transfers.sent.poison} between the transfers")

    def _see_what_arrives(self, state: RunState, transfers: Transfers) -> None:
        from riacho.pipelines.examples.archive import row_count

        self._step("See what arrives, as each Spark is there")
        connect, ksql = _url(state, CONNECT.name), _url(state, KSQL.name)
        self._wait(lambda: is_running(connect, CONNECTOR), "the connector does not run")
        rows = self._wait(lambda: row_count(self._archive), "nothing is in the archive")
        say(f"archive: {rows} rows in Parquet; {CONNECTOR} is RUNNING")
        letters = self._wait(lambda: self._letters(state, transfers), "not all poison is in the dead letters")
        say(f"dead letters: {len(letters)}; the first one: {_reason(letters[0])}")
        totals = self._wait(lambda: read_totals(state.bootstrap, TOTALS)[0], "there are no totals")
        say(f"totals: {totals} in {TOTALS}")
        account, cents = min(self._wait(lambda: _balances(ksql), "there are no balances").items())
        say(f"balances: {account} has {cents / 100:.2f}, by {PULL}")

    def _letters(self, state: RunState, transfers: Transfers) -> list[TextRecord]:
        """All of the poison, or nothing."""
        letters = read_topic(state.bootstrap, DLQ)
        return letters if len(letters) >= transfers.sent.poison else []

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
        self._wait(lambda: _balances(ksql) == sent.cents_by_account, "the balances by KSQL are not the sums sent")
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

    def _stop(self) -> None:
        if self._transfers is not None:
            self._transfers.stop()
        self._program.stop()
        self._platform.stop()


def _balances(ksql: str) -> Counter[str]:
    reason = failed_because(ksql)
    if reason is not None:
        raise DemoError(f"the query of KSQL failed: {reason}")
    return read_balances(ksql)


def _reason(letter: TextRecord) -> str:
    """Why a record is among the dead letters."""
    headers = {name: (value or b"").decode(errors="replace") for name, value in letter.headers}
    return headers.get("__connect.errors.exception.message", "no reason given").splitlines()[0]


def _url(state: RunState, name: str) -> str:
    service = state.service(name)
    assert service is not None, f"{name} runs, as the platform is up"
    return service.url
