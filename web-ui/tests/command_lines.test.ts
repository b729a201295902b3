// Every shape of command line that the pages copy for `riacho`, and for curl where an identity provider lets in. They are
// kept in files, since what takes them is tested where it is: tests/unit/cli/test_copied_commands.py has `riacho` read each
// line, tests/unit/console/door/test_copied_curl.py has a shell run them.
import { afterEach, describe, expect, it, vi } from "vitest";
import type { AlertRule } from "../src/api/alerts";
import type { Cluster } from "../src/api/clusters";
import { curl } from "../src/format/shell";
import { alertCommand, deleteCommand as deleteRule, setCommand, turnCommand } from "../src/screens/alerts/commands";
import { createCommand, moveCommand, offsetsCommand, pipelineCommand, restartCommand, RESTARTS } from "../src/screens/connectors/commands";
import { riachoConsume, riachoExport, riachoProduce } from "../src/screens/messages/commands";
import { EMPTY_FORM } from "../src/screens/messages/record";
import { EVERYTHING } from "../src/screens/messages/search";
import { deleteCommand as deleteSchema, firstCommand, levelCommand, registerCommand } from "../src/screens/schemas/commands";
import { riachoKsql } from "../src/screens/sql/commands";
import kept from "./command_lines.txt?raw";
import keptCurl from "./curl_lines.txt?raw";

const CLUSTER = { id: "staging", bootstrap_servers: "kafka:9092", registry_url: "http://registry:8081", connect_url: "http://connect:8083", ksql_url: "http://ksql:8088" } as Cluster;
const RULE: AlertRule = { name: "It's late", kind: "lag", above: 500, for_s: 60, target: "billing*", webhook: "ops", is_on: true };
const SCHEMA = { schema: '{"type": "string"}', type: "JSON" as const, references: [{ name: "Item", subject: "shop.Item", version: 1 }] };

const lines = (): (string | null | undefined)[] => [
  ...["pause", "resume", "stop"].map((verb) => pipelineCommand(CLUSTER, verb, "my sink")),
  pipelineCommand(CLUSTER, "list"),
  pipelineCommand(CLUSTER, "delete", "my sink", "--yes"),
  ...[...RESTARTS, 3].map((what) => restartCommand(CLUSTER, "my sink", what)),
  offsetsCommand(CLUSTER, "my sink"),
  offsetsCommand(CLUSTER, "my sink", "--reset", "--yes"),
  moveCommand(CLUSTER, "my sink", { partition: { file: "it's" }, offset: { position: 5 } }),
  moveCommand(CLUSTER, "my sink", { partition: { file: "a" }, offset: null }),
  createCommand(CLUSTER, { name: "my sink", config: { topics: "a,b", "connection.password": "••••" } }),
  registerCommand(CLUSTER, "orders-value", SCHEMA),
  deleteSchema(CLUSTER, "orders-value", null),
  deleteSchema(CLUSTER, "orders-value", 2),
  levelCommand(CLUSTER, "orders-value", "FULL"),
  levelCommand(CLUSTER, "orders-value", null),
  firstCommand(CLUSTER, "orders"),
  riachoKsql(CLUSTER, "SHOW STREAMS", { "auto.offset.reset": "earliest" }),
  alertCommand(CLUSTER, "list", "--firing"),
  alertCommand(CLUSTER, "test-webhook", "ops"),
  setCommand(CLUSTER, RULE, null),
  deleteRule(CLUSTER, RULE.name),
  turnCommand(CLUSTER, RULE),
  turnCommand(CLUSTER, { ...RULE, is_on: false }),
  riachoConsume(EVERYTHING, "orders", CLUSTER),
  riachoConsume({ ...EVERYTHING, from: "oldest", follow: true, key_format: "avro", value_format: "json_schema" }, "orders", CLUSTER),
  riachoConsume({ ...EVERYTHING, from: "time", time: "1700000000000", partitions: [0, 2], key: "-a.b" }, "orders", CLUSTER),
  riachoConsume({ ...EVERYTHING, from: "last", last: "15m" }, "orders", CLUSTER),
  riachoConsume({ ...EVERYTHING, from: "offset", offset: "42" }, "orders", CLUSTER),
  riachoExport(EVERYTHING, "orders", CLUSTER),
  riachoExport({ ...EVERYTHING, from: "last", last: "15m", value: "ana", value_format: "protobuf" }, "orders", CLUSTER),
  riachoProduce({ ...EMPTY_FORM, key: "-5", value: "-1", headers: [["trace", "a=b"]], partition: "2" }, "orders", CLUSTER),
  riachoProduce({ ...EMPTY_FORM, hasKey: false, value: '{"id": "it\'s"}', valueFormat: "json_schema" }, "orders", CLUSTER),
  riachoProduce({ ...EMPTY_FORM, key: '{"id": 1}', keyFormat: "avro", isTombstone: true, valueFormat: "avro" }, "orders", CLUSTER),
];

describe("command lines that are copied", () => {
  afterEach(() => vi.unstubAllGlobals());
  it("are those that the command line's own tests read", () => {
    vi.stubGlobal("location", { origin: "https://console:9021" });
    expect(`${lines().join("\n")}\n`).toBe(kept);
  });
  it("have the session of the browser where there is no password", () => {
    const who = { login: "oidc" as const, name: "ana@example.com", csrf: "t0ken" };
    const asked = [curl("GET", "http://127.0.0.1:9021/api/v1/clusters?q=a+b", undefined, who), curl("POST", "http://127.0.0.1:9021/api/v1/clusters/default/topics", { name: "it's" }, who)];
    expect(`${asked.join("\n")}\n`).toBe(keptCurl);
  });
});
