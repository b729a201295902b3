// The same by a command line.
import { command } from "../../format/shell";
import type { Properties } from "./statements";

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

export function riachoKsql(sql: string, properties: Properties = {}): string {
  const sets = Object.entries(properties).flatMap(([name, value]) => ["-e", `SET ${literal(name)} = ${literal(value)};`]);
  return command("riacho", "ksql", ...sets, "-e", sql.endsWith(";") ? sql : `${sql};`);
}
