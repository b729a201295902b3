"""Flags that most tools share."""

from __future__ import annotations

from riacho.cli.kafka.flags.options import Option

ZOOKEEPER = Option(
    "zookeeper",
    "",
    "hosts",
    many=True,
    gone="--zookeeper is ignored: there is no ZooKeeper here; --bootstrap-server says which broker to ask.",
)


def bootstrap(*old: str, short: str = "") -> Option:
    text = "Brokers to connect to, host:port[,host:port]; else KAFKA_BOOTSTRAP_SERVERS, else localhost:9092."
    return Option("bootstrap-server", text, "servers", old=old, short=short)


def controllers(short: str = "") -> Option:
    text = "Controllers to connect to instead of brokers, host:port[,host:port]."
    return Option("bootstrap-controller", text, "servers", short=short)


def config(*old: str, short: str = "") -> Option:
    text = "Properties file with client settings."
    return Option("command-config", text, "file", old=old, short=short)


def client_property(*old: str, plus: bool = False) -> Option:
    text = "A client setting, key=value; goes before --command-config."
    return Option("command-property", text, "key=value", many=True, plus=plus, old=old)


TOPIC = Option("topic", "The topic.", "topic")
REQUIRED_TOPIC = TOPIC._replace(required=True)
