// The KafkaJS round: each check prints "PASS name" or "FAIL name reason". Arguments: BOOTSTRAP PREFIX.
"use strict";

const assert = require("assert");
const { Kafka, logLevel, CompressionTypes, CompressionCodecs, ConfigResourceTypes } = require("kafkajs");
const snappy = require("kafkajs-snappy");
const lz4 = require("lz4js");
const { ZstdCodec } = require("zstd-codec");

const [bootstrap, prefix] = process.argv.slice(2);
const kafka = new Kafka({ brokers: [bootstrap], clientId: "checks", logLevel: logLevel.NOTHING, retry: { retries: 8 } });
const admin = kafka.admin();
let serial = 0;

function unique(label) {
  serial += 1;
  return `${prefix}-${label}-${serial}`;
}

// lz4js links its blocks, which Kafka's format forbids, so the frame is made here, of blocks that stand alone.
function lz4Frame(input) {
  const parts = [Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82])]; // version 1, independent, 64 KiB, checksum
  for (let at = 0; at < input.length; at += 65536) {
    const raw = input.subarray(at, at + 65536);
    const packed = Buffer.alloc(raw.length + Math.ceil(raw.length / 255) + 16);
    const size = lz4.compressBlock(raw, packed, 0, raw.length, new Uint32Array(65536));
    const isStored = size === 0 || size >= raw.length;
    const head = Buffer.alloc(4);
    head.writeUInt32LE(isStored ? (raw.length | 0x80000000) >>> 0 : size);
    parts.push(head, isStored ? raw : packed.subarray(0, size));
  }
  parts.push(Buffer.alloc(4));
  return Buffer.concat(parts);
}

async function installCodecs() {
  const zstd = await new Promise((resolve) => ZstdCodec.run((codec) => resolve(new codec.Simple())));
  const codec = (compress, decompress) => () => ({
    compress: async (encoder) => Buffer.from(compress(encoder.buffer)),
    decompress: async (buffer) => Buffer.from(decompress(buffer)),
  });
  CompressionCodecs[CompressionTypes.Snappy] = snappy;
  CompressionCodecs[CompressionTypes.LZ4] = codec(lz4Frame, (b) => lz4.decompress(b));
  CompressionCodecs[CompressionTypes.ZSTD] = codec((b) => zstd.compress(b, 3), (b) => zstd.decompress(b));
}

async function create(topic, numPartitions = 1, configEntries = []) {
  await admin.createTopics({ waitForLeaders: true, topics: [{ topic, numPartitions, replicationFactor: 1, configEntries }] });
}

async function withProducer(config, work) {
  const producer = kafka.producer({ allowAutoTopicCreation: true, ...config });
  await producer.connect();
  try {
    return await work(producer);
  } finally {
    await producer.disconnect();
  }
}

async function consume(topic, count, groupId = unique("group")) {
  const consumer = kafka.consumer({ groupId, maxWaitTimeInMs: 200, sessionTimeout: 6000 });
  await consumer.connect();
  const received = [];
  try {
    await consumer.subscribe({ topic, fromBeginning: true });
    await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${received.length} of ${count} records`)), 20000);
      consumer
        .run({
          eachMessage: async ({ partition, message }) => {
            received.push({ partition, ...message });
            if (received.length === count) {
              clearTimeout(timer);
              resolve();
            }
          },
        })
        .catch(reject);
    });
  } finally {
    await consumer.disconnect();
  }
  return received;
}

async function codecRoundTrip(compression) {
  const topic = unique("codec");
  await create(topic);
  const sent = [...Array(100).keys()].map((n) => ({ key: `k${n}`, value: "squeeze me ".repeat(30) + n, headers: { n: `${n}` } }));
  await withProducer({}, (producer) => producer.send({ topic, compression, messages: sent }));
  const received = await consume(topic, sent.length);
  assert.deepStrictEqual(received.map((m) => m.value.toString()), sent.map((m) => m.value));
  assert.deepStrictEqual(received.map((m) => m.headers.n.toString()), sent.map((m) => m.headers.n));
}

const CHECKS = {
  codec_none: () => codecRoundTrip(CompressionTypes.None),
  codec_gzip: () => codecRoundTrip(CompressionTypes.GZIP),
  codec_snappy: () => codecRoundTrip(CompressionTypes.Snappy),
  codec_lz4: () => codecRoundTrip(CompressionTypes.LZ4),
  codec_zstd: () => codecRoundTrip(CompressionTypes.ZSTD),

  acks_levels: async () => {
    const topic = unique("acks");
    await create(topic);
    for (const acks of [0, 1, -1]) {
      await withProducer({}, (producer) => producer.send({ topic, acks, messages: [{ value: `acks ${acks}` }] }));
    }
    const received = await consume(topic, 3);
    assert.deepStrictEqual(received.map((m) => m.value.toString()), ["acks 0", "acks 1", "acks -1"]);
  },

  idempotent_producer: async () => {
    const topic = unique("idempotent");
    await create(topic);
    await withProducer({ idempotent: true, maxInFlightRequests: 1 }, async (producer) => {
      for (let n = 0; n < 20; n += 1) {
        const [stored] = await producer.send({ topic, messages: [{ value: `${n}` }] });
        assert.strictEqual(stored.baseOffset, String(n));
      }
    });
  },

  nulls_and_timestamps: async () => {
    const topic = unique("nulls");
    await create(topic);
    const messages = [
      { key: "deleted", value: null, timestamp: "1000" },
      { key: null, value: "keyless", timestamp: "2000" },
    ];
    await withProducer({}, (producer) => producer.send({ topic, messages }));
    const [tombstone, keyless] = await consume(topic, 2);
    assert.strictEqual(tombstone.value, null);
    assert.strictEqual(tombstone.timestamp, "1000");
    assert.strictEqual(keyless.key, null);
    const [found] = await admin.fetchTopicOffsetsByTimestamp(topic, 1500);
    assert.strictEqual(found.offset, "1");
  },

  auto_create: async () => {
    const topic = unique("auto");
    await withProducer({}, (producer) => producer.send({ topic, messages: [{ value: "first" }] }));
    assert.strictEqual((await consume(topic, 1))[0].value.toString(), "first");
  },

  too_large: async () => {
    const topic = unique("large");
    await create(topic);
    await withProducer({}, async (producer) => {
      await producer.send({ topic, messages: [{ value: "n".repeat(1048588 - 100) }] });
      await assert.rejects(producer.send({ topic, messages: [{ value: "a".repeat(1048600) }] }), { type: "MESSAGE_TOO_LARGE" });
    });
  },

  admin_topics: async () => {
    const topic = unique("topics");
    await create(topic, 2);
    assert.strictEqual(await admin.createTopics({ topics: [{ topic }] }), false);
    await admin.createPartitions({ topicPartitions: [{ topic, count: 3 }] });
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    assert.strictEqual(topics[0].partitions.length, 3);
    assert((await admin.listTopics()).includes(topic));
    await admin.deleteTopics({ topics: [topic] });
    assert(!(await admin.listTopics()).includes(topic));
  },

  admin_cluster: async () => {
    const { brokers, clusterId } = await admin.describeCluster();
    assert.deepStrictEqual(brokers.map((b) => `${b.host}:${b.port}`), [bootstrap]);
    assert.strictEqual(clusterId.length, 22);
  },

  admin_configs: async () => {
    const topic = unique("configs");
    await create(topic, 1, [{ name: "retention.ms", value: "5000" }]);
    const resource = { type: ConfigResourceTypes.TOPIC, name: topic };
    const described = await admin.describeConfigs({ includeSynonyms: true, resources: [resource] });
    const entry = described.resources[0].configEntries.find((e) => e.configName === "retention.ms");
    assert.strictEqual(entry.configValue, "5000");
    const altered = { ...resource, configEntries: [{ name: "retention.ms", value: "6000" }] };
    const result = await admin.alterConfigs({ validateOnly: false, resources: [altered] });
    assert.strictEqual(result.resources[0].errorCode, 0);
  },

  admin_groups: async () => {
    const topic = unique("groups");
    const groupId = unique("group");
    await create(topic);
    await withProducer({}, (producer) => producer.send({ topic, messages: [{ value: "1" }, { value: "2" }] }));
    await consume(topic, 2, groupId);
    assert((await admin.listGroups()).groups.map((g) => g.groupId).includes(groupId));
    const { groups } = await admin.describeGroups([groupId]);
    assert.strictEqual(groups[0].state, "Empty");
    await admin.setOffsets({ groupId, topic, partitions: [{ partition: 0, offset: "1" }] });
    const [offsets] = await admin.fetchOffsets({ groupId, topics: [topic] });
    assert.strictEqual(offsets.partitions[0].offset, "1");
    await admin.resetOffsets({ groupId, topic, earliest: true });
    await admin.deleteGroups([groupId]);
    assert(!(await admin.listGroups()).groups.map((g) => g.groupId).includes(groupId));
  },

  admin_records: async () => {
    const topic = unique("records");
    await create(topic);
    const messages = [...Array(10).keys()].map((n) => ({ value: `${n}` }));
    await withProducer({}, (producer) => producer.send({ topic, messages }));
    await admin.fetchTopicOffsets(topic); // the client must know the leader before it deletes
    await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: "4" }] });
    const [offsets] = await admin.fetchTopicOffsets(topic);
    assert.deepStrictEqual([offsets.low, offsets.high], ["4", "10"]);
  },

  seek: async () => {
    const topic = unique("seek");
    await create(topic);
    const messages = [...Array(10).keys()].map((n) => ({ value: `${n}` }));
    await withProducer({}, (producer) => producer.send({ topic, messages }));
    const consumer = kafka.consumer({ groupId: unique("group"), maxWaitTimeInMs: 200 });
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    const first = await new Promise((resolve) => {
      consumer.run({ eachMessage: async ({ message }) => resolve(message.offset) });
      consumer.seek({ topic, partition: 0, offset: "7" });
    });
    await consumer.disconnect();
    assert.strictEqual(first, "7");
  },
};

async function main() {
  await installCodecs();
  await admin.connect();
  for (const [name, check] of Object.entries(CHECKS)) {
    try {
      await check();
      console.log(`PASS ${name}`);
    } catch (error) {
      console.log(`FAIL ${name} ${String(error.stack || error).replace(/\n/g, " | ")}`);
    }
  }
  await admin.disconnect();
}

main().then(() => process.exit(0));
