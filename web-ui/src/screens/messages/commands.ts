// A search, an export, and a record to write as command lines, where one can say the same; else null.
import type { Cluster } from "../../api/clusters";
import { hasSchema } from "../../api/messages";
import { command } from "../../format/shell";
import { bootstrap } from "../bootstrap";
import { registryAt } from "../service_addresses";
import type { RecordForm } from "./record";
import { type Search, timeMs } from "./search";

export function riachoConsume(search: Search, topic: string, cluster: Cluster): string | null {
  const from = search.from === "newest" ? ["--from", `-${search.limit}`] : null;
  return consume(search, topic, cluster, from, search.follow ? ["--follow"] : ["--count", String(search.limit)]);
}

/** All that match, into a file. */
export function riachoExport(search: Search, topic: string, cluster: Cluster): string | null {
  return consume(search, topic, cluster, search.from === "newest" ? ["--from", "start"] : null, ["--output", "json", "--file", `${topic}.ndjson`]);
}

function consume(search: Search, topic: string, cluster: Cluster, from: readonly string[] | null, last: readonly string[]): string | null {
  // `--grep` looks into key and value alike.
  if (search.header !== "" || search.fields.length > 0 || search.where.trim() !== "" || (search.key !== "" && search.value !== "")) return null;
  const words = ["riacho", "consume", topic, "--bootstrap-server", bootstrap(cluster)];
  if (from !== null) words.push(...from);
  else if (search.from === "offset") words.push("--from", search.offset);
  else if (search.from === "time") words.push("--from", `@${new Date(timeMs(search.time) ?? 0).toISOString()}`);
  else if (search.from === "last") words.push("--from", `${search.last} ago`);
  else words.push("--from", "start");
  for (const partition of search.partitions ?? []) words.push("--partition", String(partition));
  const text = search.key || search.value;
  if (text !== "") words.push("--grep", text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  words.push(...last, ...schemaWords(cluster, search.key_format, search.value_format));
  return command(...words);
}

/** Texts, and JSON by the latest schema of its subject; a schema of another id, bytes and numbers it does not write. */
export function riachoProduce(form: RecordForm, topic: string, cluster: Cluster): string | null {
  const isWritten = (format: string, schemaId: string): boolean => format === "text" || format === "json" || (hasSchema(format) && schemaId === "");
  const headers = form.headers.filter(([name]) => name !== "");
  if (form.hasKey ? !isWritten(form.keyFormat, form.keySchemaId) : form.isTombstone) return null;
  if ((!form.isTombstone && !isWritten(form.valueFormat, form.valueSchemaId)) || headers.some(([name]) => name.includes("="))) return null;
  const words = ["riacho", "produce", topic, "--bootstrap-server", bootstrap(cluster)];
  if (form.hasKey) words.push("--key", form.key);
  for (const [name, text] of headers) words.push("--header", `${name}=${text}`);
  if (form.partition !== "") words.push("--partition", form.partition);
  words.push(...schemaWords(cluster, form.hasKey ? form.keyFormat : "", form.isTombstone ? "" : form.valueFormat));
  // A value may begin as an option does.
  return command(...words, ...(form.isTombstone ? ["--tombstone"] : form.value.startsWith("-") ? ["--", form.value] : [form.value]));
}

/** For what has a schema; of the other formats the command line knows none. */
function schemaWords(cluster: Cluster, keyFormat: string, valueFormat: string): string[] {
  const words = ([["--key-format", keyFormat], ["--value-format", valueFormat]] as const).flatMap(([option, format]) => (hasSchema(format) ? [option, format.replace("_", "-")] : []));
  return words.length === 0 ? [] : [...words, ...registryAt(cluster)];
}

/** The tool of Kafka knows offsets of one partition, the beginning, and what comes. */
export function consoleConsumer(search: Search, topic: string, servers: string): string | null {
  const isSearch = search.key !== "" || search.value !== "" || search.header !== "" || search.fields.length > 0 || search.where.trim() !== "";
  const only = search.partitions?.length === 1 ? search.partitions[0] : undefined;
  if (isSearch || (search.partitions !== null && only === undefined)) return null;
  const words = ["kafka-console-consumer", "--bootstrap-server", servers, "--topic", topic];
  if (search.from === "oldest") words.push(...(only === undefined ? ["--from-beginning"] : ["--partition", String(only), "--offset", "earliest"]));
  else if (search.from === "offset" && only !== undefined) words.push("--partition", String(only), "--offset", search.offset);
  else if (search.from === "newest" && search.follow) words.push(...(only === undefined ? [] : ["--partition", String(only), "--offset", "latest"]));
  else return null;
  if (!search.follow) words.push("--max-messages", String(search.limit));
  if (search.isolation === "read_committed") words.push("--isolation-level", "read_committed");
  return command(...words, "--property", "print.key=true", "--property", "print.headers=true");
}
