// The same by a command line.
import { command } from "../../format/shell";
import { type Addresses, ksqlAt } from "../service_addresses";
import type { Properties } from "./statements";

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

export function riachoKsql(cluster: Addresses, sql: string, properties: Properties = {}): string {
  const sets = Object.entries(properties).flatMap(([name, value]) => ["-e", `SET ${literal(name)} = ${literal(value)};`]);
  return command("riacho", "ksql", ...ksqlAt(cluster), ...sets, "-e", sql.endsWith(";") ? sql : `${sql};`);
}
