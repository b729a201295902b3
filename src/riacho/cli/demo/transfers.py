"""The demo's bank: transfers and reversals keyed by account, sent through the REST proxy until told to stop.

Why keyed by account: a reversal must never be seen before the transfer that it takes back. Records of one key go to one
partition, and a partition keeps its order; with no key, two consumers could see them the other way round.

Some records are poison on purpose: bytes that no schema describes, as a program with a bug would send.
"""

from __future__ import annotations

import base64
import json
import random
import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from riacho.cli.http_json import HttpFailure, call

TOPIC = "transfers"
TRANSFER, REVERSAL = "TRANSFER", "REVERSAL"
SCHEMA = {
    "type": "record",
    "name": "Transfer",
    "namespace": "bank",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "account", "type": "string"},
        {"name": "kind", "type": "string"},
        {"name": "amount_cents", "type": "long"},
        {"name": "reverses", "type": ["null", "long"], "default": None},
        {"name": "holder", "type": "string"},
    ],
}
_AVRO = "application/vnd.kafka.avro.v2+json"
_BINARY = "application/vnd.kafka.binary.v2+json"
_ACCOUNTS = [f"acc-{number:02}" for number in range(1, 13)]
_HOLDERS = ["Ana", "Bruno", "Clara", "Davi", "Elisa", "Fábio"]
_POISON = [b"{ not avro", b"\x00\x00\x00\x03\xe7unknown schema", b"\x01\x02\x03"]
_BATCH = 40
_PAUSE_S = 0.25
_REVERSED_SHARE = 0.1


@dataclass(slots=True)
class Sent:
    """What the brokers have acknowledged."""

    good: int = 0
    poison: int = 0
    reversals: int = 0
    cents_by_account: Counter[str] = field(default_factory=Counter)


class Transfers:
    """A thread that sends; `sent` tells how much, `stop` ends it between two batches."""

    def __init__(self, rest_proxy: str, seed: int = 1) -> None:
        self.sent = Sent()
        self.failure: str | None = None
        self._url = f"{rest_proxy}/topics/{TOPIC}"
        self._random = random.Random(seed)
        self._next_id = 1
        self._open: list[dict[str, Any]] = []
        self._schema_id: int | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="transfers", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()

    def poison(self) -> None:
        """All the kinds of bad records, once."""
        records = [{"key": _base64(b"acc-01"), "value": _base64(value)} for value in _POISON]
        self.sent.poison += len(self._post(_BINARY, {"records": records}))

    def _run(self) -> None:
        try:
            while not self._stop.wait(_PAUSE_S):
                self._send(self._batch())
        except HttpFailure as error:
            self.failure = str(error)

    def _batch(self) -> list[dict[str, Any]]:
        batch = []
        for _ in range(_BATCH):
            if self._open and self._random.random() < _REVERSED_SHARE:
                batch.append(self._reversal(self._open.pop(self._random.randrange(len(self._open)))))
            else:
                batch.append(self._transfer())
        return batch

    def _transfer(self) -> dict[str, Any]:
        number = self._random.randrange(len(_ACCOUNTS))
        made = self._numbered(
            account=_ACCOUNTS[number],
            kind=TRANSFER,
            amount_cents=self._random.randrange(100, 100_000),
            reverses=None,
            holder=_HOLDERS[number % len(_HOLDERS)],
        )
        # Only the latest few may still be taken back.
        self._open = [*self._open[-20:], made]
        return made

    def _reversal(self, transfer: dict[str, Any]) -> dict[str, Any]:
        taken_back = {"kind": REVERSAL, "amount_cents": -transfer["amount_cents"], "reverses": transfer["id"]}
        return self._numbered(**{**transfer, **taken_back})

    def _numbered(self, **fields: Any) -> dict[str, Any]:
        made = {**fields, "id": self._next_id}
        self._next_id += 1
        return made

    def _send(self, batch: list[dict[str, Any]]) -> None:
        known = (
            {"value_schema": json.dumps(SCHEMA)} if self._schema_id is None else {"value_schema_id": self._schema_id}
        )
        keys = {"key_schema": '"string"'}
        records = [{"key": made["account"], "value": {**made, "reverses": _union(made["reverses"])}} for made in batch]
        answers = self._post(_AVRO, {**keys, **known, "records": records})
        for made, _ in zip(batch, answers, strict=True):
            self.sent.good += 1
            self.sent.reversals += made["kind"] == REVERSAL
            self.sent.cents_by_account[made["account"]] += made["amount_cents"]

    def _post(self, media_type: str, body: dict[str, Any]) -> list[dict[str, Any]]:
        """One answer a record; all of them have an offset, or it is a failure."""
        answer = call("POST", self._url, body, headers={"Content-Type": media_type, "Accept": "*/*"})
        self._schema_id = answer.get("value_schema_id") or self._schema_id
        refused = next((offset for offset in answer["offsets"] if offset.get("error")), None)
        if refused is not None:
            raise HttpFailure(f"A transfer was not taken: {refused['error']}")
        return list(answer["offsets"])


def _union(value: int | None) -> dict[str, int] | None:
    """Avro's JSON form of an optional long."""
    return None if value is None else {"long": value}


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
