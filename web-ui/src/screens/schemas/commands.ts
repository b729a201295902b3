// The same by a command line.
import type { Cluster } from "../../api/clusters";
import type { NewVersion } from "../../api/schemas";
import { command } from "../../format/shell";
import { bootstrap } from "../bootstrap";
import { type Addresses, registryAt } from "../service_addresses";

const TYPES: Record<string, string> = { AVRO: "avro", JSON: "json-schema", PROTOBUF: "protobuf" };

function schemaCommand(cluster: Addresses, ...words: string[]): string {
  return command("riacho", "schema", ...words, ...registryAt(cluster));
}

/** Where there is no schema yet: a record with one registers it. */
export function firstCommand(cluster: Cluster, topic: string): string {
  return command("riacho", "produce", topic, "--value-schema", "order.avsc", '{"id": "1"}', "--bootstrap-server", bootstrap(cluster), ...registryAt(cluster));
}

export function registerCommand(cluster: Addresses, subject: string, { schema, type, references }: NewVersion): string {
  const named = references.flatMap((each) => ["--reference", `${each.name}=${each.subject}:${each.version}`]);
  return schemaCommand(cluster, "register", subject === "" ? "SUBJECT" : subject, "--schema", schema, "--type", TYPES[type] ?? "avro", ...named);
}

export function deleteCommand(cluster: Addresses, subject: string, version: number | null): string {
  return schemaCommand(cluster, "delete", subject, ...(version === null ? [] : ["--version", String(version)]));
}

export function levelCommand(cluster: Addresses, subject: string, level: string | null): string {
  return schemaCommand(cluster, "compatibility", subject, level ?? "--unset");
}
