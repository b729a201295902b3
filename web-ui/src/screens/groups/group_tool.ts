import type { Cluster } from "../../api/clusters";
import type { GroupRow } from "../../api/groups";
import { command } from "../../format/shell";
import { bootstrap } from "../bootstrap";

/** Kafka has a tool for each kind of group. */
export function groupTool(cluster: Cluster, type: GroupRow["type"], ...words: string[]): string {
  const tool = type === "share" ? "kafka-share-groups" : type === "streams" ? "kafka-streams-groups" : "kafka-consumer-groups";
  return command(tool, "--bootstrap-server", bootstrap(cluster), ...words);
}
