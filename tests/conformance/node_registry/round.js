// What both programs share: a topic to send records through, and the loop that prints "PASS name" or "FAIL name reason".
"use strict";

const { Kafka, logLevel } = require("kafkajs");

const SCHEMAS = {
  first: { type: "record", name: "Order", namespace: "shop", fields: [{ name: "id", type: "int" }, { name: "item", type: "string" }] },
  next: {
    type: "record", name: "Order", namespace: "shop",
    fields: [{ name: "id", type: "int" }, { name: "item", type: "string" }, { name: "note", type: ["null", "string"], default: null }],
  },
  broken: { type: "record", name: "Order", namespace: "shop", fields: [{ name: "id", type: "string" }, { name: "price", type: "double" }] },
  json: {
    $schema: "http://json-schema.org/draft-07/schema#", title: "Order", type: "object",
    properties: { id: { type: "integer" }, item: { type: "string" } }, required: ["id", "item"], additionalProperties: false,
  },
  protobuf: 'syntax = "proto3";\npackage shop;\nmessage Order {\n  int32 id = 1;\n  string item = 2;\n}\n',
};
const RECORD = { id: 7, item: "tea" };

class Topics {
  constructor(bootstrap) {
    this.kafka = new Kafka({ brokers: [bootstrap], clientId: "registry", logLevel: logLevel.NOTHING, retry: { retries: 8 } });
  }

  // One record there and back: {value, headers} as the consumer gets them.
  async through(topic, value, headers = {}) {
    const admin = this.kafka.admin();
    await admin.connect();
    await admin.createTopics({ waitForLeaders: true, topics: [{ topic, numPartitions: 1, replicationFactor: 1 }] });
    await admin.disconnect();
    const producer = this.kafka.producer({ allowAutoTopicCreation: false });
    await producer.connect();
    await producer.send({ topic, messages: [{ value, headers }] });
    await producer.disconnect();
    const consumer = this.kafka.consumer({ groupId: `${topic}-group` });
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    try {
      return await new Promise((resolve, reject) => {
        consumer.run({ eachMessage: async ({ message }) => resolve(message) }).catch(reject);
      });
    } finally {
      await consumer.disconnect();
    }
  }
}

async function run(checks) {
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check();
      console.log(`PASS ${name}`);
    } catch (error) {
      console.log(`FAIL ${name} ${String(error.stack || error).replace(/\s+/g, " ").slice(0, 700)}`);
    }
  }
  process.exit(0);
}

module.exports = { SCHEMAS, RECORD, Topics, run };
