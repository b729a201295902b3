// The same by a command line.
import type { NewVersion } from "../../api/schemas";
import { command } from "../../format/shell";

const TYPES: Record<string, string> = { AVRO: "avro", JSON: "json-schema", PROTOBUF: "protobuf" };

export function registerCommand(subject: string, { schema, type, references }: NewVersion): string {
  const named = references.flatMap((each) => ["--reference", `${each.name}=${each.subject}:${each.version}`]);
  return command("riacho", "schema", "register", subject === "" ? "SUBJECT" : subject, "--schema", schema, "--type", TYPES[type] ?? "avro", ...named);
}

export function deleteCommand(subject: string, version: number | null): string {
  return command("riacho", "schema", "delete", subject, ...(version === null ? [] : ["--version", String(version)]));
}

export function levelCommand(subject: string, level: string | null): string {
  return command("riacho", "schema", "compatibility", subject, level ?? "--unset");
}
