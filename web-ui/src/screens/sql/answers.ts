// What the server answers to a statement, as what the page can show: a list, a sentence, one thing, or else JSON.
import type { SqlEntity, SqlPlan } from "../../api/sql";
import type { CsvValue } from "../../format/csv";
import { cellOf } from "./row_buffer";

export type AnswerRow = Readonly<Record<string, CsvValue>>;

/** Columns that the page has names for; of other lists the server's own words are shown. */
export const KNOWN_COLUMNS = ["category", "className", "editable", "id", "isWindowed", "keyFormat", "level", "name", "partitions", "queryType", "replicas", "scope", "sinks", "state", "statement", "topic", "type", "value", "valueFormat", "version"] as const;
export type KnownColumn = (typeof KNOWN_COLUMNS)[number];

export function isKnownColumn(name: string): name is KnownColumn {
  return (KNOWN_COLUMNS as readonly string[]).includes(name);
}

export type Answer =
  | { kind: "list"; type: string; columns: readonly string[]; rows: readonly AnswerRow[] }
  | { kind: "message"; message: string; queryId: string | null }
  | { kind: "source"; name: string }
  | { kind: "plan"; plan: SqlPlan }
  | { kind: "function"; name: string; about: string; forms: readonly { call: string; about: string }[] }
  | { kind: "other"; json: string };

type Fields = Record<string, unknown>;

const LISTS: Record<string, { field: string; columns: readonly KnownColumn[]; row?(each: Fields): Fields }> = {
  streams: { field: "streams", columns: ["name", "topic", "keyFormat", "valueFormat", "isWindowed"] },
  tables: { field: "tables", columns: ["name", "topic", "keyFormat", "valueFormat", "isWindowed"] },
  kafka_topics: { field: "topics", columns: ["name", "partitions", "replicas"], row: topicRow },
  queries: { field: "queries", columns: ["id", "state", "queryType", "sinks", "statement"], row: (each) => ({ ...each, sinks: joined(each["sinks"]), statement: each["queryString"] }) },
  properties: { field: "properties", columns: ["name", "value", "scope", "level", "editable"] },
  function_names: { field: "functions", columns: ["name", "type", "category"] },
  variables: { field: "variables", columns: ["name", "value"] },
  connector_list: { field: "connectors", columns: ["name", "type", "className", "state"] },
  connector_plugins_list: { field: "connectorsPlugins", columns: ["className", "type", "version"] },
};

export function answerOf(entity: SqlEntity): Answer {
  const type = entity["@type"] ?? "";
  const status = entity["commandStatus"] as { message?: unknown; queryId?: unknown } | undefined;
  if (status !== undefined && typeof status.message === "string") return { kind: "message", message: status.message, queryId: typeof status.queryId === "string" ? status.queryId : null };
  const source = entity["sourceDescription"] as { name?: unknown } | undefined;
  if (typeof source?.name === "string") return { kind: "source", name: source.name };
  const query = entity["queryDescription"] as Fields | undefined;
  if (query !== undefined) return { kind: "plan", plan: planOf(query) };
  if (type === "describe_function") return functionOf(entity);
  if (type === "type_list") {
    const types = Object.entries((entity["types"] ?? {}) as Fields);
    return { kind: "list", type, columns: ["name", "type"], rows: types.map(([name, schema]) => ({ name, type: cellOf((schema as Fields | null)?.["type"]) })) };
  }
  return listOf(type, entity) ?? { kind: "other", json: JSON.stringify(entity) };
}

function listOf(type: string, entity: SqlEntity): Answer | null {
  const known = LISTS[type];
  if (known !== undefined && Array.isArray(entity[known.field])) {
    const rows = (entity[known.field] as Fields[]).map(known.row ?? ((each) => each));
    return { kind: "list", type, columns: known.columns, rows: rows.map((each) => cells(each, known.columns)) };
  }
  // A list of another server, or of another version.
  const [field, found] = Object.entries(entity).find((each): each is [string, Fields[]] => isRows(each[1])) ?? [];
  if (field === undefined || found === undefined) return null;
  const columns = [...new Set(found.flatMap((each) => Object.keys(each)))];
  return { kind: "list", type: type === "" ? field : type, columns, rows: found.map((each) => cells(each, columns)) };
}

function isRows(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "object" && each !== null && !("message" in each));
}

function cells(row: Fields, columns: readonly string[]): AnswerRow {
  return Object.fromEntries(columns.map((column) => [column, cellOf(row[column])]));
}

function topicRow(each: Fields): Fields {
  const replicas = Array.isArray(each["replicaInfo"]) ? (each["replicaInfo"] as number[]) : [];
  return { name: each["name"], partitions: replicas.length, replicas: replicas[0] ?? null };
}

function joined(value: unknown): string | null {
  return Array.isArray(value) ? value.join(", ") : null;
}

function planOf(query: Fields): SqlPlan {
  const text = (name: string): string => (typeof query[name] === "string" ? (query[name] as string) : "");
  const names = (name: string): string[] => (Array.isArray(query[name]) ? (query[name] as string[]) : []);
  return { sql: text("statementText"), plan: text("executionPlan"), topology: text("topology"), sources: names("sources"), sinks: names("sinks"), state: null };
}

function functionOf(entity: SqlEntity): Answer {
  const name = String(entity["name"] ?? "");
  const forms = (Array.isArray(entity["functions"]) ? (entity["functions"] as Fields[]) : []).map((each) => {
    const given = (Array.isArray(each["arguments"]) ? (each["arguments"] as Fields[]) : []).map((one) => `${String(one["name"] ?? "")} ${String(one["type"] ?? "")}${one["isVariadic"] === true ? "…" : ""}`.trim());
    return { call: `${name}(${given.join(", ")}) → ${String(each["returnType"] ?? "")}`, about: String(each["description"] ?? "") };
  });
  return { kind: "function", name, about: String(entity["description"] ?? ""), forms };
}

/** What the server warns of, beside its answer. */
export function warningsOf(entity: SqlEntity): string[] {
  const found = entity["warnings"];
  return Array.isArray(found) ? found.map((each) => String((each as { message?: unknown } | null)?.message ?? each)) : [];
}
