import type { Cluster } from "../api/clusters";
import type { ConfigChange } from "../api/configs";
import { command } from "../format/shell";
import { bootstrap } from "./bootstrap";

/** Whom a change is for; null is the default of that type, for all who have none of their own. */
export interface Entity {
  type: "topics" | "brokers" | "users" | "clients" | "ips";
  name: string | null;
}

export function alterCommand(cluster: Cluster, type: Entity["type"], name: string | null, change: ConfigChange): string {
  return alterEntity(cluster, [{ type, name }], change);
}

/** A user and a client id make one entity together. */
export function alterEntity(cluster: Cluster, entities: readonly Entity[], change: ConfigChange): string {
  const set = Object.entries(change.set).map(([key, value]) => (value.includes(",") && !value.startsWith("[") ? `${key}=[${value}]` : `${key}=${value}`));
  return command(
    "kafka-configs",
    "--bootstrap-server",
    bootstrap(cluster),
    "--alter",
    ...entities.flatMap(({ type, name }) => ["--entity-type", type, ...(name === null ? ["--entity-default"] : ["--entity-name", name])]),
    ...(set.length > 0 ? ["--add-config", set.join(",")] : []),
    ...(change.unset.length > 0 ? ["--delete-config", change.unset.join(",")] : []),
  );
}
