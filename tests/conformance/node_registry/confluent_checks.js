// @confluentinc/schemaregistry, each call it has. Arguments: BOOTSTRAP REGISTRY PREFIX GEO SHOP (descriptors, base64).
"use strict";

const assert = require("assert");
const {
  AvroDeserializer, AvroSerializer, HeaderSchemaIdSerializer, JsonDeserializer, JsonSerializer, ProtobufDeserializer, ProtobufSerializer,
  SchemaRegistryClient, SerdeType,
} = require("@confluentinc/schemaregistry");
const { create, equals } = require("@bufbuild/protobuf");
const { fileDesc, messageDesc } = require("@bufbuild/protobuf/codegenv2");
const { SCHEMAS, RECORD, Topics, run } = require("./round.js");

const [bootstrap, url, prefix, geo, shop] = process.argv.slice(2);
const topics = new Topics(bootstrap);
const fresh = () => new SchemaRegistryClient({ baseURLs: [url], maxRetries: 0 });
const client = fresh();
const info = (schema, extra) => ({ schema: JSON.stringify(schema), schemaType: "AVRO", ...extra });
const rejected = async (promise) => {
  try {
    await promise;
  } catch (error) {
    return [error.status, error.errorCode];
  }
  throw new Error("it was not refused");
};

const CHECKS = {
  register_once_and_find: async () => {
    const subject = `${prefix}-once and:all`;
    const full = await client.registerFullResponse(subject, info(SCHEMAS.first));
    assert.strictEqual(await fresh().register(subject, info(SCHEMAS.first)), full.id);
    const other = fresh();
    assert.strictEqual((await other.getBySubjectAndId(subject, full.id)).schema, (await other.getByGuid(full.guid)).schema);
    assert.strictEqual(await other.getId(subject, info(SCHEMAS.first)), full.id);
    assert.strictEqual((await fresh().getIdFullResponse(subject, info(SCHEMAS.first))).version, 1);
    assert.strictEqual((await other.getLatestSchemaMetadata(subject)).version, 1);
    assert.strictEqual((await other.getSchemaMetadata(subject, 1)).id, full.id);
    assert.strictEqual(await other.getVersion(subject, info(SCHEMAS.first)), 1);
    assert.deepStrictEqual(await other.getAllVersions(subject), [1]);
    assert.ok((await other.getAllSubjects()).includes(subject));
  },

  refused_with_codes: async () => {
    const subject = `${prefix}-codes`;
    assert.deepStrictEqual(await rejected(client.getAllVersions(subject)), [404, 40401]);
    await client.register(subject, info(SCHEMAS.first));
    assert.deepStrictEqual(await rejected(client.register(subject, info(SCHEMAS.broken))), [409, 409]);
    assert.deepStrictEqual(await rejected(client.register(subject, { schema: "{", schemaType: "AVRO" })), [422, 42201]);
    assert.deepStrictEqual(await rejected(client.getSchemaMetadata(subject, 9)), [404, 40402]);
  },

  compatibility_and_config: async () => {
    const subject = `${prefix}-config`;
    await client.register(subject, info(SCHEMAS.first));
    assert.strictEqual(await client.testSubjectCompatibility(subject, info(SCHEMAS.next)), true);
    assert.strictEqual(await client.testCompatibility(subject, 1, info(SCHEMAS.broken)), false);
    assert.strictEqual(await client.updateCompatibility(subject, "FULL"), "FULL");
    assert.strictEqual(await client.getCompatibility(subject), "FULL");
    assert.strictEqual(await client.getDefaultCompatibility(), "BACKWARD");
    assert.strictEqual(await client.updateDefaultCompatibility("BACKWARD"), "BACKWARD");
    const metadata = { properties: { owner: "ann" } };
    await client.updateConfig(subject, { compatibility: "NONE", normalize: true, defaultMetadata: metadata });
    const config = await client.getConfig(subject);
    assert.deepStrictEqual([config.compatibilityLevel, config.normalize, config.defaultMetadata], ["NONE", true, metadata]);
    assert.strictEqual((await client.getDefaultConfig()).compatibilityLevel, "BACKWARD");
    assert.strictEqual((await client.updateDefaultConfig({ compatibility: "BACKWARD" })).compatibility, "BACKWARD");
  },

  metadata_and_rules: async () => {
    const subject = `${prefix}-rules`;
    const rules = { domainRules: [{ name: "r", kind: "CONDITION", mode: "WRITE", type: "CEL", expr: "message.id > 0" }] };
    await client.register(subject, info(SCHEMAS.first, { metadata: { properties: { v: "1" } }, ruleSet: rules }));
    await client.register(subject, info(SCHEMAS.next, { metadata: { properties: { v: "2" } } }));
    const found = await fresh().getLatestWithMetadata(subject, { v: "1" });
    assert.strictEqual(found.version, 1);
    assert.strictEqual(found.ruleSet.domainRules[0].expr, "message.id > 0");
  },

  deletion: async () => {
    const subject = `${prefix}-deleted`;
    await client.register(subject, info(SCHEMAS.first));
    await client.register(subject, info(SCHEMAS.next));
    assert.strictEqual(await client.deleteSubjectVersion(subject, 1), 1);
    assert.strictEqual(await client.deleteSubjectVersion(subject, 1, true), 1);
    assert.deepStrictEqual(await client.deleteSubject(subject), [2]);
    assert.deepStrictEqual(await client.deleteSubject(subject, true), [2]);
    assert.ok(!(await client.getAllSubjects()).includes(subject));
  },

  avro_through_a_topic: async () => {
    const topic = `${prefix}-avro`;
    await client.register(`${topic}-value`, info(SCHEMAS.first));
    const serializer = new AvroSerializer(client, SerdeType.VALUE, { useLatestVersion: true });
    const { value } = await topics.through(topic, await serializer.serialize(topic, RECORD));
    const deserializer = new AvroDeserializer(fresh(), SerdeType.VALUE, {});
    assert.deepStrictEqual({ ...(await deserializer.deserialize(topic, value)) }, RECORD);
    await fresh().register(`${topic}-value`, info(SCHEMAS.next));
    const latest = new AvroDeserializer(fresh(), SerdeType.VALUE, { useLatestVersion: true });
    assert.strictEqual((await latest.deserialize(topic, value)).note, null);
  },

  avro_with_the_guid_in_a_header: async () => {
    const topic = `${prefix}-header`;
    await client.register(`${topic}-value`, info(SCHEMAS.first));
    const schemaIdSerializer = HeaderSchemaIdSerializer;
    const serializer = new AvroSerializer(client, SerdeType.VALUE, { useLatestVersion: true, schemaIdSerializer });
    const headers = {};
    const written = await serializer.serialize(topic, RECORD, headers);
    const message = await topics.through(topic, written, headers);
    const deserializer = new AvroDeserializer(fresh(), SerdeType.VALUE, {});
    assert.deepStrictEqual({ ...(await deserializer.deserialize(topic, message.value, message.headers)) }, RECORD);
  },

  avro_with_references: async () => {
    const topic = `${prefix}-references`;
    const place = { type: "record", name: "Place", namespace: "geo", fields: [{ name: "city", type: "string" }] };
    await client.register(`${prefix}-place`, info(place));
    const references = [{ name: "geo.Place", subject: `${prefix}-place`, version: 1 }];
    const order = { type: "record", name: "Order", fields: [{ name: "at", type: "geo.Place" }] };
    await client.register(`${topic}-value`, info(order, { references }));
    const serializer = new AvroSerializer(client, SerdeType.VALUE, { useLatestVersion: true });
    const written = await serializer.serialize(topic, { at: { city: "Porto" } });
    const read = await new AvroDeserializer(fresh(), SerdeType.VALUE, {}).deserialize(topic, written);
    assert.strictEqual(read.at.city, "Porto");
  },

  json_schema: async () => {
    const topic = `${prefix}-json`;
    await client.register(`${topic}-value`, { schema: JSON.stringify(SCHEMAS.json), schemaType: "JSON" });
    const serializer = new JsonSerializer(client, SerdeType.VALUE, { useLatestVersion: true, validate: true });
    const { value } = await topics.through(topic, await serializer.serialize(topic, RECORD));
    const deserializer = new JsonDeserializer(fresh(), SerdeType.VALUE, {});
    assert.deepStrictEqual(await deserializer.deserialize(topic, value), RECORD);
    await assert.rejects(serializer.serialize(topic, { id: "seven" }));
  },

  protobuf_with_an_import: async () => {
    const topic = `${prefix}-proto`;
    const geoFile = fileDesc(geo);
    const shopFile = fileDesc(shop, [geoFile]);
    const [place, order] = [messageDesc(geoFile, 0), messageDesc(shopFile, 1)];
    const serializer = new ProtobufSerializer(client, SerdeType.VALUE, { autoRegisterSchemas: true });
    serializer.registry.add(order);
    serializer.registry.add(place);
    const message = create(order, { id: 7n, place: create(place, { city: "Porto", height: 1.5 }) });
    const { value } = await topics.through(topic, await serializer.serialize(topic, message));
    const read = await new ProtobufDeserializer(fresh(), SerdeType.VALUE, {}).deserialize(topic, value);
    assert.strictEqual(read.place.city, "Porto");
    assert.strictEqual(read.id, 7n);
    assert.ok(equals(order, create(order, { id: read.id }), create(order, { id: 7n })));
  },
};

run(CHECKS);
