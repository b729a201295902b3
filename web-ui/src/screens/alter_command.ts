import type { Cluster } from "../api/clusters";
import type { ConfigChange } from "../api/configs";
import { command } from "../format/shell";
import { bootstrap } from "./bootstrap";

export function alterCommand(cluster: Cluster, type: "topics" | "brokers", name: string, change: ConfigChange): string {
  const set = Object.entries(change.set).map(([key, value]) => (value.includes(",") ? `${key}=[${value}]` : `${key}=${value}`));
  return command(
    "kafka-configs",
    "--bootstrap-server",
    bootstrap(cluster),
    "--alter",
    "--entity-type",
    type,
    "--entity-name",
    name,
    ...(set.length > 0 ? ["--add-config", set.join(",")] : []),
    ...(change.unset.length > 0 ? ["--delete-config", change.unset.join(",")] : []),
  );
}
