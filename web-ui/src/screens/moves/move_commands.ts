// The same by Kafka's own tool, which reads a file.
import type { Cluster } from "../../api/clusters";
import type { Move } from "../../api/reassignments";
import { command, quoted } from "../../format/shell";
import { bootstrap } from "../bootstrap";

const FILE = "moves.json";

export function moveCommand(cluster: Cluster, moves: readonly Move[], verb: "--execute" | "--cancel"): string {
  const file = JSON.stringify({ version: 1, partitions: moves.map(({ topic, partition, replicas }) => ({ topic, partition, replicas })) });
  return `printf %s ${quoted(file)} > ${FILE}\n${command("kafka-reassign-partitions", "--bootstrap-server", bootstrap(cluster), "--reassignment-json-file", FILE, verb)}`;
}

export function listCommand(cluster: Cluster): string {
  return command("kafka-reassign-partitions", "--bootstrap-server", bootstrap(cluster), "--list");
}
