"""The demo's statement: balances by account, kept by KSQL from the same transfers that the other pipelines read."""

from __future__ import annotations

from collections import Counter

from riacho.cli.demo.transfers import TOPIC
from riacho.cli.http_json import HttpFailure, call

TABLE = "balances"
# The columns are the registry's. Three copies: the tour says that any broker may be killed.
STATEMENTS = (
    f"CREATE STREAM {TOPIC} WITH (kafka_topic = '{TOPIC}', format = 'AVRO');",
    f"CREATE TABLE {TABLE} WITH (key_format = 'KAFKA', value_format = 'JSON', replicas = 3) AS "
    f"SELECT account, COUNT(*) AS transfers, SUM(amount_cents) AS cents FROM {TOPIC} GROUP BY account EMIT CHANGES;",
)
PULL = f"SELECT account, cents FROM {TABLE};"
_FROM_THE_START = {"auto.offset.reset": "earliest"}


def keep_balances(url: str) -> None:
    """HttpFailure where a statement is refused."""
    call("POST", f"{url}/ksql", {"ksql": " ".join(STATEMENTS), "streamsProperties": _FROM_THE_START})


def read_balances(url: str) -> Counter[str]:
    """Cents by account as of now, by a pull query; none before the query has begun."""
    try:
        answer = call("POST", f"{url}/query", {"ksql": PULL, "streamsProperties": {}})
    except HttpFailure as failure:
        # What was written last is not in the table yet; it is a matter of time.
        if failure.status is not None and failure.status >= 500:
            return Counter()
        raise
    rows = [each["row"]["columns"] for each in answer if "row" in each]
    return Counter({account: cents for account, cents in rows})


def failed_because(url: str) -> str | None:
    """Why the query does not go on; None while it does."""
    answer = call("POST", f"{url}/ksql", {"ksql": "SHOW QUERIES EXTENDED;", "streamsProperties": {}})
    for query in answer[0]["queryDescriptions"]:
        if query["state"] == "ERROR" and TABLE.upper() in query["sinks"]:
            errors = [error["errorMessage"] for error in query["queryErrors"]]
            return str(errors[-1]) if errors else "no reason given"
    return None
