// Made-up rights, users, quotas, transactions and an audit log. Some of the names would be markup, if a page took them for that.
const HOSTILE = '<img src=x onerror="alert(1)">';
const MINUTE_MS = 60_000;

const acl = (principal, operation, resource_type, resource_name, more = {}) => ({ resource_type, resource_name, pattern_type: "LITERAL", principal, operation, host: "*", permission: "ALLOW", ...more });
let acls = [
  ...["billing", "fraud", "search", "shipping"].flatMap((name) => [acl(`User:${name}`, "READ", "TOPIC", "orders.", { pattern_type: "PREFIXED" }), acl(`User:${name}`, "DESCRIBE", "TOPIC", "orders.", { pattern_type: "PREFIXED" }), acl(`User:${name}`, "READ", "GROUP", name)]),
  acl("User:shop", "WRITE", "TOPIC", "orders.created"),
  acl("User:shop", "IDEMPOTENT_WRITE", "CLUSTER", "kafka-cluster"),
  acl("User:intern", "DELETE", "TOPIC", "*", { permission: "DENY", host: "10.0.0.7" }),
  acl(`User:${HOSTILE}`, "ALL", "TOPIC", HOSTILE),
];
let users = ["billing", "fraud", "shop", HOSTILE].map((name, index) => ({ name, credentials: [{ mechanism: "SCRAM-SHA-512", iterations: 4096 }, ...(index === 0 ? [{ mechanism: "SCRAM-SHA-256", iterations: 8192 }] : [])] }));
let quotas = [
  { user: "shop", client_id: null, ip: null, rates: { producer_byte_rate: 10_485_760, request_percentage: 200 } },
  { user: "", client_id: null, ip: null, rates: { producer_byte_rate: 1_048_576, consumer_byte_rate: 2_097_152 } },
  { user: "fraud", client_id: HOSTILE, ip: null, rates: { controller_mutation_rate: 2.5 } },
  { user: null, client_id: null, ip: "10.0.0.7", rates: { connection_creation_rate: 5 } },
];
const started = Date.now();
const transactions = ["Ongoing", "CompleteCommit", "CompleteAbort", "Empty", "PrepareCommit", "Ongoing"].map((state, index) => ({
  id: index === 5 ? HOSTILE : `checkout-${index}`,
  producer_id: 4000 + index,
  state,
  coordinator: 1 + (index % 3),
  started_ms: state === "Ongoing" || state === "PrepareCommit" ? started - index * 9 * MINUTE_MS : null,
}));
const entry = (minutes, method, route, about, more = {}) => ({ at_ms: started - minutes * MINUTE_MS, who: "ana", role: "admin", address: "10.0.0.12", method, route, about, notes: {}, outcome: "done", status: 204, reason: null, left_out: 0, ...more });
const audit = [
  entry(1, "PATCH", "/api/v1/clusters/{c}/topics/{t}/config", { c: "production", t: "orders.created" }, { notes: { set: "retention.ms", unset: "" } }),
  entry(4, "POST", "/api/v1/clusters/{c}/acls", { c: "production" }, { notes: { acls: "ALLOW User:shop WRITE TOPIC LITERAL orders.created from *" }, status: 201 }),
  entry(9, "DELETE", "/api/v1/clusters/{c}/topics/{t}", { c: "production", t: HOSTILE }, { who: "vera", role: "viewer", outcome: "refused", status: 403, reason: "This needs the role admin; you are viewer.", left_out: 3 }),
  entry(12, "POST", "/api/v1/login", {}, { who: "ana", status: 200 }),
  entry(30, "POST", "/api/v1/clusters/{c}/topics", { c: "staging" }, { outcome: "failed", status: 409, reason: "Topic 'orders.created' already exists.", notes: { topic: "orders.created" } }),
];

const sameAcl = (one) => (other) => JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());
const sameSubject = (one) => (other) => ["user", "client_id", "ip"].every((part) => (one[part] ?? null) === other[part]);

function changeQuota(body) {
  const old = quotas.find(sameSubject(body));
  const rates = { ...old?.rates, ...body.set };
  for (const key of body.unset ?? []) delete rates[key];
  quotas = [...quotas.filter((each) => each !== old), ...(Object.keys(rates).length > 0 ? [{ user: body.user ?? null, client_id: body.client_id ?? null, ip: body.ip ?? null, rates }] : [])];
}

/** `page` cuts a list as the server does, `found` refuses what is not there. */
export function securityRoutes(page, found) {
  const aclPage = (rows, query) => ({ ...page(rows, query, (row) => `${row.principal} ${row.resource_name} ${row.operation}`), has_authorizer: true });
  const covers = (topic) => (row) => row.resource_type === "TOPIC" && (row.resource_name === "*" || row.resource_name === topic || (row.pattern_type === "PREFIXED" && topic.startsWith(row.resource_name)));
  const asked = (query) => audit.filter((each) => ["who", "outcome"].every((name) => !query.get(name) || each[name] === query.get(name)) && `${each.method} ${each.route}`.includes(query.get("what") ?? "") && (!query.get("cluster") || each.about.c === query.get("cluster")));
  return [
    ["GET", "clusters/*/acls", ({ at, query }) => (at.id === "empty" ? { ...page([], query), has_authorizer: false } : aclPage(acls, query))],
    ["GET", "clusters/*/topics/*/acls", ({ names, query }) => aclPage(acls.filter(covers(names[1])), query)],
    ["POST", "clusters/*/acls", ({ body }) => ((acls = [...acls, ...body.acls.filter((each) => !acls.some(sameAcl(each)))]), { count: body.acls.length })],
    ["DELETE", "clusters/*/acls", ({ body }) => ((acls = acls.filter((each) => !body.acls.some(sameAcl(each)))), { count: body.acls.length })],
    ["GET", "clusters/*/users", ({ query }) => page(users, query, (row) => row.name)],
    ["POST", "clusters/*/users", ({ body }) => void (users = [...users.filter((each) => each.name !== body.name), { name: body.name, credentials: body.mechanisms.map((mechanism) => ({ mechanism, iterations: body.iterations })) }])],
    ["DELETE", "clusters/*/users/*", ({ names }) => void (users = users.filter((each) => each.name !== names[1]))],
    ["GET", "clusters/*/quotas", ({ at }) => (at.id === "empty" ? [] : quotas)],
    ["POST", "clusters/*/quotas", ({ body }) => changeQuota(body)],
    ["DELETE", "clusters/*/quotas", ({ body }) => void (quotas = quotas.filter((each) => !sameSubject(body)(each)))],
    ["GET", "clusters/*/transactions", ({ at, query }) => page(at.id === "empty" ? [] : transactions.filter((each) => !query.get("state") || each.state === query.get("state")), query, (row) => `${row.id} ${row.producer_id}`)],
    ["GET", "clusters/*/transactions/*", ({ names }) => ({ ...found(transactions, names[1], "id", "transactional id"), producer_epoch: 3, timeout_ms: 15 * MINUTE_MS, partitions: [0, 3].map((partition) => ({ topic: "orders.created", partition })) })],
    ["POST", "clusters/*/transactions/*/abort", ({ names }) => void Object.assign(found(transactions, names[1], "id", "transactional id"), { state: "CompleteAbort", started_ms: null })],
    ["GET", "clusters/*/topics/*/producers", () => ({ is_cut: false, items: [0, 1, 2, 3].map((partition) => ({ partition, producer_id: 4000 + partition, producer_epoch: 3, last_sequence: 99_120 + partition, last_timestamp_ms: Date.now() - partition * 70_000, coordinator_epoch: partition === 0 ? 12 : null, transaction_start_offset: partition === 0 ? 88_230 : null })) })],
    ["GET", "audit", ({ query }) => page(asked(query), query, (row) => JSON.stringify(row))],
  ];
}
