// The API with made-up clusters, and the built files under the same policy as the console serves them: `npm run fixtures`.
import { readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { connectorsOf, formOf, offsetsOf, pipelinesOf, pluginsOf, rowOf, validated } from "./connector_fixtures.mjs";
import { cluster, configOf, flowOf, groupPage, overviewOf, partitionsOf } from "./fixtures.mjs";
import { schemaRoutes } from "./schema_fixtures.mjs";
import { securityRoutes } from "./security_fixtures.mjs";
import { followQuery, SQL_ROUTES } from "./sql_fixtures.mjs";

const PORT = Number(process.env.PORT ?? 9321);
const STATIC = process.env.RIACHO_STATIC ?? fileURLToPath(new URL("../../src/riacho/console/static", import.meta.url));
const SIZES = { topics: Number(process.env.TOPICS ?? 240), groups: Number(process.env.GROUPS ?? 60) };
const CSRF = "fixture";
const POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".txt": "text/plain" };

const made = new Map([
  ["production", cluster("production", SIZES)],
  ["staging", cluster("staging", { topics: 12, groups: 4 })],
  ["empty", cluster("empty", { topics: 0, groups: 0 })],
]);
made.get("empty").topics = [];
const overrides = new Map();

class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

const clusters = () =>
  [...made.keys()].map((id) => ({
    id,
    name: id,
    color: { production: "#c2410c", staging: "#4d7c0f", empty: "#6d28d9" }[id],
    state: "up",
    reason: null,
    as_of_ms: Date.now() - 800,
    is_riacho: true,
    kafka_version: "4.1",
    bootstrap_servers: "kafka-1.example.com:9092",
    registry_url: "http://registry.example.com:8081",
    connect_url: "http://connect.example.com:8083",
    ksql_url: "http://ksql.example.com:8088",
    has: { schema_registry: true, connect: true, ksql: true, metrics: true },
  }));

function page(rows, query, text) {
  const q = (query.get("q") ?? "").toLowerCase();
  const sort = query.get("sort") ?? "";
  const field = sort.replace(/^-/, "");
  let found = rows.filter((row) => text(row).toLowerCase().includes(q));
  if (field !== "") {
    const known = found.filter((row) => row[field] !== null);
    known.sort((one, other) => (one[field] < other[field] ? -1 : one[field] > other[field] ? 1 : 0) * (sort.startsWith("-") ? -1 : 1));
    found = [...known, ...found.filter((row) => row[field] === null)];
  }
  const number = Number(query.get("page") ?? 1);
  const size = Number(query.get("page_size") ?? 50);
  return { items: found.slice((number - 1) * size, number * size), total: found.length, page: number, page_size: size, as_of_ms: Date.now() - 900, stale_reason: null };
}

const listed = (at, query) => at.topics.filter((row) => (!row.is_internal || query.get("internal") === "true") && row.name.startsWith(query.get("prefix") ?? ""));

function tree(at, query) {
  const prefix = query.get("prefix") ?? "";
  const prefixes = new Map();
  const topics = [];
  for (const row of listed(at, query)) {
    if (!row.name.toLowerCase().includes((query.get("q") ?? "").toLowerCase())) continue;
    const end = row.name.indexOf(".", prefix.length);
    if (end === -1) topics.push(row);
    else prefixes.set(row.name.slice(0, end + 1), (prefixes.get(row.name.slice(0, end + 1)) ?? 0) + 1);
  }
  return { prefixes: [...prefixes].map(([each, count]) => ({ prefix: each, topics: count })), topics, is_cut: false, as_of_ms: Date.now(), stale_reason: null };
}

function found(rows, name, key, what) {
  const row = rows.find((each) => String(each[key]) === name);
  if (row === undefined) throw new Refused(404, `There is no ${what} ${name}.`);
  return row;
}

function changed(id, change) {
  const set = { ...overrides.get(id), ...change.set };
  for (const name of change.unset ?? []) delete set[name];
  overrides.set(id, set);
}

/** What is set for all brokers has a value, the rest a default only. */
function defaults() {
  const set = overrides.get("broker defaults") ?? {};
  return configOf(set, true)
    .filter((entry) => entry.can_change_now)
    .map((entry) => (entry.name in set ? { ...entry, value: set[entry.name], source: "DYNAMIC_DEFAULT_BROKER_CONFIG" } : { ...entry, value: null, source: "DEFAULT_CONFIG" }));
}

function newTopic(at, body, partitions) {
  if (at.topics.some((row) => row.name === body.name)) throw new Refused(409, `The topic ${body.name} is there already.`);
  at.topics.push({ ...at.topics[0], ...{ is_internal: false, replication: 3, under_replicated: 0, offline: 0, messages: 0, size_bytes: 0, bytes_in_per_s: 0, bytes_out_per_s: 0, groups: 0, lag: null, cleanup_policy: "delete", retention_ms: 604_800_000, spark: [] }, name: body.name, partitions });
}

function preview(row, at, body) {
  const offsets = groupPage(row, at.topics).offsets;
  const rows = offsets
    .filter((each) => each.topic in body.topics && (body.topics[each.topic] === null || body.topics[each.topic].includes(each.partition)))
    .map((each) => {
      const to = { earliest: 0, latest: each.next_offset, offset: body.value, shift: (each.committed ?? 0) + Number(body.value), time: each.next_offset - 1000, group: each.next_offset - 10 }[body.to];
      return { topic: each.topic, partition: each.partition, old: each.committed, new: to, change: each.committed === null ? null : to - each.committed };
    });
  return { rows, refused: row.state === "Empty" ? null : `The group ${row.id} has members now: stop its consumers, then its offsets can be set.` };
}

function replicasOf(at, broker, query) {
  const rows = at.topics.flatMap((topic) => partitionsOf(topic).filter((each) => each.replicas.includes(broker)).map((each) => ({ ...each, topic: topic.name, is_leader: each.leader === broker, is_in_sync: each.in_sync.includes(broker) })));
  return rows.filter((row) => (!query.get("role") || row.is_leader === (query.get("role") === "leader")) && (query.get("behind") !== "true" || !row.is_in_sync));
}

/** One replica of each goes to the last of the chosen brokers. */
function plan(at, body) {
  if (body.assignments !== undefined) {
    const rows = body.assignments.map((each) => ({ topic: each.topic, partition: each.partition, old: [1, 2, 3], new: each.replicas, adding: each.replicas.filter((id) => id > 3), removing: [], bytes_to_copy: 0 }));
    return { rows, unchanged: 0, bytes_to_copy: 0, brokers: [] };
  }
  const topics = body.topics ?? Object.fromEntries(at.topics.slice(0, 8).map((topic) => [topic.name, null]));
  const to = body.brokers.at(-1);
  const rows = Object.keys(topics).flatMap((name) =>
    partitionsOf(found(at.topics, name, "name", "topic"))
      .filter((each) => (topics[name] === null || topics[name].includes(each.partition)) && !each.replicas.includes(to))
      .map((each) => ({ topic: name, partition: each.partition, old: each.replicas, new: [...each.replicas.slice(1), to], adding: [to], removing: [each.replicas[0]], bytes_to_copy: each.size_bytes })),
  );
  const bytes = rows.reduce((sum, row) => sum + (row.bytes_to_copy ?? 0), 0);
  return { rows, unchanged: 2, bytes_to_copy: bytes, brokers: [{ id: to, replicas_before: 300, replicas_after: 300 + rows.length, bytes_coming: bytes, bytes_leaving: 0, disk_free_bytes: 310e9 }] };
}

let moving = [{ topic: "orders", partition: 0, replicas: [3, 2, 1], adding: [3], removing: [1], bytes_to_copy: 42e9, bytes_copied: 13e9, away: [] }];

function moved(partitions) {
  moving = [...moving, ...partitions.map((each) => ({ ...each, adding: each.replicas.slice(-1), removing: [], bytes_to_copy: 2e9, bytes_copied: 1e8, away: [] }))];
  return { taken: partitions.length, refused: [] };
}

function cancelled(partitions) {
  moving = moving.filter((move) => !partitions.some((each) => each.topic === move.topic && each.partition === move.partition));
  return { taken: partitions.length, refused: [] };
}

/** Any series that is asked for, with a gap in it. */
const metrics = (query) => {
  const to = Number(query.get("to") ?? Date.now());
  const from = Number(query.get("from") ?? to - 600_000);
  const step = Number(query.get("step") ?? 10_000);
  const times = Array.from({ length: Math.floor((to - from) / step) }, (_, index) => from + index * step);
  const most = (name) => (name.includes("bytes") ? 48e6 : name.includes("under") || name === "offline" ? 0 : 4200) * (name.includes("out") ? 2 : 1);
  const series = query.getAll("series").map((asked) => {
    const [, name, label, value] = /^(\w+)(?:\{(\w+)="(.*)"\})?$/.exec(asked) ?? [asked, asked];
    return { name, labels: label ? { [label]: value } : {}, points: times.map((ms, at) => [ms, at > times.length / 3 && at < times.length / 2.6 ? null : most(name) * (1 + 0.25 * Math.sin(at / 7) + 0.1 * Math.sin(at / 1.7))]) };
  });
  return { series, from_ms: from, to_ms: to, step_ms: step, left_out: 0 };
};

const KINDS = ["lag", "under_replicated", "offline", "failed_tasks", "failed_queries", "disk", "broker_down", "cluster_down"];
const rule = (name, kind, above, for_s) => ({ name, kind, above, for_s, target: "", webhook: null, is_on: true });
let rules = [rule("Partitions without a leader", "offline", 0, 15), rule("Disk almost full", "disk", 90, 300), rule("Group far behind", "lag", 100_000, 300)];
const alert = (state, target, minutes) => ({ rule: "Group far behind", kind: "lag", target, state, value: 182_400, above: 100_000, since_ms: Date.now() - minutes * 60_000, at_ms: Date.now() - (minutes - 5) * 60_000, webhook: null });
const alertSettings = () => ({ rules, webhooks: ["ops"], kinds: KINDS });

/** The routes, as method and path; `*` is one name. */
const ROUTES = [
  ["GET", "me", () => ({ name: "ana", role: "admin", login: "none", csrf: CSRF, read_only: false, version: "0.1.0", language: null, has_parquet: true })],
  ["GET", "clusters", () => clusters()],
  ["GET", "clusters/*/overview", ({ at }) => overviewOf(at)],
  ["GET", "clusters/*/flow", ({ at }) => flowOf(at)],
  ["GET", "clusters/*/metrics", ({ query }) => metrics(query)],
  ["GET", "clusters/*/alerts", () => alertSettings()],
  ["PUT", "clusters/*/alerts", ({ body }) => ((rules = body.rules), alertSettings())],
  ["GET", "clusters/*/alerts/firing", ({ at }) => ({ firing: at.groups.length > 0 ? [alert("firing", at.groups[0].id, 12)] : [], recent: at.groups.length > 0 ? [alert("resolved", at.groups[0].id, 90)] : [] })],
  ["POST", "clusters/*/alerts/test", () => ({ is_delivered: true, status: 204, reason: null })],
  ["GET", "clusters/*/brokers", ({ at, query }) => page(at.brokers, query, (row) => `${row.id} ${row.host}`)],
  ["GET", "clusters/*/brokers/*", ({ at, names }) => ({ ...found(at.brokers, names[1], "id", "broker"), log_dirs: [{ path: "/var/lib/riacho/data", error: null, size_bytes: 184e9, total_bytes: 640e9, free_bytes: 310e9, topics: 230 }], config: configOf(overrides.get(`broker ${names[1]}`) ?? { "retention.ms": "259200000" }, true), details_missing: null, as_of_ms: Date.now() - 900, stale_reason: null })],
  ["GET", "clusters/*/brokers/*/replicas", ({ at, names, query }) => page(replicasOf(at, Number(names[1]), query), query, (row) => row.topic)],
  ["GET", "clusters/*/reassignments", () => moving],
  ["GET", "clusters/*/reassignments/throttle", () => [1, 2, 3].map((broker) => ({ broker, leader_bytes_per_s: 10_485_760, follower_bytes_per_s: 10_485_760 }))],
  ["DELETE", "clusters/*/reassignments/throttle", () => null],
  ["POST", "clusters/*/reassignments/plan", ({ at, body }) => plan(at, body)],
  ["POST", "clusters/*/reassignments", ({ body }) => moved(body.partitions)],
  ["DELETE", "clusters/*/reassignments", ({ body }) => cancelled(body.partitions)],
  ["PATCH", "clusters/*/brokers/*/config", ({ names, body }) => changed(`broker ${names[1]}`, body)],
  ["GET", "clusters/*/topics", ({ at, query }) => page(listed(at, query), query, (row) => row.name)],
  ["POST", "clusters/*/topics", ({ at, body }) => newTopic(at, body, body.partitions ?? 1)],
  ["GET", "clusters/*/topics-tree", ({ at, query }) => tree(at, query)],
  ["GET", "clusters/*/topics/*", ({ at, names }) => ({ ...found(at.topics, names[1], "name", "topic"), topic_id: "Tq2N4bGXT0mJ8n7Jx0m0Xw", config_overrides: {} })],
  ["DELETE", "clusters/*/topics/*", ({ at, names }) => void (at.topics = at.topics.filter((row) => row.name !== names[1]))],
  ["POST", "clusters/*/topics/*/partitions", ({ at, names, body }) => void (found(at.topics, names[1], "name", "topic").partitions = body.count)],
  ["POST", "clusters/*/topics/*/clone", ({ at, names, body }) => newTopic(at, body, found(at.topics, names[1], "name", "topic").partitions)],
  ["POST", "clusters/*/topics/*/purge", ({ at, names }) => void (found(at.topics, names[1], "name", "topic").messages = 0)],
  ["GET", "clusters/*/topics/*/partitions", ({ at, names }) => partitionsOf(found(at.topics, names[1], "name", "topic"))],
  ["GET", "clusters/*/topics/*/consumers", ({ at, names }) => at.groups.slice(0, found(at.topics, names[1], "name", "topic").groups).map((row) => ({ group: row.id, state: row.state, members: row.members, lag: row.lag }))],
  ["GET", "clusters/*/topics/*/config", ({ names }) => configOf(overrides.get(`topic ${names[1]}`) ?? { "retention.ms": "259200000" }, false)],
  ["PATCH", "clusters/*/topics/*/config", ({ names, body }) => changed(`topic ${names[1]}`, body)],
  ["GET", "clusters/*/groups", ({ at, query }) => page(at.groups, query, (row) => row.id)],
  ["GET", "clusters/*/groups/*", ({ at, names }) => groupPage(found(at.groups, names[1], "id", "group"), at.topics)],
  ["DELETE", "clusters/*/groups/*", ({ at, names }) => void (at.groups = at.groups.filter((row) => row.id !== names[1]))],
  ["POST", "clusters/*/groups/*/offsets/preview", ({ at, names, body }) => preview(found(at.groups, names[1], "id", "group"), at, body)],
  ["POST", "clusters/*/groups/*/offsets", () => undefined],
  ...schemaRoutes(page, (status, message) => new Refused(status, message)),
  ["GET", "clusters/*/broker-defaults", () => defaults()],
  ["PATCH", "clusters/*/broker-defaults", ({ body }) => changed("broker defaults", body)],
  ...securityRoutes(page, found),
  ...SQL_ROUTES,
];

const connector = (at, names) => found(connectorsOf(at), names[1], "name", "connector");
const brought = (state) => ({ at, names }) => {
  const row = connector(at, names);
  row.state = state;
  row.tasks = state === "STOPPED" ? [] : (row.tasks.length > 0 ? row.tasks : [{ id: 0, worker: row.worker }]).map((task) => ({ ...task, state, trace: null }));
};
ROUTES.push(
  ["GET", "clusters/*/connectors", ({ at, query }) => page(connectorsOf(at).map(rowOf), query, (row) => row.name)],
  ["POST", "clusters/*/connectors", ({ at, body }) => (connectorsOf(at).push({ ...connectorsOf(at)[0], name: body.name, config: body.config, class: body.config["connector.class"] }), { name: body.name })],
  ["GET", "clusters/*/connectors/*", ({ at, names }) => connector(at, names)],
  ["PUT", "clusters/*/connectors/*", ({ at, names, body }) => void (connector(at, names).config = body.config)],
  ["DELETE", "clusters/*/connectors/*", ({ at, names }) => void (at.connectors = connectorsOf(at).filter((row) => row.name !== names[1]))],
  ["POST", "clusters/*/connectors/*/pause", brought("PAUSED")],
  ["POST", "clusters/*/connectors/*/resume", brought("RUNNING")],
  ["POST", "clusters/*/connectors/*/restart", brought("RUNNING")],
  ["POST", "clusters/*/connectors/*/stop", brought("STOPPED")],
  ["POST", "clusters/*/connectors/*/tasks/*/restart", brought("RUNNING")],
  ["GET", "clusters/*/connectors/*/offsets", ({ at, names }) => offsetsOf(connector(at, names))],
  ["PATCH", "clusters/*/connectors/*/offsets", () => ({ message: "The offsets for this connector have been altered successfully" })],
  ["DELETE", "clusters/*/connectors/*/offsets", () => ({ message: "The offsets for this connector have been reset successfully" })],
  ["GET", "clusters/*/connector-plugins", () => pluginsOf()],
  ["GET", "clusters/*/connector-plugins/*", ({ names }) => formOf(names[1])],
  ["POST", "clusters/*/connector-plugins/*/validate", ({ body }) => validated(body.config)],
  ["GET", "clusters/*/pipelines", ({ at }) => pipelinesOf(at)],
);

function route(method, parts) {
  for (const [verb, pattern, answer] of ROUTES) {
    const wanted = pattern.split("/");
    if (verb !== method || wanted.length !== parts.length || wanted.some((part, index) => part !== "*" && part !== parts[index])) continue;
    return { answer, names: parts.filter((_, index) => wanted[index] === "*") };
  }
  return null;
}

async function serveApi(request, response, url) {
  const parts = url.pathname.slice("/api/v1/".length).split("/").map(decodeURIComponent);
  const at = parts[0] === "clusters" && parts.length > 1 ? made.get(parts[1]) : null;
  if (at === undefined) throw new Refused(404, `There is no cluster ${parts[1]}.`);
  if (request.method === "GET" && parts[2] === "events") return follow(response, at);
  if (request.method === "POST" && parts.slice(2).join("/") === "sql/query") return followQuery(response);
  const match = route(request.method, parts);
  if (match === null) throw new Refused(404, "HTTP 404 Not Found");
  if (request.method !== "GET" && request.headers["x-riacho-csrf"] !== CSRF) throw new Refused(403, "The token of this page is not valid any more.");
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = chunks.length === 0 ? null : JSON.parse(Buffer.concat(chunks).toString());
  const answer = match.answer({ at, names: match.names, query: url.searchParams, body });
  response.writeHead(answer === undefined ? 204 : 200, { "Content-Type": "application/json", "Cache-Control": "no-store" });
  response.end(answer === undefined ? undefined : JSON.stringify(answer));
}

function follow(response, at) {
  response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
  const tell = () => response.write(`event: overview\ndata: ${JSON.stringify(overviewOf(at))}\n\n`);
  tell();
  const timer = setInterval(tell, 2000);
  response.on("close", () => clearInterval(timer));
}

function serveFile(response, path) {
  const wanted = join(STATIC, normalize(path));
  const file = wanted.startsWith(STATIC) && statSync(wanted, { throwIfNoEntry: false })?.isFile() ? wanted : join(STATIC, "index.html");
  response.writeHead(200, { "Content-Type": TYPES[extname(file)] ?? "application/octet-stream", "Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff" });
  response.end(readFileSync(file));
}

createServer((request, response) => {
  const url = new URL(request.url, "http://console");
  if (!url.pathname.startsWith("/api/")) return serveFile(response, url.pathname);
  serveApi(request, response, url).catch((error) => {
    response.writeHead(error.status ?? 500, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ error_code: error.status ?? 500, message: error.message }));
  });
}).listen(PORT, "127.0.0.1", () => console.log(`made-up clusters at http://127.0.0.1:${PORT}`));
