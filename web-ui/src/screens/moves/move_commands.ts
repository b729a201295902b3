// The same by Kafka's own tool, which reads a file.
import type { Cluster } from "../../api/clusters";
import type { Move } from "../../api/reassignments";
import { command, quoted } from "../../format/shell";
import { bootstrap } from "../bootstrap";

const FILE = "moves.json";

export function moveCommand(cluster: Cluster, moves: readonly Move[], verb: "--execute" | "--cancel", throttle?: number): string {
  const file = JSON.stringify({ version: 1, partitions: moves.map(({ topic, partition, replicas }) => ({ topic, partition, replicas })) });
  return `printf %s ${quoted(file)} > ${FILE}\n${command("kafka-reassign-partitions", "--bootstrap-server", bootstrap(cluster), "--reassignment-json-file", FILE, verb, ...(throttle === undefined ? [] : ["--throttle", String(throttle)]))}`;
}

export function listCommand(cluster: Cluster): string {
  return command("kafka-reassign-partitions", "--bootstrap-server", bootstrap(cluster), "--list");
}

const RATES = "leader.replication.throttled.rate,follower.replication.throttled.rate";

/** Of brokers; what a topic keeps has no effect without them. */
export function clearCommand(cluster: Cluster, brokers: readonly number[]): string {
  return brokers
    .map((id) => command("kafka-configs", "--bootstrap-server", bootstrap(cluster), "--alter", "--entity-type", "brokers", "--entity-name", String(id), "--delete-config", RATES))
    .join("\n");
}
