// @kafkajs/confluent-schema-registry, each call it has. Arguments: BOOTSTRAP REGISTRY PREFIX.
"use strict";

const assert = require("assert");
const { COMPATIBILITY, SchemaRegistry, SchemaType, readAVSCAsync } = require("@kafkajs/confluent-schema-registry");
const { SCHEMAS, RECORD, Topics, run } = require("./round.js");

const [bootstrap, host, prefix] = process.argv.slice(2);
const topics = new Topics(bootstrap);
const client = () => new SchemaRegistry({ host });
const registry = client();
const avro = (schema, references) => ({ type: SchemaType.AVRO, schema: JSON.stringify(schema), references });

const CHECKS = {
  register_once: async () => {
    const subject = `${prefix}-once`;
    const { id } = await registry.register(avro(SCHEMAS.first), { subject });
    assert.strictEqual((await client().register(avro(SCHEMAS.first), { subject })).id, id);
    assert.strictEqual(await registry.getRegistryId(subject, 1), id);
    assert.strictEqual(await registry.getLatestSchemaId(subject), id);
    assert.strictEqual(await registry.getRegistryIdBySchema(subject, avro(SCHEMAS.first)), id);
    assert.ok((await client().getSchema(id)).isValid(RECORD));
  },

  the_subject_from_the_schemas_name: async () => {
    const schema = { ...SCHEMAS.first, name: `N${prefix.replace(/-/g, "")}` };
    const { id } = await registry.register(avro(schema));
    assert.strictEqual(await registry.getLatestSchemaId(`shop.${schema.name}`), id);
  },

  avro_through_a_topic: async () => {
    const { id } = await registry.register(avro(SCHEMAS.first), { subject: `${prefix}-avro-value` });
    const { value } = await topics.through(`${prefix}-avro`, await registry.encode(id, RECORD));
    assert.strictEqual(value.readInt32BE(1), id);
    assert.deepStrictEqual({ ...(await client().decode(value)) }, RECORD);
  },

  avro_evolves: async () => {
    const subject = `${prefix}-evolves`;
    const { id } = await registry.register(avro(SCHEMAS.first), { subject });
    const later = await registry.register(avro(SCHEMAS.next), { subject });
    assert.notStrictEqual(later.id, id);
    const written = await registry.encode(id, RECORD);
    const read = await client().decode(written, { [SchemaType.AVRO]: { readerSchema: SCHEMAS.next } });
    assert.deepStrictEqual({ ...read }, { ...RECORD, note: null });
  },

  avro_with_references: async () => {
    const place = { type: "record", name: "Place", namespace: "geo", fields: [{ name: "city", type: "string" }] };
    await registry.register(avro(place), { subject: `${prefix}-place` });
    const order = { type: "record", name: "Order", fields: [{ name: "at", type: "geo.Place" }] };
    const references = [{ name: "geo.Place", subject: `${prefix}-place`, version: 1 }];
    const { id } = await registry.register(avro(order, references), { subject: `${prefix}-order` });
    const read = await client().decode(await registry.encode(id, { at: { city: "Porto" } }));
    assert.strictEqual(read.at.city, "Porto");
  },

  json_schema: async () => {
    const schema = { type: SchemaType.JSON, schema: JSON.stringify(SCHEMAS.json) };
    const { id } = await registry.register(schema, { subject: `${prefix}-json-value` });
    const { value } = await topics.through(`${prefix}-json`, await registry.encode(id, RECORD));
    assert.deepStrictEqual(await client().decode(value), RECORD);
    await assert.rejects(registry.encode(id, { id: "seven" }));
  },

  json_schema_with_references: async () => {
    const place = { $id: "https://shop/place", type: "object", properties: { city: { type: "string" } } };
    await registry.register({ type: SchemaType.JSON, schema: JSON.stringify(place) }, { subject: `${prefix}-jplace` });
    const order = { $id: "https://shop/order", type: "object", properties: { at: { $ref: "https://shop/place" } } };
    const references = [{ name: "https://shop/place", subject: `${prefix}-jplace`, version: 1 }];
    const schema = { type: SchemaType.JSON, schema: JSON.stringify(order), references };
    const { id } = await registry.register(schema, { subject: `${prefix}-jorder` });
    assert.deepStrictEqual(await client().decode(await registry.encode(id, { at: { city: "Porto" } })), { at: { city: "Porto" } });
  },

  protobuf: async () => {
    const schema = { type: SchemaType.PROTOBUF, schema: SCHEMAS.protobuf };
    const { id } = await registry.register(schema, { subject: `${prefix}-proto-value` });
    const { value } = await topics.through(`${prefix}-proto`, await registry.encode(id, RECORD));
    assert.deepStrictEqual({ ...(await client().decode(value)) }, RECORD);
  },

  protobuf_with_references: async () => {
    const place = 'syntax = "proto3";\npackage geo;\nmessage Place {\n  string city = 1;\n}\n';
    await registry.register({ type: SchemaType.PROTOBUF, schema: place }, { subject: `${prefix}-pplace` });
    const order = 'syntax = "proto3";\npackage shop;\nimport "place.proto";\nmessage Order {\n  geo.Place at = 1;\n}\n';
    const references = [{ name: "place.proto", subject: `${prefix}-pplace`, version: 1 }];
    const schema = { type: SchemaType.PROTOBUF, schema: order, references };
    const { id } = await registry.register(schema, { subject: `${prefix}-porder` });
    const read = await client().decode(await registry.encode(id, { at: { city: "Porto" } }));
    assert.strictEqual(read.at.city, "Porto");
  },

  incompatible: async () => {
    const subject = `${prefix}-broken`;
    await registry.register(avro(SCHEMAS.first), { subject, compatibility: COMPATIBILITY.FULL });
    await assert.rejects(client().register(avro(SCHEMAS.broken), { subject, compatibility: COMPATIBILITY.FULL }), /incompatible/);
  },

  another_compatibility_than_the_subjects: async () => {
    const subject = `${prefix}-level`;
    await registry.register(avro(SCHEMAS.first), { subject, compatibility: COMPATIBILITY.FULL });
    await assert.rejects(client().register(avro(SCHEMAS.next), { subject, compatibility: COMPATIBILITY.NONE }), /does not match/);
  },

  what_is_missing: async () => {
    await assert.rejects(registry.getLatestSchemaId(`${prefix}-none`), /not found/);
    await assert.rejects(client().decode(Buffer.from([0, 127, 255, 255, 255, 1])), /not found/);
  },
};

run(CHECKS);
