// A search as a command line, where one can say the same; else null.
import { command } from "../../format/shell";
import { type Search, timeMs } from "./search";

export function riachoConsume(search: Search, topic: string, servers: string): string | null {
  // `--grep` looks into key and value alike.
  if (search.header !== "" || search.fields.length > 0 || search.where.trim() !== "" || (search.key !== "" && search.value !== "")) return null;
  const words = ["riacho", "consume", topic, "--bootstrap-server", servers];
  if (search.from === "oldest") words.push("--from", "start");
  else if (search.from === "offset") words.push("--from", search.offset);
  else if (search.from === "time") words.push("--from", `@${new Date(timeMs(search.time) ?? 0).toISOString()}`);
  else if (search.from === "last") words.push("--from", `${search.last} ago`);
  else words.push("--from", `-${search.limit}`);
  for (const partition of search.partitions ?? []) words.push("--partition", String(partition));
  const text = search.key || search.value;
  if (text !== "") words.push("--grep", text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  if (search.follow) words.push("--follow");
  else words.push("--count", String(search.limit));
  for (const [option, format] of [["--key-format", search.key_format], ["--value-format", search.value_format]] as const) {
    if (format === "avro" || format === "protobuf") words.push(option, format);
    if (format === "json_schema") words.push(option, "json-schema");
  }
  return command(...words);
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
