"""Our kafka-avro-, kafka-json-schema- and kafka-protobuf-console tools beside other clients and the REST proxy."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka.schema_registry import Schema, SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.schema_registry.json_schema import JSONDeserializer
from confluent_kafka.schema_registry.protobuf import ProtobufDeserializer, ProtobufSerializer

from conformance import confluent
from conformance.registry_http import ask
from conformance.registry_messages import Order, Place
from conformance.registry_records import messages, receive, send
from conformance.registry_schemas import AVRO, AVRO_NEXT, JSON_SCHEMA, PLACE, PROTOBUF, RECORD, text
from conformance.running_broker import RunningBroker
from e2e.kafka_scripts import run_script, write_scripts
from support.ports import free_port
from support.service_process import ServiceProcess

LINE = json.dumps(RECORD) + "\n"


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_scripts(tmp_path_factory.mktemp("bin"))


@pytest.fixture
def client(registry: ServiceProcess) -> Iterator[SchemaRegistryClient]:
    with SchemaRegistryClient({"url": registry.url}) as made:
        yield made


class Tools:
    def __init__(self, scripts: Path, broker: RunningBroker, registry_url: str) -> None:
        self.scripts, self.broker, self.url = scripts, broker, registry_url

    def produce(self, kind: str, topic: str, lines: str, **properties: str) -> subprocess.CompletedProcess[str]:
        words = [f"kafka-{kind}-console-producer", "--bootstrap-server", self.broker.bootstrap, "--topic", topic]
        return self._run(words, "--reader-property", properties, lines)

    def consume(self, kind: str, topic: str, count: int, **properties: str) -> subprocess.CompletedProcess[str]:
        words = [f"kafka-{kind}-console-consumer", "--bootstrap-server", self.broker.bootstrap, "--topic", topic]
        words += ["--from-beginning", "--max-messages", str(count), "--timeout-ms", "60000"]
        return self._run(words, "--formatter-property", properties, None)

    def _run(
        self, words: list[str], flag: str, properties: dict[str, str], lines: str | None
    ) -> subprocess.CompletedProcess[str]:
        given = {"schema.registry.url": self.url} | {key.replace("_", "."): value for key, value in properties.items()}
        for key, value in given.items():
            words += [flag, f"{key}={value}"]
        return run_script(self.scripts, words, text=lines, timeout=100)


@pytest.fixture
def tools(scripts: Path, broker: RunningBroker, registry: ServiceProcess) -> Tools:
    return Tools(scripts, broker, registry.url)


def good(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def sentence(done: subprocess.CompletedProcess[str]) -> str:
    """The one line that it failed with."""
    assert done.returncode != 0, done.stdout
    assert "Traceback" not in done.stderr
    (line,) = [line for line in done.stderr.splitlines() if line.strip()]
    return line


def test_avro_written_by_the_tool(tools: Tools, client: SchemaRegistryClient, name: str):
    lines = "".join(f"{number}\t{LINE}" for number in (1, 2))
    good(tools.produce("avro", name, lines, value_schema=text(AVRO), key_schema='"long"', parse_key="true"))
    assert receive(tools.broker.bootstrap, name, AvroDeserializer(client), 2) == [RECORD, RECORD]
    assert receive(tools.broker.bootstrap, name, AvroDeserializer(client), 2, is_key=True) == [1, 2]
    shown = good(tools.consume("avro", name, 2, print_key="true", print_schema_ids="true"))
    key_id = client.get_latest_version(f"{name}-key").schema_id
    value_id = client.get_latest_version(f"{name}-value").schema_id
    compact = json.dumps(RECORD, separators=(",", ":"))
    assert shown == [f"{number}\t{key_id}\t{compact}\t{value_id}" for number in (1, 2)]


def test_avro_read_by_the_tool(tools: Tools, client: SchemaRegistryClient, name: str):
    send(tools.broker.bootstrap, name, AvroSerializer(client, text(AVRO)), RECORD)
    send(tools.broker.bootstrap, name, AvroSerializer(client, text(AVRO_NEXT)), RECORD | {"note": "hot"})
    shown = [json.loads(line) for line in good(tools.consume("avro", name, 2))]
    assert shown == [RECORD, RECORD | {"note": {"string": "hot"}}]


def test_a_text_key_and_a_schema_by_id(tools: Tools, client: SchemaRegistryClient, name: str):
    schema_id = client.register_schema(f"{name}-value", Schema(text(AVRO)))
    java = "org.apache.kafka.common.serialization.StringSerializer"
    given = {"parse_key": "true", "key_separator": "|", "key_serializer": java, "value_schema_id": str(schema_id)}
    good(tools.produce("avro", name, f"ann|{LINE}", **given))
    (message,) = messages(tools.broker.bootstrap, name, 1)
    assert message.key() == b"ann"
    assert int.from_bytes(message.value()[1:5], "big") == schema_id
    reader = java.replace("Serializer", "Deserializer")
    (line,) = good(tools.consume("avro", name, 1, print_key="true", key_deserializer=reader))
    assert line.split("\t")[0] == "ann"


def test_json_schema_both_ways(tools: Tools, client: SchemaRegistryClient, tmp_path: Path, name: str):
    file = tmp_path / "order.json"
    file.write_text(text(JSON_SCHEMA))
    good(tools.produce("json-schema", name, LINE, value_schema_file=str(file)))
    read = JSONDeserializer(text(JSON_SCHEMA), schema_registry_client=client)
    assert receive(tools.broker.bootstrap, name, read) == [RECORD]
    assert [json.loads(line) for line in good(tools.consume("json-schema", name, 1))] == [RECORD]


def test_protobuf_both_ways(tools: Tools, client: SchemaRegistryClient, name: str):
    good(tools.produce("protobuf", name, '{"city": "Porto", "height": 1.5}\n', value_schema=PLACE))
    read = ProtobufDeserializer(Place, schema_registry_client=client)
    assert receive(tools.broker.bootstrap, name, read) == [Place(city="Porto", height=1.5)]
    send(tools.broker.bootstrap, f"{name}-2", ProtobufSerializer(Order, client), Order(id=7, place=Place(city="Faro")))
    (line,) = good(tools.consume("protobuf", f"{name}-2", 1))
    assert json.loads(line)["place"]["city"] == "Faro"


def test_the_tool_and_the_proxy(tools: Tools, rest_proxy: ServiceProcess, name: str):
    content = "application/vnd.kafka.avro.v2+json"
    body = {"value_schema": text(AVRO), "records": [{"value": RECORD}]}
    ask(rest_proxy, "POST", f"/topics/{name}", body, content=content)
    good(tools.produce("avro", name, LINE, use_latest_version="true"))
    shown = [json.loads(line) for line in good(tools.consume("avro", name, 2))]
    assert shown == [RECORD, RECORD]


def test_what_goes_wrong_is_one_sentence(tools: Tools, client: SchemaRegistryClient, name: str):
    confluent.create_topic(tools.broker.bootstrap, name)
    assert "value.schema" in sentence(tools.produce("avro", name, LINE))
    assert "2000000000" in sentence(tools.produce("avro", name, LINE, value_schema_id="2000000000"))
    assert sentence(tools.produce("avro", name, '{"id": "seven"}\n', value_schema=text(AVRO)))
    assert sentence(tools.produce("protobuf", name, LINE, value_schema="message"))
    assert not client.get_subjects(subject_prefix=f"{name}-key")
    nobody = Tools(tools.scripts, tools.broker, f"http://127.0.0.1:{free_port()}")
    assert "registry" in sentence(nobody.produce("avro", name, LINE, value_schema=text(AVRO)))
    incompatible = PROTOBUF.replace("int64 id", "string id")
    good(tools.produce("protobuf", f"{name}-p", '{"id": 1}\n', value_schema=PROTOBUF))
    done = tools.produce("protobuf", f"{name}-p", '{"id": "1"}\n', value_schema=incompatible)
    assert done.returncode != 0
    assert done.stderr.startswith("Error: ")
    assert "incompatible" in done.stderr.splitlines()[0], (
        "the lines after it are the old schema, as the registry has it"
    )


def test_a_record_that_is_none_of_its_kind(tools: Tools, name: str):
    confluent.produce(tools.broker.bootstrap, name, [{"value": b"plain text"}])
    done = tools.consume("avro", name, 1)
    assert "magic byte" in sentence(done)
