"""Reading and writing topics of brokers that want a login and speak TLS; and what comes of a wrong one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from conformance.secure_broker import SecureBroker
from riacho.pipelines.spark.failures import failure
from spark.security.client_words import SECRETS, WRONG, certificate_words, java_words, librdkafka_words, said_in
from support.certificates import PASSWORD as STORE_PASSWORD
from support.certificates import Authority

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def _options(words: dict[str, str]) -> dict[str, str]:
    return {f"kafka.{name}": value for name, value in words.items()}


def _read(spark: SparkSession, words: dict[str, str], topic: str) -> DataFrame:
    return spark.read.format("riacho").options(**_options(words), subscribe=topic).load()


def _write(frame: DataFrame, words: dict[str, str], topic: str) -> None:
    frame.write.format("riacho").options(**_options(words), topic=topic).mode("append").save()


def _with_store(broker: SecureBroker) -> dict[str, str]:
    """A trust store as Java's keytool makes it, which is read here without Java."""
    words = java_words(broker, "SCRAM-SHA-256")
    del words["ssl.truststore.type"]
    store = broker.authority.trust_store("JKS")
    return words | {"ssl.truststore.location": str(store), "ssl.truststore.password": STORE_PASSWORD}


CLIENTS: dict[str, Callable[[SecureBroker], dict[str, str]]] = {
    "plain": lambda broker: java_words(broker, "PLAIN"),
    "scram": lambda broker: librdkafka_words(broker, "SCRAM-SHA-512"),
    "store": _with_store,
    "certificate": certificate_words,
}


def test_each_client_writes_and_reads(spark: SparkSession, secure: SecureBroker) -> None:
    topic = f"t-{uuid4().hex[:8]}"
    for name, words in CLIENTS.items():
        frame = spark.range(3).selectExpr(f"'{name}' as key", "cast(id as string) as value")
        _write(frame, words(secure), topic)
    for name, words in CLIENTS.items():
        rows = _read(spark, words(secure), topic).where(f"key = '{name}'").selectExpr("cast(value as string) as v")
        assert sorted(row.v for row in rows.collect()) == ["0", "1", "2"]


def test_exactly_once_from_topic_to_topic_and_no_secret_is_left(
    spark: SparkSession, secure: SecureBroker, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source, target = f"s-{uuid4().hex[:8]}", f"t-{uuid4().hex[:8]}"
    words = _options(java_words(secure, "SCRAM-SHA-256"))
    _write(spark.range(50).selectExpr("cast(id as string) as value"), java_words(secure, "PLAIN"), source)
    said: list[str] = []

    def run() -> None:
        frame = spark.readStream.format("riacho").options(**words, subscribe=source, startingOffsets="earliest").load()
        query = (
            frame.selectExpr("value")
            .writeStream.format("riacho")
            .options(**words, topic=target)
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        assert query.awaitTermination(120)
        assert query.exception() is None
        said.append(json.dumps([json.loads(each.json) for each in query.recentProgress]))
        query.explain(extended=True)

    run()
    # The end was never written down: the batch is run again, and its marker says that it is done.
    for done in (tmp_path / "checkpoint" / "commits").iterdir():
        done.unlink()
    run()
    read = _read(spark, java_words(secure, "PLAIN") | {"isolation.level": "read_committed"}, target)
    assert sorted(int(row.value) for row in read.collect()) == list(range(50))
    read.explain(extended=True)
    by_key = _options(certificate_words(secure))
    spark.readStream.format("riacho").options(**by_key, subscribe=source).load().explain(extended=True)
    out, err = capfd.readouterr()
    said += [out, err]
    assert "riacho" in out
    assert "kafka.security.protocol=SSL" in out
    assert "PRIVATE KEY" not in out
    assert not [secret for secret in SECRETS if any(secret in each for each in said)]
    assert said_in(tmp_path) == []
    assert not [secret for secret in SECRETS if secret in secure.output()]


def _wrong_password(broker: SecureBroker, directory: Path) -> dict[str, str]:
    return java_words(broker, "SCRAM-SHA-256", WRONG)


def _wrong_authority(broker: SecureBroker, directory: Path) -> dict[str, str]:
    other = Authority(directory, "other")
    return java_words(broker, "SCRAM-SHA-256") | {"ssl.truststore.location": str(other.pem)}


def _pem_without_its_type(broker: SecureBroker, directory: Path) -> dict[str, str]:
    words = java_words(broker, "PLAIN")
    del words["ssl.truststore.type"]
    return words


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        (_wrong_password, "uthentication failed"),
        (_wrong_authority, "the TLS handshake failed"),
        (_pem_without_its_type, "is PEM: set ssl.truststore.type=PEM"),
    ],
)
def test_what_is_wrong_is_one_sentence(
    spark: SparkSession,
    secure: SecureBroker,
    tmp_path: Path,
    wrong: Callable[[SecureBroker, Path], dict[str, str]],
    expected: str,
) -> None:
    topic = f"t-{uuid4().hex[:8]}"
    _write(spark.range(1).selectExpr("'x' as value"), java_words(secure, "PLAIN"), topic)
    words = wrong(secure, tmp_path)
    told = []
    for act in (
        lambda: _read(spark, words, topic).collect(),
        lambda: _write(spark.range(1).selectExpr("'y' as value"), words, topic),
    ):
        with pytest.raises(Exception) as raised:  # noqa: PT011  Spark's own classes differ between reads and writes
            act()
        told.append(failure(raised.value).sentence)
        assert not [secret for secret in SECRETS if secret in str(raised.value)]
    assert all(expected in each and each.endswith(".") for each in told), told
    assert _read(spark, java_words(secure, "PLAIN"), topic).count() == 1
