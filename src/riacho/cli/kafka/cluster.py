"""kafka-cluster: the cluster's id and endpoints; unregistering a broker."""

from __future__ import annotations

from riacho.base.errors import ErrorCode, KafkaError
from riacho.cli.kafka.connect import open_cluster
from riacho.cli.kafka.jopt import Arguments, UsageError
from riacho.cli.kafka.launch import launch
from riacho.client.cluster import Cluster, check
from riacho.wire.messages.describe_cluster_request import DescribeClusterRequest
from riacho.wire.messages.describe_cluster_response import DescribeClusterBroker, DescribeClusterResponse

_BROKERS = 1
_CONTROLLERS = 2


def main() -> None:
    launch("kafka-cluster", run)


def run(arguments: Arguments) -> int:
    if arguments.has("bootstrap-controller"):
        if arguments.has("bootstrap-server"):
            raise UsageError("Only one of --bootstrap-server and --bootstrap-controller can be given.")
        arguments.values["bootstrap-server"] = arguments.values["bootstrap-controller"]
    with open_cluster(arguments) as cluster:
        match arguments.command:
            case "cluster-id":
                return _cluster_id(cluster, arguments)
            case "list-endpoints":
                return _list_endpoints(cluster, arguments)
            case _:
                return _unregister(cluster, arguments.need_number("id"))


def _describe(cluster: Cluster, arguments: Arguments) -> DescribeClusterResponse:
    endpoint_type = _CONTROLLERS if arguments.has("bootstrap-controller") else _BROKERS
    fenced = arguments.command == "list-endpoints" and arguments.has("include-fenced-brokers")

    def work() -> DescribeClusterResponse:
        connection = cluster.any()
        request = DescribeClusterRequest(endpoint_type=endpoint_type)
        if fenced and connection.version_for(60) < 2:
            raise KafkaError(ErrorCode.UNSUPPORTED_VERSION, f"{connection.address} cannot tell about fenced brokers.")
        request.include_fenced_brokers = fenced
        response = cluster.ask(request, DescribeClusterResponse, connection)
        check(response.error_code, response.error_message)
        return response

    return cluster.retry(work)


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
    host_width = max([4, *(len(b.host) for b in brokers)])
    rack_width = max([10, *(len(b.rack or "") for b in brokers)])
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
        response = cluster.ask(request, UnregisterBrokerResponse)
        check(response.error_code, response.error_message)

    cluster.retry(work)
    print(f"Broker {broker_id} is no longer registered.")
    return 0
