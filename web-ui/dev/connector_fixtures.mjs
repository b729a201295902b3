// Made-up connectors and pipelines; names and errors as hostile as they may be.
const TRACE = `org.apache.kafka.connect.errors.ConnectException: <img src=x onerror="alert(1)"> could not write to jdbc:postgresql://warehouse:5432/shop
\tat io.confluent.connect.jdbc.sink.JdbcSinkTask.put(JdbcSinkTask.java:90)
\tat org.apache.kafka.connect.runtime.WorkerSinkTask.deliverMessages(WorkerSinkTask.java:601)
Caused by: java.sql.SQLException: relation "orders" does not exist
\tat org.postgresql.core.v3.QueryExecutorImpl.receiveErrorResponse(QueryExecutorImpl.java:2725)
`.repeat(4);
const DOTS = "••••••••";
const KINDS = [
  ["JdbcSinkConnector", "io.confluent.connect.jdbc.JdbcSinkConnector", "sink"],
  ["DirectorySinkConnector", "riacho.connect.DirectorySinkConnector", "sink"],
  ["DatagenConnector", "io.confluent.kafka.connect.datagen.DatagenConnector", "source"],
];
const STATES = ["RUNNING", "RUNNING", "FAILED", "PAUSED", "STOPPED", "RUNNING", "UNASSIGNED"];

const definition = (name, more = {}) => ({ name, type: "STRING", required: false, default_value: null, importance: "MEDIUM", documentation: "", group: null, order_in_group: -1, width: "NONE", display_name: name, dependents: [], ...more });

export const SETTINGS = [
  definition("connection.url", { required: true, importance: "HIGH", documentation: "The database, as JDBC writes it.", display_name: "JDBC URL" }),
  definition("connection.password", { type: "PASSWORD", importance: "HIGH", documentation: "The password of the user." }),
  definition("insert.mode", { default_value: "insert", documentation: "How rows are written: insert, upsert or update." }),
  definition("batch.size", { type: "INT", default_value: "3000", documentation: "How many records at most go into one statement." }),
  definition("name", { required: true, importance: "HIGH", group: "Common", order_in_group: 1, display_name: "Connector name" }),
  definition("connector.class", { required: true, importance: "HIGH", group: "Common", order_in_group: 2 }),
  definition("tasks.max", { type: "INT", default_value: "1", importance: "HIGH", group: "Common", order_in_group: 4, documentation: "Maximum number of tasks to use.", display_name: "Tasks max" }),
  definition("topics", { type: "LIST", default_value: "", importance: "HIGH", group: "Common", order_in_group: 4, documentation: "Topics to read, by commas.", display_name: "Topics" }),
  definition("value.converter", { type: "CLASS", default_value: "org.apache.kafka.connect.json.JsonConverter", importance: "LOW", group: "Common", order_in_group: 8, documentation: "How values are read.", display_name: "Value converter class" }),
  definition("errors.tolerance", { default_value: "none", group: "Error Handling", order_in_group: 3, documentation: "Whether bad records are passed over." }),
  definition("errors.deadletterqueue.topic.name", { default_value: "", group: "Error Handling", order_in_group: 6, documentation: "Where bad records go." }),
  definition("errors.log.enable", { type: "BOOLEAN", default_value: "false", group: "Error Handling", order_in_group: 4, documentation: "Whether bad records are logged." }),
];
const CHOICES = { "insert.mode": ["insert", "upsert", "update"], "errors.tolerance": ["none", "all"], "value.converter": ["io.confluent.connect.avro.AvroConverter", "org.apache.kafka.connect.json.JsonConverter", "org.apache.kafka.connect.storage.StringConverter"] };

export function connectorsOf(at) {
  at.connectors ??= at.topics
    .filter((row) => !row.is_internal)
    .slice(0, 36)
    .map((row, index) => {
      const [, kind, type] = KINDS[index % KINDS.length];
      const state = STATES[index % STATES.length];
      const trace = state === "FAILED" ? TRACE : null;
      const tasks = state === "STOPPED" ? 0 : 1 + (index % 4);
      return {
        name: index === 3 ? "<script>alert('archive')</script>" : `${type === "sink" ? "archive" : "bring"}-${row.name}`,
        type,
        class: kind,
        state: state === "FAILED" ? "RUNNING" : state,
        worker: "10.0.4.12:8083",
        tasks: Array.from({ length: tasks }, (_, id) => ({ id, state: trace !== null && id === 0 ? "FAILED" : state === "FAILED" ? "RUNNING" : state, worker: `10.0.4.${12 + id}:8083`, trace: id === 0 ? trace : null })),
        trace: null,
        config: { "connector.class": kind, topics: row.name, "connection.url": "jdbc:postgresql://warehouse:5432/shop", "connection.password": DOTS, "errors.tolerance": "all", "errors.deadletterqueue.topic.name": `${row.name}.dead`, "tasks.max": String(tasks || 1) },
        hidden: ["connection.password"],
        topics: [row.name],
        dead_letters_topic: type === "sink" ? at.topics[index + 1].name : null,
      };
    });
  return at.connectors;
}

export const rowOf = (each) => ({
  ...each,
  class_name: each.class,
  tasks: each.tasks.length,
  tasks_running: each.tasks.filter((task) => task.state === "RUNNING").length,
  tasks_failed: each.tasks.filter((task) => task.state === "FAILED").length,
  problem: each.tasks.find((task) => task.trace !== null)?.trace.split("\n")[0] ?? null,
});

export const pluginsOf = () => KINDS.map(([, kind, type]) => ({ class: kind, type, version: "0.1.0" }));

export const formOf = (kind) => ({ class: kind, groups: ["Common", "Error Handling"], settings: SETTINGS });

export function validated(config) {
  const wrong = (setting) => {
    const value = config[setting.name];
    if (setting.required && !value) return [`Missing required configuration "${setting.name}" which has no default value.`];
    return setting.type === "INT" && value && !/^\d+$/.test(value) ? [`Invalid value ${value} for configuration ${setting.name}: Not a number of type INT`] : [];
  };
  const configs = SETTINGS.map((each) => ({ definition: each, value: { name: each.name, value: config[each.name] ?? each.default_value, recommended_values: CHOICES[each.name] ?? [], errors: wrong(each), visible: true } }));
  return { error_count: configs.reduce((sum, each) => sum + each.value.errors.length, 0), groups: ["Common", "Error Handling"], configs };
}

export const offsetsOf = (connector) => ({ offsets: connector.type === "sink" ? [0, 1, 2].map((partition) => ({ partition: { kafka_topic: connector.config.topics, kafka_partition: partition }, offset: { kafka_offset: 182_400 + partition * 17 } })) : [{ partition: { filename: "/var/lib/lines.txt" }, offset: { position: 4711 } }] });

export function pipelinesOf(at) {
  const connectors = connectorsOf(at)
    .slice(0, 14)
    .map((each, index) => ({
      kind: "connector",
      name: each.name,
      type: each.type,
      state: each.state,
      doing: each.state === "UNASSIGNED" ? "Spark starts" : null,
      rows: each.state === "UNASSIGNED" ? null : 48_200 * (index + 1),
      rows_per_s: each.state === "RUNNING" ? 320 * (index + 1) : each.state === "UNASSIGNED" ? null : 0,
      batch_ms: each.state === "UNASSIGNED" ? null : 140 + 37 * index,
      lag: each.type === "sink" ? index * 1200 : null,
      state_rows: each.state === "UNASSIGNED" ? null : 0,
      state_bytes: each.state === "UNASSIGNED" ? null : 0,
      spark_ui: each.state === "UNASSIGNED" ? null : "javascript:alert(1)",
      errors: index % 5,
      dead_letters: index % 4,
      updated_ms: each.state === "UNASSIGNED" ? null : Date.now() - 900 * (index + 1),
      problem: rowOf(each).problem,
      reads: each.type === "sink" ? [each.config.topics] : [],
      writes: each.type === "sink" ? [] : [each.config.topics],
    }));
  const queries = at.topics.slice(0, 3).map((row, index) => ({ kind: "query", name: `CTAS_COUNTS_${index}`, type: "persistent", state: index === 2 ? "ERROR" : "RUNNING", doing: null, rows: 9_400, rows_per_s: 88.4, batch_ms: 610, lag: 40, state_rows: 128_000 * (index + 1), state_bytes: 41_300_000 * (index + 1), spark_ui: "http://127.0.0.1:40404", errors: index, dead_letters: null, updated_ms: Date.now() - 1400, problem: index === 2 ? "Unknown column <b>WHAT</b>" : null, reads: [row.name.toUpperCase()], writes: ["COUNTS"] }));
  return { items: at.topics.length === 0 ? [] : [...connectors, ...queries], as_of_ms: Date.now() - 300, problems: [] };
}
