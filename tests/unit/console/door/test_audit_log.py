"""The audit log: appended, bounded, read newest first, and nobody writes lines of their own into it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from riacho.console.door.audit_log import DONE, REFUSED, AuditEntry, AuditLog, Wanted


def entry(at_ms: int = 0, **fields: Any) -> AuditEntry:
    usual: dict[str, Any] = {
        "who": "ann",
        "role": "admin",
        "address": "127.0.0.1",
        "method": "POST",
        "route": "/api/v1/clusters/{c}/topics",
        "outcome": DONE,
        "status": 200,
    }
    return AuditEntry(at_ms=at_ms, **{**usual, **fields})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "console" / "audit.log"


def test_pages_are_newest_first_over_a_restart(path: Path) -> None:
    log = AuditLog(path)
    for n in range(5):
        log.write(entry(n))
    log.close()
    log = AuditLog(path)
    log.write(entry(5))
    assert [[each.at_ms for each in log.page(first, 2)[0]] for first in (0, 2, 4, 6)] == [[5, 4], [3, 2], [1, 0], []]
    assert log.page(0, 2)[1] == 6
    assert path.stat().st_mode & 0o077 == 0


def test_it_is_bounded_and_the_oldest_go(path: Path) -> None:
    log = AuditLog(path, file_bytes_max=2_000, files_max=3)
    for n in range(200):
        log.write(entry(n))
    files = sorted(each.name for each in path.parent.iterdir())
    assert files == ["audit.log", "audit.log.1", "audit.log.2"]
    assert all(each.stat().st_size <= 2_000 for each in path.parent.iterdir())
    found, total = log.page(0, 1000)
    assert [each.at_ms for each in found] == list(range(199, 199 - total, -1))
    assert total >= 20


def test_pages_go_over_files(path: Path) -> None:
    """What is not on the page is only counted, and the pages together are all that there is."""
    log = AuditLog(path, file_bytes_max=2_000, files_max=4)
    for n in range(200):
        log.write(entry(n))
    everything, total = log.page(0, 1_000)
    pages = [log.page(first, 7) for first in range(0, total, 7)]
    assert {each for _, each in pages} == {total} == {len(everything)}
    assert [each for found, _ in pages for each in found] == everything
    assert log.page(total, 7) == ([], total)


@pytest.mark.parametrize(
    "name",
    [
        'x\n{"at_ms":1,"who":"root"}',
        "x\r\x1b[2J\x9b31m",
        'x","outcome":"done',
        "\u2028\u2029\x00\ud800",
        "é漢🙂",
        "x" * 5_000,
    ],
)
def test_no_name_begins_a_line_or_reaches_a_terminal(path: Path, name: str) -> None:
    log = AuditLog(path)
    log.write(entry(7, about={"t": name[:500]}, who=name[:500], reason=name[:500]))
    raw = path.read_bytes()
    assert raw.count(b"\n") == 1
    assert all(0x20 <= byte < 0x7F for byte in raw[:-1])
    assert json.loads(raw)["about"]["t"] == name[:500]
    assert json.loads(raw)["outcome"] == DONE


def test_what_was_torn_is_passed_over(path: Path) -> None:
    log = AuditLog(path)
    log.write(entry(1))
    log.close()
    with path.open("ab") as file:
        file.write(b'{"at_ms":2,"who"')
    log = AuditLog(path)
    log.write(entry(3))
    assert [each.at_ms for each in log.page(0, 10)[0]] == [3, 1]


def test_search_finds_text_as_it_was_written(path: Path) -> None:
    log = AuditLog(path)
    log.write(entry(1, about={"t": "Bestellungen-é"}))
    log.write(entry(2, about={"t": "orders"}))
    assert [each.at_ms for each in log.page(0, 10, Wanted(containing="bestell"))[0]] == [1]
    assert [each.at_ms for each in log.page(0, 10, Wanted(containing="-é"))[0]] == [1]
    assert log.page(0, 10, Wanted(containing="nothing")) == ([], 0)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (Wanted(who="ann"), [3, 1]),
        (Wanted(who="an"), []),
        (Wanted(what="TOPICS"), [3, 1]),
        (Wanted(what="delete"), [2]),
        (Wanted(outcome=REFUSED), [2]),
        (Wanted(cluster="blue"), [3, 2]),
        (Wanted(cluster="blue", who="ann", containing="shop"), [3]),
        (Wanted(who="ann", outcome=REFUSED), []),
    ],
)
def test_entries_are_asked_for_by_their_fields(path: Path, wanted: Wanted, found: list[int]) -> None:
    log = AuditLog(path)
    log.write(entry(1, about={"c": "red"}))
    # A name that looks like a field of somebody else's line.
    gone = {"who": 'bob","who":"ann', "method": "DELETE", "route": "/api/v1/clusters/{c}/groups/{g}"}
    log.write(entry(2, **gone, outcome=REFUSED, about={"c": "blue", "g": "shop"}))
    log.write(entry(3, about={"c": "blue", "t": "shop"}))
    assert ([each.at_ms for each in log.page(0, 10, wanted)[0]], log.page(0, 0, wanted)[1]) == (found, len(found))
    assert [each.at_ms for each in log.page(1, 1, wanted)[0]] == found[1:2]


def test_a_text_is_not_taken_for_a_field(path: Path) -> None:
    log = AuditLog(path)
    log.write(entry(1, about={"t": '"who":"bob","c":"red"'}, reason='{"outcome":"failed"}'))
    for wanted in (Wanted(who="bob"), Wanted(cluster="red"), Wanted(outcome="failed")):
        # Beyond the page nothing is decoded.
        assert log.page(0, 1, wanted) == log.page(5, 1, wanted) == ([], 0)
    assert log.page(5, 1, Wanted(who="ann")) == ([], 1)


def test_who_is_refused_again_and_again_does_not_push_out_the_rest(path: Path) -> None:
    log = AuditLog(path)
    for n in range(500):
        log.write(entry(n, outcome=REFUSED, status=403, address="6.6.6.6"))
    log.write(entry(1_000, outcome=REFUSED, status=403, address="7.7.7.7"))
    log.write(entry(1_001))
    log.write(entry(60_000, outcome=REFUSED, status=403, address="6.6.6.6"))
    found, total = log.page(0, 1000)
    assert total == 33
    assert found[0].left_out == 470
    assert [each.left_out for each in found[1:]] == [0] * 32


def test_nor_does_one_machine_by_all_addresses_of_its_network(path: Path) -> None:
    log = AuditLog(path)
    for n in range(500):
        log.write(entry(n, outcome=REFUSED, status=401, address=f"2001:db8::{n:x}"))
    log.write(entry(1_000, outcome=REFUSED, status=401, address="2001:db8:0:1::1"))
    assert log.page(0, 1_000)[1] == 31


def test_a_log_that_cannot_be_written_says_so_until_it_can(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = AuditLog(path)
    log.write(entry(1))
    real = os.write

    def full(descriptor: int, data: bytes) -> int:
        return real(descriptor, data[:10])

    monkeypatch.setattr(os, "write", full)
    log.write(entry(2))
    assert log.is_broken
    monkeypatch.undo()
    assert log.check()
    log.write(entry(3))
    assert [each.at_ms for each in log.page(0, 10)[0]] == [3, 1]
