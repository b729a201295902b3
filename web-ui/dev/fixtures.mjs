// Made-up clusters with the shape of the API, the same in every run: what screens are developed against.
const PREFIXES = ["orders", "payments", "inventory", "shipping", "clicks", "search", "fraud", "billing", "users", "loyalty"];
const NOUNS = ["created", "paid", "refunded", "shipped", "events", "snapshots", "commands", "audit", "dead-letters", "retries"];
const REGIONS = ["", "eu.", "br.", "us."];

/** Numbers that look like chance and are not (mulberry32). */
export function chance(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function cluster(id, sizes) {
  const next = chance(id.length * 7919);
  return { id, brokers: brokers(), topics: topics(sizes.topics, next), groups: groups(sizes.groups, next), started: Date.now() };
}

function brokers() {
  return [1, 2, 3].map((id) => ({
    id,
    host: `broker-${id}.internal`,
    port: 9092,
    rack: `zone-${"abc"[id - 1]}`,
    is_controller: id === 2,
    is_fenced: false,
    leaders: 210 + id * 3,
    replicas: 640 + id,
    in_sync: 640 + id,
    disk_used_bytes: 184e9 + id * 7e9,
    disk_total_bytes: id === 3 ? null : 640e9,
    disk_free_bytes: id === 3 ? null : 310e9,
    software: "Riacho 0.1.0",
    uptime_s: 86_400 * 3 + id * 3700,
  }));
}

function topics(count, next) {
  const rows = [];
  for (let index = 0; index < count; index += 1) {
    const name = `${PREFIXES[index % 10]}.${REGIONS[Math.floor(index / 10) % 4]}${NOUNS[Math.floor(index / 40) % 10]}${index >= 400 ? `.${Math.floor(index / 400)}` : ""}`;
    rows.push(topic(name, false, next));
  }
  rows.push(topic("__consumer_offsets", true, next), topic("__transaction_state", true, next), topic("_schemas", true, next));
  return rows.sort((one, other) => (one.name < other.name ? -1 : 1));
}

function topic(name, isInternal, next) {
  const partitions = [1, 3, 6, 12, 24][Math.floor(next() * 5)];
  const busy = next() ** 4;
  const health = next();
  const base = busy * 4e6;
  return {
    name,
    is_internal: isInternal,
    partitions,
    replication: 3,
    under_replicated: health > 0.975 ? 1 : 0,
    offline: 0,
    messages: next() > 0.97 ? null : Math.floor(next() ** 6 * 4e9),
    size_bytes: next() > 0.97 ? null : Math.floor(next() ** 5 * 9e11),
    bytes_in_per_s: base,
    bytes_out_per_s: base * (1 + next() * 2),
    groups: Math.floor(next() * 6),
    lag: next() > 0.92 ? null : Math.floor(next() ** 10 * 2e6),
    cleanup_policy: next() > 0.8 ? "compact" : "delete",
    retention_ms: next() > 0.9 ? -1 : [86_400_000, 604_800_000, 2_592_000_000][Math.floor(next() * 3)],
    spark: Array.from({ length: 30 }, (_, at) => (next() > 0.985 ? null : Math.max(0, base * (0.7 + 0.3 * Math.sin(at / 4 + busy * 9)) + next() * base * 0.2))),
  };
}

function groups(count, next) {
  const types = ["consumer", "consumer", "classic", "share", "streams"];
  return Array.from({ length: count }, (_, index) => {
    const type = types[index % 5];
    const state = next() > 0.9 ? "Empty" : next() > 0.93 ? "Reconciling" : "Stable";
    return {
      id: `${PREFIXES[index % 10]}-${["service", "indexer", "loader", "billing", "mirror"][Math.floor(index / 10) % 5]}${index >= 50 ? `-${Math.floor(index / 50)}` : ""}`,
      type,
      state,
      members: state === "Empty" ? 0 : 1 + Math.floor(next() * 8),
      topics: 1 + Math.floor(next() * 4),
      lag: next() > 0.9 ? null : Math.floor(next() ** 8 * 3e6),
      coordinator: 1 + Math.floor(next() * 3),
      protocol: type === "classic" ? "range" : type === "consumer" ? "uniform" : null,
    };
  }).sort((one, other) => (one.id < other.id ? -1 : 1));
}

const SETTINGS = [
  ["cleanup.policy", "delete", "LIST", "What happens to old segments: they are deleted, compacted by key, or both."],
  ["compression.type", "producer", "STRING", "How batches are compressed; producer keeps what the producer chose."],
  ["delete.retention.ms", "86400000", "LONG", "How long a tombstone stays in a compacted topic."],
  ["max.message.bytes", "1048588", "INT", "The largest batch that is taken."],
  ["message.timestamp.type", "CreateTime", "STRING", "Whether a message's time is when it was made or when it was appended."],
  ["min.insync.replicas", "1", "INT", "So many replicas must have a message before acks=all is answered."],
  ["preallocate", "false", "BOOLEAN", "Whether a segment's file gets its full size at once."],
  ["retention.bytes", "-1", "LONG", "So much of a partition is kept; -1 is no limit."],
  ["retention.ms", "604800000", "LONG", "So long messages are kept; -1 is for ever."],
  ["segment.bytes", "1073741824", "INT", "The size of a segment's file."],
  ["segment.ms", "604800000", "LONG", "A segment is closed after so long."],
  ["unclean.leader.election.enable", "false", "BOOLEAN", "Whether a replica that is behind may lead when no other can, at the price of messages."],
];

export function configOf(overrides, isBroker) {
  const rows = SETTINGS.map(([name, usual, type, about]) => ({
    name: isBroker ? `log.${name}` : name,
    value: overrides[name] ?? usual,
    source: overrides[name] === undefined ? "DEFAULT_CONFIG" : isBroker ? "DYNAMIC_BROKER_CONFIG" : "DYNAMIC_TOPIC_CONFIG",
    is_read_only: false,
    is_sensitive: false,
    default: usual,
    type,
    about,
    can_change_now: true,
  }));
  if (isBroker) {
    rows.push(
      { name: "broker.id", value: "1", source: "STATIC_BROKER_CONFIG", is_read_only: true, is_sensitive: false, default: null, type: "INT", about: "The number of this broker.", can_change_now: false },
      { name: "ssl.keystore.password", value: null, source: "STATIC_BROKER_CONFIG", is_read_only: false, is_sensitive: true, default: null, type: "PASSWORD", about: "Opens the key store.", can_change_now: true },
      { name: "num.network.threads", value: "3", source: "DEFAULT_CONFIG", is_read_only: false, is_sensitive: false, default: "3", type: "INT", about: "Has no effect here: a broker is one loop.", can_change_now: false },
    );
  }
  return rows;
}

export function partitionsOf(row) {
  const next = chance(row.name.length * 31 + row.partitions);
  return Array.from({ length: row.partitions }, (_, partition) => {
    const replicas = [0, 1, 2].map((step) => ((partition + step) % 3) + 1);
    const isBehind = partition === 0 && row.under_replicated > 0;
    const first = Math.floor(next() * 1e7);
    return {
      partition,
      leader: replicas[0],
      replicas,
      in_sync: isBehind ? replicas.slice(0, 2) : replicas,
      offline_replicas: [],
      first_offset: first,
      next_offset: first + Math.floor(next() * 1e7),
      size_bytes: row.size_bytes === null ? null : Math.floor(row.size_bytes / row.partitions),
    };
  });
}

export function groupPage(row, topics) {
  const next = chance(row.id.length * 131);
  const members = Array.from({ length: row.members ?? 0 }, (_, index) => ({
    id: `${row.id}-${index}-7d3f9c1e-42a8-4c0b-9f6e-${String(index).padStart(12, "0")}`,
    client_id: `${row.id}-${index}`,
    host: `10.20.3.${10 + index}`,
    instance_id: index === 0 ? "blue-0" : null,
    partitions: [],
  }));
  const offsets = [];
  for (let step = 0; step < row.topics; step += 1) {
    const topic = topics[(row.id.length * 17 + step * 29) % topics.length];
    for (const each of partitionsOf(topic)) {
      const member = members.length === 0 ? null : members[each.partition % members.length];
      member?.partitions.push({ topic: topic.name, partition: each.partition });
      const isUnknown = next() > 0.95;
      const lag = Math.floor(next() ** 6 * 90_000);
      offsets.push({
        topic: topic.name,
        partition: each.partition,
        committed: isUnknown ? null : each.next_offset - lag,
        next_offset: each.next_offset,
        lag: isUnknown ? null : lag,
        member: member?.id ?? null,
        metadata: "",
      });
    }
  }
  const known = offsets.filter((each) => each.lag !== null);
  const lags = new Map();
  for (const each of known) lags.set(each.topic, (lags.get(each.topic) ?? 0) + each.lag);
  const found = { ...row, member_count: members.length, topics: [...lags].map(([topic, lag]) => ({ topic, lag })), lag: known.reduce((sum, each) => sum + each.lag, 0), as_of_ms: Date.now() };
  // Every ninth as its coordinator would leave it.
  const isAway = row.id.length % 9 === 0;
  return { ...found, members: isAway ? [] : members, offsets: isAway ? [] : offsets, ...(isAway ? { as_of_ms: Date.now() - 95_000 } : {}), stale_reason: isAway ? "The group's coordinator is away." : null };
}

export function overviewOf(made) {
  const seconds = (Date.now() - made.started) / 1000;
  const wave = 1 + 0.25 * Math.sin(seconds / 23) + 0.1 * Math.sin(seconds / 5);
  const away = made.brokers.filter((each) => each.is_fenced).length;
  return {
    brokers: { total: made.brokers.length, online: made.brokers.length - away },
    controller: 2,
    quorum: { leader: 2, epoch: 14, voters: [1, 2, 3].map((id) => ({ id, lag: id === 2 ? 0 : id, ms_behind: id === 2 ? 0 : id * 40 })) },
    topics: made.topics.length,
    partitions: made.topics.reduce((sum, each) => sum + each.partitions, 0),
    under_replicated: made.topics.reduce((sum, each) => sum + each.under_replicated, 0),
    offline: 0,
    under_min_isr: 0,
    bytes_in_per_s: 48e6 * wave,
    bytes_out_per_s: 92e6 * wave,
    messages_in_per_s: 61_000 * wave,
    requests_per_s: 4200 * wave,
    disk: { used_bytes: 590e9, total_bytes: 1920e9, free_bytes: 640e9 },
    lag_top: [...made.groups]
      .filter((each) => each.lag !== null)
      .sort((one, other) => other.lag - one.lag)
      .slice(0, 5)
      .map((each) => ({ group: each.id, topic: null, lag: each.lag })),
    as_of_ms: Date.now() - 400,
    stale_reason: null,
  };
}

/** Two hundred nodes where there are topics enough: what the flow map must stay readable with. */
export function flowOf(at) {
  const next = chance(11);
  const topics = at.topics.filter((row) => !row.is_internal).slice(0, 90);
  const nodes = topics.map((row) => ({ id: `topic:${row.name}`, kind: "topic", name: row.name, principal: null, state: null, lag: null, is_internal: false }));
  const edges = [];
  const add = (kind, name, more) => {
    const node = { id: `${kind}:${name}`, kind, name, principal: null, state: null, lag: null, is_internal: false, ...more };
    if (!nodes.some((each) => each.id === node.id)) nodes.push(node);
    return node.id;
  };
  for (const [index, row] of topics.entries()) {
    const topic = `topic:${row.name}`;
    edges.push({ from: add("producer", `${row.name.split(".")[0]}-service-${index % 4}`, { principal: "User:app" }), to: topic, rate_per_s: row.bytes_in_per_s });
    const group = at.groups[Math.floor(next() * at.groups.length)];
    if (group !== undefined && index % 3 !== 0) edges.push({ from: topic, to: add("group", group.id, { state: group.state, lag: group.lag }), rate_per_s: index % 7 === 0 ? null : row.bytes_in_per_s });
    if (index % 12 === 0) edges.push({ from: topic, to: add("connector", `archive-${row.name}`, { state: index === 12 ? "FAILED" : "RUNNING" }), rate_per_s: null });
    if (index % 20 === 5) {
      const query = add("query", `CTAS_TOTALS_${index}`, { state: index === 25 ? "ERROR" : "RUNNING" });
      edges.push({ from: topic, to: query, rate_per_s: null }, { from: query, to: add("topic", `totals.${index}`, {}), rate_per_s: null });
    }
  }
  return { nodes, edges, left_out: 0, about: null };
}
