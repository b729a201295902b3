"""The bank of the demo: what it sends, what it keeps count of, and how the archive is judged."""

from __future__ import annotations

import threading
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from riacho.cli.demo import totals_program
from riacho.cli.demo.archive_connector import archive_config, is_running
from riacho.cli.demo.balances import failed_because, keep_balances, read_balances
from riacho.cli.demo.bank_tour import stations
from riacho.cli.demo.demo_context import DemoError, wait_for
from riacho.cli.demo.quick_java import with_quick_java
from riacho.cli.demo.transfers import REVERSAL, TRANSFER, Transfers
from riacho.cli.http_json import HttpFailure, call
from riacho.pipelines.connectors.registry import find
from riacho.pipelines.examples.archive import read_archive, row_count
from support.http_api import Reply, Request, running_api
from support.ports import free_port

_ENOUGH = 5
_TIMEOUT_S = 60.0


def _taken(request: Request) -> Reply:
    records = request.json()["records"]
    offsets = [{"partition": 0, "offset": number, "error_code": None, "error": None} for number in range(len(records))]
    return Reply(200, {"offsets": offsets, "key_schema_id": 1, "value_schema_id": 2})


def test_reversals_follow_their_transfer_with_the_same_key_and_amount() -> None:
    enough = threading.Event()
    batches: list[Request] = []

    def answer(request: Request) -> Reply:
        batches.append(request)
        if len(batches) == _ENOUGH:
            enough.set()
        return _taken(request)

    with running_api(answer) as api:
        transfers = Transfers(api.url)
        transfers.start()
        assert enough.wait(_TIMEOUT_S)
        transfers.stop()
    seen: dict[int, tuple[str, int]] = {}
    reversals = 0
    for record in [record for batch in batches for record in batch.json()["records"]]:
        value = record["value"]
        assert record["key"] == value["account"]
        if value["kind"] == REVERSAL:
            reversals += 1
            account, cents = seen[value["reverses"]["long"]]
            assert (account, -cents) == (value["account"], value["amount_cents"])
        else:
            assert value["kind"] == TRANSFER
            seen[value["id"]] = (value["account"], value["amount_cents"])
    assert transfers.failure is None
    assert reversals == transfers.sent.reversals > 0
    assert transfers.sent.good == len(seen) + reversals
    # The schema travels once; then its id does.
    assert ["value_schema" in batch.json() for batch in batches] == [True] + [False] * (len(batches) - 1)


def test_what_is_not_taken_does_not_count() -> None:
    refused = Reply(200, {"offsets": [{"error_code": 2, "error": "no leader"}]})
    with running_api(lambda request: refused) as api:
        transfers = Transfers(api.url)
        with pytest.raises(HttpFailure, match="no leader"):
            transfers.poison()
    assert (transfers.sent.good, transfers.sent.poison) == (0, 0)


def test_a_service_that_says_no_or_nothing() -> None:
    with running_api(lambda request: Reply(409, {"error_code": 409, "message": "busy"})) as api:
        with pytest.raises(HttpFailure, match=r"^busy$") as told:
            call("GET", api.url)
        assert told.value.status == 409
    with running_api(lambda request: Reply(204)) as api:
        assert call("DELETE", api.url) is None
    with pytest.raises(HttpFailure, match="does not answer") as told:
        call("GET", f"http://127.0.0.1:{free_port()}/")
    assert told.value.status is None


def test_the_archive_tells_reversals_that_came_too_early(tmp_path: Path) -> None:
    def write(name: str, rows: list[tuple[int, int, int, int | None]]) -> None:
        columns = zip(*rows, strict=True)
        names = ["_partition", "_offset", "id", "reverses"]
        (tmp_path / "kind=X").mkdir(exist_ok=True)
        pq.write_table(pa.table(dict(zip(names, map(list, columns), strict=True))), tmp_path / "kind=X" / name)

    write("b.parquet", [(0, 0, 1, None), (0, 2, 3, 1)])
    write("a.parquet", [(1, 0, 4, 5), (1, 1, 5, None), (0, 1, 2, None)])
    (tmp_path / ".half.parquet").write_bytes(b"PAR1")
    assert row_count(tmp_path) == 5
    assert read_archive(tmp_path) == (5, 2, 1)


def test_the_connector_of_the_tour_is_one_that_can_be() -> None:
    config = archive_config(Path("/archive"), "http://127.0.0.1:8081")
    connector = find(config["connector.class"])
    assert [value.errors for value in connector.check(config) if value.errors] == []


def test_balances_are_asked_for_by_statements_and_a_pull_query() -> None:
    asked: list[Request] = []
    answers: dict[str, object] = {
        "/ksql": [{"queryDescriptions": [{"state": "RUNNING", "sinks": ["BALANCES"], "queryErrors": []}]}],
        "/query": [
            {"header": {"schema": "..."}},
            {"row": {"columns": ["acc-01", 12]}},
            {"row": {"columns": ["acc-02", -3]}},
        ],
    }

    def answer(request: Request) -> Reply:
        asked.append(request)
        return Reply(200, answers[request.path])

    with running_api(answer) as api:
        keep_balances(api.url)
        assert read_balances(api.url) == {"acc-01": 12, "acc-02": -3}
        assert failed_because(api.url) is None
        errors = [{"errorMessage": "The topic is gone."}]
        answers["/ksql"] = [{"queryDescriptions": [{"state": "ERROR", "sinks": ["BALANCES"], "queryErrors": errors}]}]
        assert failed_because(api.url) == "The topic is gone."
    made = asked[0].json()
    assert made["ksql"].count("CREATE") == 2
    assert made["streamsProperties"] == {"auto.offset.reset": "earliest"}


def test_a_table_that_has_not_caught_up_has_no_balances_yet() -> None:
    with running_api(lambda request: Reply(503, {"error_code": 50300, "message": "not yet"})) as api:
        assert not read_balances(api.url)
    refused = Reply(400, {"error_code": 40001, "message": "no such table"})
    with running_api(lambda request: refused) as api, pytest.raises(HttpFailure, match="no such table"):
        read_balances(api.url)


def test_the_tour_leads_to_the_pages_of_what_the_demo_made() -> None:
    pages = stations("http://127.0.0.1:9021")
    paths = [urlsplit(url).path.removeprefix("/clusters/default/") for url in pages.values()]
    assert paths == [
        "flow",
        "topics/transfers",
        "connectors/transfers-archive",
        "groups/connect-transfers-archive",
        "pipelines",
        "sql",
    ]
    asked = parse_qs(urlsplit(list(pages.values())[-1]).query)["sql"]
    assert asked == ["SELECT account, transfers, cents / 100.0 AS balance FROM balances ORDER BY cents DESC;"]
    assert not any(character in url for url in pages.values() for character in ' ";')


@pytest.mark.parametrize(
    ("connector", "tasks", "is_so"),
    [("RUNNING", ["RUNNING", "RUNNING"], True), ("RUNNING", ["RUNNING", "UNASSIGNED"], False), ("RUNNING", [], False)],
)
def test_a_connector_runs_when_all_of_its_tasks_do(connector: str, tasks: list[str], is_so: bool) -> None:
    status = {"connector": {"state": connector}, "tasks": [{"state": state} for state in tasks]}
    with running_api(lambda request: Reply(200, status)) as api:
        assert is_running(api.url, "archive") is is_so


def test_a_connector_that_failed_says_why() -> None:
    task = {"state": "FAILED", "trace": "No such directory.\n\tat somewhere"}
    status = {"connector": {"state": "RUNNING"}, "tasks": [task]}
    with (
        running_api(lambda request: Reply(200, status)) as api,
        pytest.raises(DemoError, match=r"^the connector failed: No such directory\.$"),
    ):
        is_running(api.url, "archive")
    with running_api(lambda request: Reply(404, {"message": "not yet"})) as api:
        assert not is_running(api.url, "archive")


def test_java_starts_as_somebody_has_set_it_and_else_quickly() -> None:
    assert "TieredStopAtLevel=1" in with_quick_java({"HOME": "/home/ana"})["JDK_JAVA_OPTIONS"]
    assert with_quick_java({"JDK_JAVA_OPTIONS": "-Xmx2g"}) == {"JDK_JAVA_OPTIONS": "-Xmx2g"}


def test_a_program_that_ends_says_its_last_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Stands in for Spark's: its last line is what is told.
    monkeypatch.setattr(totals_program, "MODULE", "riacho.no_such_program")
    program = totals_program.TotalsProgram(tmp_path)
    assert program.failure is None
    program.start("127.0.0.1:1", "http://127.0.0.1:1")
    try:
        with pytest.raises(DemoError, match=r"ended: .*No module named riacho\.no_such_program"):
            wait_for(lambda: _raise_if(program.failure), "it goes on", _TIMEOUT_S)
    finally:
        program.stop()


def _raise_if(failure: str | None) -> bool:
    if failure is not None:
        raise DemoError(failure)
    return False
