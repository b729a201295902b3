"""kafka-log-dirs: the log directories of brokers, as one line of JSON."""

from __future__ import annotations

import json
from typing import Any

from riacho.cli.kafka.checks import require
from riacho.cli.kafka.connect import open_cluster
from riacho.cli.kafka.flags.jopt import Arguments
from riacho.cli.kafka.launch import ToolError, launch
from riacho.client.cluster import Cluster, check, error_of
from riacho.wire.messages.describe_log_dirs_request import DescribeLogDirsRequest
from riacho.wire.messages.describe_log_dirs_response import DescribeLogDirsResponse, DescribeLogDirsResult


def main() -> None:
    launch("kafka-log-dirs", run)


def run(arguments: Arguments) -> int:
    require(arguments, "describe")
    topics = {name for name in arguments.need("topic-list").split(",") if name}
    with open_cluster(arguments) as cluster:
        live = sorted(cluster.retry(cluster.live_brokers))
        brokers = _wanted(arguments.need("broker-list"), live)
        print("Querying brokers for log directories information", flush=True)
        described = [
            {"broker": broker, "logDirs": [_directory(result, topics) for result in _ask(cluster, broker)]}
            for broker in brokers
        ]
    print(f"Received log directory information from brokers {','.join(map(str, brokers))}")
    print(json.dumps({"version": 1, "brokers": described}, separators=(",", ":")))
    return 0


def _wanted(listed: str, live: list[int]) -> list[int]:
    try:
        wanted = [int(broker) for broker in listed.split(",") if broker.strip()] or live
    except ValueError:
        raise ToolError(f"ERROR: --broker-list takes broker ids, 0,1,2, not '{listed}'") from None
    unknown = sorted(set(wanted) - set(live))
    if unknown:
        raise ToolError(
            f"ERROR: The given brokers do not exist from --broker-list: {','.join(map(str, unknown))}. "
            f"Current existent brokers: {','.join(map(str, live))}"
        )
    return wanted


def _ask(cluster: Cluster, broker: int) -> list[DescribeLogDirsResult]:
    def work() -> list[DescribeLogDirsResult]:
        response = cluster.ask(DescribeLogDirsRequest(topics=None), DescribeLogDirsResponse, cluster.broker(broker))
        check(response.error_code)
        return response.results

    return cluster.retry(work)


def _directory(result: DescribeLogDirsResult, topics: set[str]) -> dict[str, Any]:
    return {
        "logDir": result.log_dir,
        "error": error_of(result.error_code).name if result.error_code else None,
        "partitions": [
            {
                "partition": f"{topic.name}-{p.partition_index}",
                "size": p.partition_size,
                "offsetLag": p.offset_lag,
                "isFuture": p.is_future_key,
            }
            for topic in result.topics
            if not topics or topic.name in topics
            for p in topic.partitions
        ],
    }
