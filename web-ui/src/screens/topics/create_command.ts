// The command line that creates a topic.
import type { Cluster } from "../../api/clusters";
import type { NewTopic } from "../../api/topics";
import { command } from "../../format/shell";
import { bootstrap } from "../bootstrap";

export function createCommand(cluster: Cluster, topic: NewTopic): string {
  const words = ["kafka-topics", "--bootstrap-server", bootstrap(cluster), "--create", "--topic", topic.name];
  if (topic.partitions !== null) words.push("--partitions", String(topic.partitions));
  if (topic.replication !== null) words.push("--replication-factor", String(topic.replication));
  for (const [key, value] of Object.entries(topic.config)) words.push("--config", `${key}=${value}`);
  return command(...words);
}
