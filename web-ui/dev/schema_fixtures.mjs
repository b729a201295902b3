// A made-up schema registry: a subject for every other topic. It checks what can be checked without parsing a schema.
const FIELDS = [
  { name: "id", type: "string" },
  { name: "at", type: { type: "long", logicalType: "timestamp-millis" } },
  { name: "note", type: ["null", "string"], default: null },
  { name: "total", type: "double", default: 0 },
];
const ITEM = "shop.Item";
const PROTOBUF = 'syntax = "proto3";\n\nmessage Event {\n  string id = 1;\n  int64 at = 2; // ms\n}\n';
const registries = new Map();
let lastId = 0;

function registryOf(at) {
  if (!registries.has(at)) registries.set(at, made(at.topics.filter((row) => !row.is_internal)));
  return registries.get(at);
}

function made(topics) {
  const subjects = new Map();
  if (topics.length === 0) return subjects;
  add(subjects, ITEM, { type: "AVRO", schema: JSON.stringify({ type: "record", name: "Item", namespace: "shop", fields: [{ name: "sku", type: "string" }] }), references: [] });
  for (const [index, row] of topics.entries()) {
    if (index % 2 === 1) continue;
    const subject = `${row.name}-value`;
    const count = 1 + (index % 4);
    if (index % 14 === 0) add(subjects, subject, { type: "PROTOBUF", schema: PROTOBUF, references: [] });
    else for (let size = 1; size <= count; size += 1) add(subjects, subject, record(size, index % 6 === 0 && size === count));
  }
  return subjects;
}

function record(size, hasItem) {
  const fields = [...FIELDS.slice(0, size), ...(hasItem ? [{ name: "item", type: ["null", ITEM], default: null }] : [])];
  return { type: "AVRO", schema: JSON.stringify({ type: "record", name: "Event", doc: "What happened.", fields }), references: hasItem ? [{ name: ITEM, subject: ITEM, version: 1 }] : [] };
}

function add(subjects, subject, schema) {
  const held = subjects.get(subject) ?? { subject, level: null, versions: [] };
  subjects.set(subject, held);
  lastId += 1;
  const version = (held.versions.at(-1)?.version ?? 0) + 1;
  held.versions.push({ subject, version, id: lastId, ...schema });
  return { id: lastId, version };
}

const rowOf = ({ subject, level, versions }) => {
  const latest = versions.at(-1);
  return { subject, type: latest.type, versions: versions.length, latest_version: latest.version, latest_id: latest.id, compatibility: level ?? "BACKWARD" };
};

function check(held, { schema, type }) {
  if (type === "PROTOBUF") return { is_valid: true, is_compatible: true, messages: [] };
  let parsed;
  try {
    parsed = JSON.parse(schema);
  } catch (error) {
    return { is_valid: false, is_compatible: null, messages: [error.message] };
  }
  const latest = held?.versions.at(-1);
  const known = new Set(latest?.type === "AVRO" ? JSON.parse(latest.schema).fields.map((each) => each.name) : []);
  const wrong = latest === undefined || type !== "AVRO" ? [] : (parsed.fields ?? []).filter((each) => !known.has(each.name) && each.default === undefined);
  const messages = wrong.map((each) => `{errorType:'READER_FIELD_MISSING_DEFAULT_VALUE', description:'The field '${each.name}' in the new schema has no default value', additionalInfo:'${each.name}'}`);
  return { is_valid: true, is_compatible: wrong.length === 0, messages: wrong.length === 0 ? [] : [...messages, `{oldSchemaVersion: ${latest.version}}`] };
}

function graph(subjects, start) {
  const nodes = [];
  const edges = [];
  const key = (each) => `${each.subject}/${each.version}`;
  const visit = (each) => nodes.some((other) => key(other) === key(each)) || nodes.push({ subject: each.subject, version: each.version, id: each.id, type: each.type });
  visit(start);
  for (const version of [...subjects.values()].flatMap((held) => held.versions)) {
    for (const reference of version.references) {
      const used = subjects.get(reference.subject)?.versions.find((each) => each.version === reference.version);
      if (used === undefined || (key(used) !== key(start) && key(version) !== key(start)) || nodes.length > 20) continue;
      visit(version);
      visit(used);
      edges.push({ from: key(version), to: key(used), name: reference.name });
    }
  }
  return { nodes, edges, is_cut: nodes.length > 20 };
}

/** As the routes of the fixture server are; `page` cuts a list, `refuse` makes an error. */
export function schemaRoutes(page, refuse) {
  const held = (at, name) => {
    const found = registryOf(at).get(name);
    if (found === undefined || found.versions.length === 0) throw refuse(404, `Subject '${name}' not found.`);
    return found;
  };
  const one = (at, [, name, version]) => {
    const found = held(at, name).versions.find((each) => String(each.version) === version);
    if (found === undefined) throw refuse(404, `Version ${version} not found.`);
    return found;
  };
  const remove = (at, [, name, version]) => {
    const found = held(at, name);
    found.versions = version === undefined ? [] : found.versions.filter((each) => String(each.version) !== version);
    if (found.versions.length === 0) registryOf(at).delete(name);
    return { versions: [] };
  };
  return [
    ["GET", "clusters/*/schemas", ({ at, query }) => page([...registryOf(at).values()].map(rowOf), query, (row) => row.subject)],
    ["GET", "clusters/*/schemas/*", ({ at, names }) => {
      const { subject, level, versions } = held(at, names[1]);
      return { subject, versions: versions.map((each) => each.version), latest: versions.at(-1), compatibility: { level: level ?? "BACKWARD", own: level, registry: "BACKWARD" } };
    }],
    ["GET", "clusters/*/schemas/*/versions", ({ at, names, query }) => page(held(at, names[1]).versions.map(({ version, id, type, references }) => ({ version, id, type, references: references.length })), query, (row) => String(row.version))],
    ["GET", "clusters/*/schemas/*/versions/*", ({ at, names }) => one(at, names)],
    ["GET", "clusters/*/schemas/*/references", ({ at, names, query }) => graph(registryOf(at), one(at, [...names.slice(0, 2), query.get("version")]))],
    ["POST", "clusters/*/schemas/*/check", ({ at, names, body }) => check(registryOf(at).get(names[1]), body)],
    ["POST", "clusters/*/schemas/*/versions", ({ at, names, body }) => add(registryOf(at), names[1], body)],
    ["PUT", "clusters/*/schemas/*/compatibility", ({ at, names, body }) => void (held(at, names[1]).level = body.level)],
    ["DELETE", "clusters/*/schemas/*", ({ at, names }) => remove(at, names)],
    ["DELETE", "clusters/*/schemas/*/versions/*", ({ at, names }) => remove(at, names)],
    ["GET", "clusters/*/topics/*/schemas", ({ at, names }) => ["key", "value"].flatMap((side) => registryOf(at).get(`${names[1]}-${side}`) ?? []).map(rowOf)],
  ];
}
