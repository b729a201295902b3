// One KafkaJS group member: BOOTSTRAP TOPIC GROUP STRATEGY. Speaks the lines described in group_member.py.
"use strict";

const { Kafka, logLevel } = require("kafkajs");

const [bootstrap, topic, group] = process.argv.slice(2);
const kafka = new Kafka({ brokers: [bootstrap], clientId: "member", logLevel: logLevel.NOTHING });
// KafkaJS sends heartbeats between fetches only, so a fetch must not wait longer than the session allows.
const timing = { sessionTimeout: Number(process.env.SESSION_TIMEOUT_MS || 6000), heartbeatInterval: 300, rebalanceTimeout: 10000, maxWaitTimeInMs: 300 };
const consumer = kafka.consumer({ groupId: group, ...timing });

function say(event) {
  process.stdout.write(JSON.stringify(event) + "\n");
}

async function main() {
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    say({ assigned: (payload.memberAssignment[topic] || []).slice().sort() });
  });
  consumer.on(consumer.events.REBALANCING, () => say({ assigned: [] }));
  process.on("SIGTERM", async () => {
    await consumer.disconnect();
    process.exit(0);
  });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachMessage: async ({ partition, message }) => {
      await consumer.commitOffsets([{ topic, partition, offset: String(Number(message.offset) + 1) }]);
      say({ partition, offset: Number(message.offset), value: message.value.toString() });
    },
  });
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
