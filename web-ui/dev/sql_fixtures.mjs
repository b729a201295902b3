// Made-up streams, queries and plans, and rows that come for as long as somebody looks.
const source = (name, kind, topic) => ({ name, kind, topic, key_format: "KAFKA", value_format: "JSON", is_windowed: kind === "table" });
const SOURCES = [source("ORDERS", "stream", "orders.created"), source("LARGE_ORDERS", "stream", "LARGE_ORDERS"), source("ORDERS_BY_CITY", "table", "ORDERS_BY_CITY")];
const FIELDS = [
  { name: "ID", type: "STRING", is_key: true },
  { name: "TOTAL", type: "BIGINT", is_key: false },
  { name: "CITY", type: "STRING", is_key: false },
];
const query = (id, state, sink, sql, errors = []) => ({ id, type: "PERSISTENT", state, sql, sources: ["ORDERS"], sinks: [sink], errors, state_rows: 128_000, state_bytes: 41_300_000, spark_ui: "http://127.0.0.1:40404" });
const QUERIES = [
  query("CSAS_LARGE_ORDERS_1", "RUNNING", "LARGE_ORDERS", "CREATE STREAM large_orders AS SELECT * FROM orders WHERE total > 100;"),
  query("CTAS_ORDERS_BY_CITY_2", "ERROR", "ORDERS_BY_CITY", "CREATE TABLE orders_by_city AS SELECT city, COUNT(*) AS n FROM orders WINDOW TUMBLING (SIZE 1 MINUTE) GROUP BY city;", ["The state directory is full."]),
];
const step = (depth, name, rest = "") => `${"\t\t".repeat(depth)} > [ ${name} ]${rest} | Logger: Q.${name}\n`;
const planOf = (sql, sink) => ({
  sql,
  plan: step(0, "SINK", " | Schema: `CITY` STRING PRIMARY KEY, `N` BIGINT") + step(1, "PROJECT") + step(2, "AGGREGATE", " | Window: TUMBLING 60000 ms, grace 86340000 ms") + step(3, "GROUP_BY") + step(4, "SOURCE", " | Schema: `ID` STRING KEY, `TOTAL` BIGINT, `CITY` STRING"),
  topology: `topic orders.created -> [read] -> [group] -> [window] -> [select] -> topics\n\nread orders.created: KAFKA key, JSON value\n1. read: SELECT v FROM records\nwrite ${sink ?? "to the client"}: KAFKA key, JSON value`,
  sources: ["ORDERS"],
  sinks: sink === null ? [] : [sink],
  state: null,
});

function answerOf(sql) {
  const entity = (type, fields) => ({ "@type": type, statementText: sql, ...fields, warnings: [] });
  const listed = (kind) => SOURCES.filter((each) => each.kind === kind).map((each) => ({ type: kind.toUpperCase(), name: each.name, topic: each.topic, keyFormat: each.key_format, valueFormat: each.value_format, isWindowed: each.is_windowed }));
  if (/^(show|list)\s+streams/i.test(sql)) return [entity("streams", { streams: listed("stream") })];
  if (/^(show|list)\s+tables/i.test(sql)) return [entity("tables", { tables: listed("table") })];
  if (/^describe\s/i.test(sql)) return [entity("sourceDescription", { sourceDescription: { name: "ORDERS" } })];
  if (/^insert\s/i.test(sql)) return [];
  return [entity("currentStatus", { commandStatus: { status: "SUCCESS", message: "Done by the fixtures", queryId: null } })];
}

export const SQL_ROUTES = [
  ["GET", "clusters/*/sql/sources", () => SOURCES],
  ["GET", "clusters/*/sql/sources/*", ({ names }) => ({ ...(SOURCES.find((each) => each.name === names[1]) ?? SOURCES[0]), statement: `CREATE STREAM ${names[1]} (id VARCHAR KEY, total BIGINT, city VARCHAR) WITH (…);`, fields: FIELDS, read_by: QUERIES.map((each) => each.id), written_by: [] })],
  ["GET", "clusters/*/sql/queries", () => QUERIES],
  ["GET", "clusters/*/sql/queries/*", ({ names }) => planOf(QUERIES[0].sql, QUERIES.find((each) => each.id === names[1])?.sinks[0] ?? null)],
  ["GET", "clusters/*/sql/functions", () => ["AVG", "COUNT", "SUM"].map((name) => ({ name, kind: "aggregate", category: "AGGREGATE" }))],
  ["POST", "clusters/*/sql/statements", ({ body }) => ({ results: answerOf(body.sql) })],
  ["POST", "clusters/*/sql/explain", ({ body }) => planOf(body.sql, null)],
];

/** A few rows a second, until it is closed. */
export function followQuery(response) {
  response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
  const tell = (name, data) => response.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  tell("header", { query_id: "transient_ORDERS_1", columns: FIELDS.map(({ name, type }) => ({ name, type })) });
  let count = 0;
  const timer = setInterval(() => {
    count += 1;
    tell("rows", { rows: [[`order-${count}`, (count * 7919) % 500, ["Recife", "Olinda", "Natal"][count % 3]]] });
  }, 250);
  response.on("close", () => clearInterval(timer));
}
