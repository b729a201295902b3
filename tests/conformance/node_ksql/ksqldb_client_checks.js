// ksqldb-client from npm (HTTP/2): statements, rows, inserts, against the server at argv[2]:argv[3].
// One line a check: "PASS NAME" or "FAIL NAME REASON".
"use strict";
const assert = require("assert");
const KsqldbClient = require("ksqldb-client");

const [host, port] = process.argv.slice(2);
const client = new KsqldbClient({ host: `http://${host}`, port: Number(port) });
const earliest = { streamsProperties: { "auto.offset.reset": "earliest" }, properties: { "auto.offset.reset": "earliest" } };

const checks = {
  statements: async () => {
    const made = await client.executeStatement(
      "CREATE TABLE node_t (id VARCHAR PRIMARY KEY, v INT) WITH (kafka_topic='node_t', value_format='json', partitions=1);"
    );
    assert.ok(!made.error, JSON.stringify(made.error));
    assert.strictEqual(made.status, 200);
  },
  inserts: async () => {
    const { status, error } = await client.insertInto("node_t", { ID: "a", V: 1 });
    assert.ok(!error, JSON.stringify(error));
    assert.strictEqual(status, 200);
  },
  pull: async () => {
    const { data, error } = await client.query("SELECT * FROM node_t WHERE id = 'a';");
    assert.ok(!error, JSON.stringify(error));
    assert.deepStrictEqual(data.rows, [{ ID: "a", V: 1 }]);
  },
  refusal: async () => {
    const { error } = await client.query("SELECT nope FROM node_t;");
    assert.match(JSON.stringify(error), /NOPE/);
  },
  push: async () => {
    const seen = [];
    const { error } = await client.streamQuery(
      "SELECT * FROM node_t EMIT CHANGES LIMIT 1;", (data) => seen.push(...(data.rows || [])), earliest
    );
    assert.ok(!error, JSON.stringify(error));
    assert.strictEqual(seen.length, 1);
  },
  describe: async () => {
    const found = await client.describeSource("node_t");
    assert.match(JSON.stringify(found), /NODE_T/);
  },
  streams: async () => {
    const found = await client.listStreams();
    assert.ok(!found.error, JSON.stringify(found));
  },
};

(async () => {
  await client.connect();
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check();
      console.log(`PASS ${name}`);
    } catch (error) {
      console.log(`FAIL ${name} ${String(error.message || error).replace(/\s+/g, " ")}`);
    }
  }
  await client.disconnect();
  process.exit(0);
})();
