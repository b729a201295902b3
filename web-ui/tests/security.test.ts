import { describe, expect, it } from "vitest";
import { type Acl, aclKey } from "../src/api/acls";
import type { AuditEntry } from "../src/api/audit";
import type { Cluster } from "../src/api/clusters";
import { alterCommand, alterEntity } from "../src/screens/alter_command";
import { clusterOf, notesOf, whatOf } from "../src/screens/audit/audit_words";
import { aclCommand } from "../src/screens/security/acl_command";
import { entriesOf, isPrincipal, type PurposeForm, topicsOf } from "../src/screens/security/purposes";
import { changeOf, entitiesOf, fieldOf, kindOf, rateOf, whoseText } from "../src/screens/security/rates";

const CLUSTER = { id: "c", bootstrap_servers: "kafka:9092" } as Cluster;
const FORM: PurposeForm = { purpose: "producer", principal: "User:ana", host: "*", topics: "orders", outputs: "", name: "", pattern: "LITERAL", isExactlyOnce: true };

function short(acls: Acl[] | null): string[] {
  return (acls ?? []).map((acl) => `${acl.operation} ${acl.resource_type} ${acl.resource_name}${acl.pattern_type === "PREFIXED" ? "*" : ""}`);
}

describe("entries by purpose", () => {
  it("are those of kafka-acls --producer", () => {
    expect(short(entriesOf(FORM))).toEqual(["WRITE TOPIC orders", "DESCRIBE TOPIC orders", "CREATE TOPIC orders"]);
    expect(short(entriesOf({ ...FORM, purpose: "idempotent" })).at(-1)).toBe("IDEMPOTENT_WRITE CLUSTER kafka-cluster");
    expect(short(entriesOf({ ...FORM, purpose: "transactional", name: "tx-", pattern: "PREFIXED" })).slice(3)).toEqual(["WRITE TRANSACTIONAL_ID tx-*", "DESCRIBE TRANSACTIONAL_ID tx-*"]);
  });
  it("are those of kafka-acls --consumer", () => {
    expect(short(entriesOf({ ...FORM, purpose: "consumer", name: "billing" }))).toEqual(["READ TOPIC orders", "DESCRIBE TOPIC orders", "READ GROUP billing"]);
  });
  it("give a Streams application topics of its own, and transactions only where it asks for them", () => {
    const streams = { ...FORM, purpose: "streams" as const, outputs: "totals", name: "app" };
    const found = short(entriesOf(streams));
    expect(found).toContain("WRITE TOPIC totals");
    expect(found).toContain("CREATE TOPIC app*");
    expect(found).toContain("READ GROUP app");
    expect(found).toContain("WRITE TRANSACTIONAL_ID app*");
    expect(short(entriesOf({ ...streams, isExactlyOnce: false })).some((each) => each.includes("TRANSACTIONAL_ID"))).toBe(false);
  });
  it("are none while the form is not whole", () => {
    expect(entriesOf({ ...FORM, principal: "ana" })).toBeNull();
    expect(entriesOf({ ...FORM, topics: " , " })).toBeNull();
    expect(entriesOf({ ...FORM, host: "" })).toBeNull();
    expect(entriesOf({ ...FORM, purpose: "consumer" })).toBeNull();
    expect(entriesOf({ ...FORM, purpose: "streams", topics: "", outputs: "", name: "app" })).toBeNull();
  });
  it("only allow, each once", () => {
    const acls = entriesOf({ ...FORM, topics: "orders,orders, a.*" }) ?? [];
    expect(acls.every((acl) => acl.permission === "ALLOW" && acl.principal === "User:ana")).toBe(true);
    expect(new Set(acls.map(aclKey)).size).toBe(acls.length);
  });
  it("take a star at the end for a prefix, and alone for any", () => {
    expect(topicsOf("a, b.*,*").map((each) => `${each.pattern} ${each.name}`)).toEqual(["LITERAL a", "PREFIXED b.", "LITERAL *"]);
    expect([isPrincipal("User:a"), isPrincipal("User:"), isPrincipal(":a"), isPrincipal("a")]).toEqual([true, false, false, false]);
  });
});

describe("commands", () => {
  it("are one for all operations on a resource, and quote what a shell would run", () => {
    const acls = entriesOf({ ...FORM, purpose: "consumer", principal: "User:a'; rm -rf $HOME", name: "g", pattern: "PREFIXED" }) ?? [];
    const quoted = `'User:a'\\''; rm -rf $HOME'`;
    expect(aclCommand(CLUSTER, "--add", acls).split("\n")).toEqual([
      `kafka-acls --bootstrap-server kafka:9092 --add --allow-principal ${quoted} --operation Read --operation Describe --topic orders`,
      `kafka-acls --bootstrap-server kafka:9092 --add --allow-principal ${quoted} --operation Read --group g --resource-pattern-type prefixed`,
    ]);
  });
  it("name hosts, denials and the cluster", () => {
    const acl: Acl = { resource_type: "CLUSTER", resource_name: "kafka-cluster", pattern_type: "LITERAL", principal: "User:a", operation: "DESCRIBE_CONFIGS", host: "10.0.0.1", permission: "DENY" };
    expect(aclCommand(CLUSTER, "--remove", [acl])).toBe("kafka-acls --bootstrap-server kafka:9092 --remove --force --deny-principal User:a --deny-host 10.0.0.1 --operation DescribeConfigs --cluster");
  });
  it("say whose settings they are", () => {
    const change = { set: { a: "1", b: "x,y", "SCRAM-SHA-256": "[iterations=4096,password=PASSWORD]" }, unset: ["c"] };
    expect(alterCommand(CLUSTER, "brokers", null, change)).toBe(
      "kafka-configs --bootstrap-server kafka:9092 --alter --entity-type brokers --entity-default --add-config 'a=1,b=[x,y],SCRAM-SHA-256=[iterations=4096,password=PASSWORD]' --delete-config c",
    );
    expect(alterEntity(CLUSTER, entitiesOf({ user: "ana", client_id: "", ip: null }), { set: {}, unset: ["c"] })).toContain("--entity-type users --entity-name ana --entity-type clients --entity-default");
  });
});

describe("quotas", () => {
  it("are shown in the largest unit without loss", () => {
    expect(fieldOf(10 * 1024 ** 2, "bytes")).toEqual({ text: "10", size: 1024 ** 2 });
    expect(fieldOf(1500, "bytes")).toEqual({ text: "1500", size: 1 });
    expect(fieldOf(2.5, "count")).toEqual({ text: "2.5", size: 1 });
    expect(fieldOf(undefined, "percent").text).toBe("");
  });
  it("are numbers above 0, or no limit", () => {
    expect(rateOf({ text: "2.5", size: 1024 })).toBe(2560);
    expect(rateOf({ text: " ", size: 1 })).toBeUndefined();
    for (const text of ["0", "-1", "x", "1e400", "NaN"]) expect(rateOf({ text, size: 1 }), text).toBeNull();
  });
  it("change by what differs", () => {
    expect(changeOf({ a: 1, b: 2 }, { b: 3, c: 4 })).toEqual({ set: { b: 3, c: 4 }, unset: ["a"] });
    expect(changeOf({ a: 1 }, { a: 1 })).toEqual({ set: {}, unset: [] });
  });
  it("are for somebody", () => {
    expect(whoseText({ user: "ana", client_id: "", ip: null })).toBe("user=ana, client-id=<default>");
    expect([kindOf({ user: "", client_id: null, ip: null }), kindOf({ user: null, client_id: "a", ip: null }), kindOf({ user: null, client_id: null, ip: "" })]).toEqual(["user", "client", "ip"]);
  });
});

describe("an entry of the audit log", () => {
  const entry = { method: "PATCH", route: "/api/v1/clusters/{c}/topics/{t}/config", about: { c: "red", t: "$&{c}" }, notes: { set: "retention.ms", unset: "" } } as unknown as AuditEntry;
  it("names what it was about, whatever its name", () => {
    expect(whatOf(entry)).toBe("topics/$&{c}/config");
    expect(clusterOf(entry)).toBe("red");
    expect(notesOf(entry)).toBe("set: retention.ms");
    expect(whatOf({ ...entry, route: "/api/v1/login", about: {} })).toBe("login");
  });
});
