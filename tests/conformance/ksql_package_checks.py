"""PyPI's `ksql` against a server, in a process of its own: `python ksql_package_checks.py URL`.

It imports `hyper`, which no Python since 3.10 can: its half over HTTP/1.1 is what is checked. Prints "ok NAME" lines.
"""

from __future__ import annotations

import sys
import types
from contextlib import suppress


def main(url: str) -> None:
    hyper = types.ModuleType("hyper")
    hyper.HTTPConnection = object  # type: ignore[attr-defined]
    sys.modules["hyper"] = hyper
    from ksql import KSQLAPI
    from ksql.errors import KSQLError

    client = KSQLAPI(url)
    print("ok version", client.get_ksql_version())
    client.ksql(
        "CREATE TABLE pk (id VARCHAR PRIMARY KEY, v INT) WITH (kafka_topic='pk', value_format='json', partitions=1)"
    )
    with suppress(IndexError):  # it looks at the first answer, and INSERT has none, in ksqlDB neither
        client.ksql("INSERT INTO pk VALUES ('a', 1)")
    names = [each["name"] for each in client.ksql("show tables")[0]["tables"]]
    assert "PK" in names, names
    print("ok statements")
    assert any(each["name"] == "bootstrap.servers" for each in client.get_properties())
    print("ok properties")
    made = client.create_stream("ks", ["id varchar", "v integer"], "pk", "JSON")
    assert made is True
    print("ok create_stream")
    rows = list(client.query("select * from pk where id='a'", return_objects=True))
    assert rows == [{"ID": "a", "V": 1}], rows
    print("ok pull")
    pushed = client.query(
        "select * from pk emit changes limit 1",
        stream_properties={"auto.offset.reset": "earliest"},
        return_objects=True,
    )
    assert next(pushed) == {"ID": "a", "V": 1}
    print("ok push")
    try:
        client.ksql("SELEC nonsense")
    except KSQLError as error:
        print("ok refusal" if "line 1:1" in str(error) else f"wrong refusal: {error}")
    assert client.close_query("nobody") is False
    print("ok close")


if __name__ == "__main__":
    main(sys.argv[1])
