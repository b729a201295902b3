"""kafka-cluster: the cluster's id and endpoints; unregistering a broker."""

from __future__ import annotations

from riacho.base.errors import ErrorCode, KafkaError
from riacho.cli.kafka.connect import open_cluster
from riacho.cli.kafka.flags.jopt import Arguments
from riacho.cli.kafka.launch import launch
from riacho.client.cluster import Cluster, check
from riacho.client.cluster_description import BROKERS, CONTROLLERS, describe_cluster
from riacho.wire.messages.describe_cluster_response import DescribeClusterBroker, DescribeClusterResponse


def main() -> None:
    launch("kafka-cluster", run)


def run(arguments: Arguments) -> int:
    with open_cluster(arguments) as cluster:
        match arguments.command:
            case "cluster-id":
                return _cluster_id(cluster, arguments)
            case "list-endpoints":
                return _list_endpoints(cluster, arguments)
            case _:
                return _unregister(cluster, arguments.need_number("id"))


def _describe(cluster: Cluster, arguments: Arguments) -> DescribeClusterResponse:
    endpoint_type = CONTROLLERS if arguments.has("bootstrap-controller") else BROKERS
    fenced = arguments.command == "list-endpoints" and arguments.has("include-fenced-brokers")
    return cluster.retry(lambda: describe_cluster(cluster, endpoint_type, fenced=fenced))


def _cluster_id(cluster: Cluster, arguments: Arguments) -> int:
    try:
        cluster_id: str | None = _describe(cluster, arguments).cluster_id
    except KafkaError as error:
        if error.code is not ErrorCode.UNSUPPORTED_VERSION or arguments.has("bootstrap-controller"):
            raise
        cluster_id = cluster.metadata([]).cluster_id
    if not cluster_id:
        print("No cluster ID found. The Kafka version is probably too old.")
        return 1
    print(f"Cluster ID: {cluster_id}")
    return 0


def _list_endpoints(cluster: Cluster, arguments: Arguments) -> int:
    controllers = arguments.has("bootstrap-controller")
    brokers = sorted(_describe(cluster, arguments).brokers, key=lambda b: b.broker_id)
    host_width = max((len(b.host) for b in brokers), default=1)
    rack_width = max((len(b.rack) for b in brokers if b.rack), default=10)
    kind = "controller" if controllers else "broker"
    rows = [("ID", "HOST", "PORT", "RACK", "STATE", "ENDPOINT_TYPE")]
    rows += [(str(b.broker_id), b.host, str(b.port), b.rack or "null", _state(b), kind) for b in brokers]
    for node, host, port, rack, state, endpoint_type in rows:
        shown = "" if controllers else f"{state:<10} "
        print(f"{node:<10} {host:<{host_width}} {port:<10} {rack:<{rack_width}} {shown}{endpoint_type:<15}")
    return 0


def _state(broker: DescribeClusterBroker) -> str:
    return "fenced" if broker.is_fenced else "unfenced"


def _unregister(cluster: Cluster, broker_id: int) -> int:
    from riacho.wire.messages.unregister_broker_request import UnregisterBrokerRequest
    from riacho.wire.messages.unregister_broker_response import UnregisterBrokerResponse

    def work() -> None:
        request = UnregisterBrokerRequest(broker_id=broker_id)
        response = cluster.ask(request, UnregisterBrokerResponse, cluster.controller())
        check(response.error_code, response.error_message)

    cluster.retry(work)
    print(f"Broker {broker_id} is no longer registered.")
    return 0
